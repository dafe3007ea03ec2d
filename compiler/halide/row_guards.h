// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clean-up of Halide's lowered loops.
#pragma once

#include <Halide.h>

namespace normc {

/// Computing the row outputs in y's loop over rows makes Halide guard every stage with `n + 1 <= rows`, in a loop over n in [0, rows): always true, but its
/// simplifier does not see that. The guards keep LLVM from promoting the row's values: they become vectors carried from one row to the next. This pass removes
/// the guards.
class RowGuards : public Halide::Internal::IRMutator {
public:
  Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &stmt) override;
  using IRMutator::mutate;

private:
  Halide::Internal::Stmt visit(const Halide::Internal::For *loop) override;
  Halide::Expr visit(const Halide::Internal::LE *comparison) override;
  Halide::Expr visit(const Halide::Internal::LT *comparison) override;

  bool isInLoop(const Halide::Expr &index, const Halide::Expr &extent) const;

  int depth_ = 0;
  std::map<std::string, Halide::Expr> extents_; ///< of the enclosing loops that start at 0
};

} // namespace normc
