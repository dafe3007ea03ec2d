// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds along a row as Halide Funcs, in the order of compiler/support/canonical_order.h.
//
// A segment keeps its 64 lanes as A x (64 / A): lane = a + A * q. The fold over q closes inside a group of A lanes, so a sweep needs 64 / A accumulators a
// fold, which is what fits in registers (Plan::laneGroup). Levels below A are one Func each. Several folds that share a sweep are one Func with several values.
#pragma once

#include "compiler/halide/values.h"

namespace normc {

/// One value for each fold of a sweep.
using Terms = std::vector<Halide::Expr>;

/// What the folds of one sweep add up.
struct SweepTerms {
  std::string name;                ///< for the Funcs, for example "sum_d_sum_d2"
  std::vector<StageKind> kinds;    ///< of each fold
  /// The terms at (row, column).
  std::function<Terms(const Halide::Expr &row, const Halide::Expr &column)> at;
  /// The terms of the last hidden mod 64 columns, by lane, from a copy of them; any value where the lane is absent.
  std::function<Terms(const Halide::Expr &row, const Halide::Expr &lane)> tail;
};

/// Where and how a sweep is computed.
struct RowLoop {
  Halide::Var row;
  Halide::LoopLevel level;   ///< the body of the loop over rows; set once the output Func exists
  const Plan *plan;
  int64_t hidden;            ///< 0: dynamic
  Halide::Expr columns;      ///< hidden as an int32
};

/// The number of columns past the last full lane row: hidden mod 64.
Halide::Expr tailColumns(const RowLoop &loop);

/// The folds of a sweep: a Func of the row with one value per fold, scheduled, the roots' +0 included.
Halide::Func lowerSweep(const SweepTerms &terms, const RowLoop &loop);

/// Reads value `index` of a Func that has `count` values.
Halide::Expr readValue(const Halide::Func &func, const std::vector<Halide::Expr> &arguments, size_t index, size_t count);

} // namespace normc
