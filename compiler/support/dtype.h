// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of arrays in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

/// Storage types. Inside a kernel every value is float32; these say how arrays hold them.
enum class DType : uint8_t { F32, F16, BF16, F64, S8, U8 };

/// The canonical name: "f32", "f16", "bf16", "f64", "s8", "u8".
std::string_view dtypeName(DType type);

/// Bytes an element takes.
int64_t dtypeBytes(DType type);

/// Parses a name or an alias (float32, float16, half, bfloat16, float64); nullopt where there is no such type.
std::optional<DType> parseDType(std::string_view name);

/// All canonical names that a kernel may be built with, for messages and lists.
std::vector<std::string> productDTypeNames();

} // namespace normc
