// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equality of bits, all NaNs being equal.
#pragma once

#include "compiler/reference/interpreter.h"

#include <map>
#include <string>

namespace normc::bits {

/// Whether two elements of a type are the same: equal bits, or both NaN.
bool sameElement(DType dtype, const std::byte *a, const std::byte *b);

/// Empty where `got` has the bits of `expected`; otherwise how many elements differ and the first that does, with the kind of row that hostile_rows.h gives
/// its number (counted from `firstRow`). Both in C order, same type and shape.
std::string difference(const Array &expected, const Array &got, int64_t firstRow = 0);

/// Likewise for all outputs of a kernel; the text begins with the output's role. An output that one side lacks is a difference.
std::string difference(const std::map<std::string, Array> &expected, const std::map<std::string, Array> &got);

} // namespace normc::bits
