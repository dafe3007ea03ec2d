// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/dtype.h"

#include <array>

namespace normc {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int64_t bytes;
  std::array<std::string_view, 2> aliases;
};

constexpr Row kTypes[] = {
    {DType::F32, "f32", 4, {"float32", "float"}}, {DType::F16, "f16", 2, {"float16", "half"}}, {DType::BF16, "bf16", 2, {"bfloat16", ""}},
    {DType::F64, "f64", 8, {"float64", "double"}}, {DType::S8, "s8", 1, {"", ""}},              {DType::U8, "u8", 1, {"", ""}},
};

const Row &row(DType type) { return kTypes[static_cast<size_t>(type)]; }

} // namespace

std::string_view dtypeName(DType type) { return row(type).name; }

int64_t dtypeBytes(DType type) { return row(type).bytes; }

std::optional<DType> parseDType(std::string_view name) {
  if (name.empty())
    return std::nullopt;
  for (const Row &candidate : kTypes)
    if (candidate.name == name || candidate.aliases[0] == name || candidate.aliases[1] == name)
      return candidate.type;
  return std::nullopt;
}

std::vector<std::string> productDTypeNames() { return {"f32", "f16", "bf16"}; }

} // namespace normc
