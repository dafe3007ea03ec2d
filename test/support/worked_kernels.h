// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that the stage language must be able to express, products or not, and a toy that is none of them: a back end that compiles only layer norm in disguise
// fails on these.
#pragma once

#include "compiler/stages/norms.h"

#include <map>

namespace normc::test {

/// A kernel with sizes that it fits.
struct WorkedKernel {
  Kernel kernel;
  int64_t rows = 0, hidden = 0;
  std::map<std::string, std::vector<int64_t>> shapes; ///< of the inputs, by role
  std::map<std::string, double> scalars;
  bool columnFolds = false; ///< some back ends have none
  bool functions = false;   ///< calls exp, erf or tanh
};

/// normKernel with weight and (layer_norm) bias, and every output that the op has.
WorkedKernel layerNorm(int64_t rows, int64_t hidden);
WorkedKernel rmsNorm(int64_t rows, int64_t hidden);
/// y = layer_norm(x + residual), sum = x + residual.
WorkedKernel residualLayerNorm(int64_t rows, int64_t hidden);

/// dx, dweight and dbias from x, dy, weight and the saved mean and rstd. `mean` serves as a shift only: xhat = ((x - mean) - delta) rstd with
/// delta = sum(x - mean) / hidden.
///   g = dy weight;  dx = ((g - sum(g) / hidden) - xhat (sum(g xhat) / hidden)) rstd;  dweight = sum over rows of dy xhat;  dbias = sum over rows of dy
WorkedKernel layerNormBackward(int64_t rows, int64_t hidden);

/// RMS norm without parameters, then int8: scale = max |y| / 127 per row, q = round(y / scale), 0 where scale is 0.
WorkedKernel int8RmsNorm(int64_t rows, int64_t hidden);

/// y = layer_norm(x) (1 + scale[g]) + shift[g] with g = row / rowsPerGroup: one pair of parameter rows per group of rows (a sample, say).
WorkedKernel adaLayerNorm(int64_t rows, int64_t hidden, int64_t rowsPerGroup);

/// y = gelu(layer_norm(x) weight + bias), gelu(z) = z / 2 (1 + erf(z / sqrt 2)).
WorkedKernel geluLayerNorm(int64_t rows, int64_t hidden);

/// Group norm of (samples, channels, pixels), channel-major: row (sample, group), column (channel of the group, pixel); weight and bias per channel.
WorkedKernel groupNorm(int64_t samples, int64_t channels, int64_t groups, int64_t pixels);

/// peak = max of x per row; centred = x - peak, stored; y = centred scale[col / columnsPerGroup] + |peak|.
WorkedKernel toy(int64_t rows, int64_t hidden, int64_t columnsPerGroup);

/// All of the above, in this order, at sizes with a partial lane row, a partial segment and several segments.
std::vector<WorkedKernel> workedKernels();

} // namespace normc::test
