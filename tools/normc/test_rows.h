// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows that `normc verify` runs kernels on.
#pragma once

#include "compiler/support/dtype.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normc {

/// How many rows of `hidden` columns testRows makes: at least one of each kind.
int64_t testRowCount(int64_t hidden);

/// Rows of x: for each row in turn one of the kinds that have broken norm kernels (standard normal; large mean; tiny spread; constant; one outlier; huge, which
/// overflows; subnormal; zeros of both signs; with an infinity; with a NaN). Each value is rounded to `dtype`. The same on every machine for the same seed.
std::vector<std::byte> testRows(DType dtype, int64_t rows, int64_t hidden, uint64_t seed);

/// Weights near 1, or biases near 0.
std::vector<std::byte> testParameters(DType dtype, int64_t hidden, float mean, uint64_t seed);

} // namespace normc
