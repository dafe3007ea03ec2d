// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of rows on which accuracy is judged, and the comparison itself.
#pragma once

#include "test/numerics/norm_formulas.h"

#include <random>
#include <string>
#include <vector>

namespace normc::numerics {

/// A way to fill a row.
struct RowKind {
  std::string name;
  /// Fills with about the same distribution at every width.
  std::vector<float> (*make)(int64_t hidden, std::mt19937 &engine);
  double eps = 1e-5; ///< smaller where the default would hide the variance
};

/// Ordinary ones first, then those that are hard: a large mean, little noise on it, constants, an outlier, the ends of the range.
const std::vector<RowKind> &rowKinds();

/// The worst of one output over some rows.
struct Worst {
  double ofBound = 0; ///< error / bound
  double error = 0;   ///< the largest error in the unit below
};

/// Errors of one kernel run on some rows. Units: y, 2^-24 max(|weight| , |y|); mean, 2^-24 max(|mean|, standard deviation); rstd, 2^-24 rstd.
struct Accuracy {
  Worst y, mean, rstd;
  std::string firstExcess; ///< describes the first value beyond its bound; empty where there is none

  void merge(const Accuracy &other);
};

/// Runs the float32 reference for `spec` on rows of `kind`, with the kind's eps, and compares with exactNorm. `spec.hidden` is the width. Weight and bias are there where the spec has
/// them required.
Accuracy measure(const KernelSpec &spec, const RowKind &kind, int64_t rows, uint32_t seed);

} // namespace normc::numerics
