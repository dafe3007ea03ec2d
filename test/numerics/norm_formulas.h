// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of the two products written a second time, on purpose, in double-double and straight from their definitions; and the error bounds of
// docs/numerics.md for what normc gives instead.
#pragma once

#include "test/numerics/double_double.h"

#include "compiler/spec/kernel_spec.h"

#include <optional>
#include <vector>

namespace normc::numerics {

/// One row of a norm. Parameters may be absent.
struct NormRow {
  Op op = Op::LayerNorm;
  std::vector<float> values = {};                ///< what is normalized: x, or float32(x + residual)
  std::optional<std::vector<float>> weight = {}, bias = {};
  float eps = 1e-5f;
  int weightOffset = 0;
};

/// What a quantity is, and how far normc may be from it.
struct Bounded {
  double value = 0;
  double bound = 0; ///< absolute
};

struct NormResult {
  std::vector<Bounded> y; ///< before it is rounded to its storage type
  Bounded mean, rstd;     ///< mean of layer_norm only
};

/// The exact results (to double precision) with their bounds. Finite rows in the range of docs/numerics.md only.
NormResult exactNorm(const NormRow &row);

/// The bound for a value once it is stored as `dtype`: what the rounding may add.
Bounded stored(DType dtype, Bounded value);

} // namespace normc::numerics
