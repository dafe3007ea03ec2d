// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs on which two ways to compute the same formula are most likely to part: zeros of both signs, subnormals, infinities, NaN, overflow, cancellation.
#pragma once

#include "test/support/arrays.h"

namespace normc::bits {

/// Kinds of rows; `hostileArray` goes through them in order.
int hostileKinds();
/// For messages.
std::string_view hostileName(int64_t row);

/// An array of (rows, hidden): row r is of kind (r + firstKind) mod hostileKinds(), so that a call of a few rows meets ordinary and special rows.
Array hostileArray(DType dtype, int64_t rows, int64_t hidden, uint32_t seed, int64_t firstKind = 0);

/// A weight: normal values, with a zero of each sign, -1 (nothing is left of 1 + weight), a subnormal and a large one in between.
Array hostileWeight(DType dtype, int64_t hidden, uint32_t seed);

/// A bias: normal values, every seventh a -0, which only an addition of -0 leaves alone.
Array hostileBias(DType dtype, int64_t hidden, uint32_t seed);

} // namespace normc::bits
