// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last hidden mod 64 columns of a row, copied to the stack: full vectors are then read from the copy, and nothing past the end of a row is ever touched.
#pragma once

#include "compiler/halide/fold.h"

namespace normc {

/// Copies of the tails of the inputs that a row's folds read.
class TailCopies {
public:
  /// `loader` reads an input in its storage type.
  TailCopies(const Kernel &kernel, const RowLoop &loop, Values::Loader loader) : kernel_(kernel), loop_(loop), loader_(std::move(loader)) {}

  /// The element that `load` reads at lane `at.column` of the tail; any value where that lane is absent. Loads that do not depend on the column are read in
  /// place.
  Halide::Expr read(const ExprNode &load, const Position &at);

private:
  Halide::Func copy(const ExprNode &load);
  void copyStatic(Halide::Func buffer, const ExprNode &load) const;
  void copyDynamic(Halide::Func buffer, const ExprNode &load) const;

  const Kernel &kernel_;
  const RowLoop &loop_;
  Values::Loader loader_;
  std::map<std::string, Halide::Func> copies_; ///< by input and index map
};

} // namespace normc
