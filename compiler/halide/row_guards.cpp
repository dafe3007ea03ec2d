// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/row_guards.h"

namespace normc {

using namespace Halide::Internal;

/// The outermost call ends with a simplification, which takes the guards' conditions out of allocations and statements.
Stmt RowGuards::mutate(const Stmt &stmt) {
  ++depth_;
  Stmt result = IRMutator::mutate(stmt);
  --depth_;
  return depth_ == 0 ? simplify(result) : result;
}

Stmt RowGuards::visit(const For *loop) {
  const bool known = is_const_zero(loop->min);
  if (known)
    extents_[loop->name] = loop->extent;
  Stmt result = IRMutator::visit(loop);
  if (known)
    extents_.erase(loop->name);
  return result;
}

bool RowGuards::isInLoop(const Halide::Expr &index, const Halide::Expr &extent) const {
  const auto *variable = index.as<Variable>();
  if (!variable)
    return false;
  auto loop = extents_.find(variable->name);
  return loop != extents_.end() && equal(loop->second, extent);
}

/// n + 1 <= extent
Halide::Expr RowGuards::visit(const LE *comparison) {
  const auto *sum = comparison->a.as<Add>();
  if (sum && is_const_one(sum->b) && isInLoop(sum->a, comparison->b))
    return const_true();
  return IRMutator::visit(comparison);
}

/// n < extent
Halide::Expr RowGuards::visit(const LT *comparison) {
  if (isInLoop(comparison->a, comparison->b))
    return const_true();
  return IRMutator::visit(comparison);
}

} // namespace normc
