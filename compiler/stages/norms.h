// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products: layer norm and RMS norm, forward, in the stage language. The only place that says what they compute.
#pragma once

#include "compiler/spec/kernel_spec.h"
#include "compiler/stages/kernel.h"

namespace normc {

/// Which of the optional parameters a body has.
struct Affine {
  bool weight = false;
  bool bias = false;
};

/// The kernel that `spec` asks for, with the parameters that `affine` names.
///
/// layer_norm: y = ((x - m) - delta) * rstd * weight + bias with the corrected two-pass statistics of docs/numerics.md; mean and rstd per row.
/// rms_norm:   y = x * rstd * weight, rstd = 1 / sqrt(sum(x^2) / hidden + eps).
/// Roles: x, residual, weight, bias; y, sum, mean, rstd. Scalars: eps.
Kernel normKernel(const KernelSpec &spec, Affine affine);

/// The same as formulas for readers, one a line, in terms of [r][c]: what an emitted header says above its entry.
std::vector<std::string> normFormula(const KernelSpec &spec);

/// The element of a weight (bias) with which a kernel that has one computes the bits of a kernel that has none: y * 1 and y + -0 are y, bit for bit.
float neutralWeight(const KernelSpec &spec);
float neutralBias(const KernelSpec &spec);

} // namespace normc
