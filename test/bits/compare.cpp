// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/compare.h"

#include "compiler/support/float_formats.h"
#include "test/bits/hostile_rows.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace normc::bits {
namespace {

float valueOf(DType dtype, const std::byte *element) {
  float value = 0;
  widen(dtype, element, 1, 1, &value);
  return value;
}

std::string elementText(DType dtype, const std::byte *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(dtypeBytes(dtype)));
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (0x%llx)", static_cast<double>(valueOf(dtype, element)), static_cast<unsigned long long>(bits));
  return text;
}

} // namespace

bool sameElement(DType dtype, const std::byte *a, const std::byte *b) {
  if (std::memcmp(a, b, static_cast<size_t>(dtypeBytes(dtype))) == 0)
    return true;
  return std::isnan(valueOf(dtype, a)) && std::isnan(valueOf(dtype, b));
}

std::string difference(const Array &expected, const Array &got, int64_t firstRow) {
  if (expected.dtype != got.dtype || expected.shape != got.shape)
    return "type or shape differ";
  if (expected.bytes == got.bytes)
    return {};
  const int64_t size = expected.size(), bytes = dtypeBytes(expected.dtype), columns = expected.shape.size() == 2 ? expected.shape[1] : 1;
  int64_t count = 0, first = -1;
  for (int64_t i = 0; i < size; ++i)
    if (!sameElement(expected.dtype, &expected.bytes[i * bytes], &got.bytes[i * bytes])) {
      ++count;
      first = first < 0 ? i : first;
    }
  if (count == 0)
    return {};
  const int64_t row = firstRow + first / columns;
  return std::to_string(count) + " of " + std::to_string(size) + " elements differ, the first at row " + std::to_string(row) + " (" +
         std::string(hostileName(row)) + "), column " + std::to_string(first % columns) + ": expected " +
         elementText(expected.dtype, &expected.bytes[first * bytes]) + ", got " + elementText(got.dtype, &got.bytes[first * bytes]);
}

std::string difference(const std::map<std::string, Array> &expected, const std::map<std::string, Array> &got) {
  std::string text;
  for (const auto &[role, array] : expected) {
    auto found = got.find(role);
    std::string one = found == got.end() ? "is missing" : difference(array, found->second);
    if (!one.empty())
      text += role + ": " + one + "\n";
  }
  for (const auto &[role, array] : got)
    if (!expected.count(role))
      text += role + ": is not an output of the reference\n";
  return text;
}

} // namespace normc::bits
