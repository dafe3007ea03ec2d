// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program: expressions flattened into steps that each work on a block of columns at once.
#pragma once

#include "compiler/stages/kernel.h"

#include <array>

namespace normc::reference {

/// How often a step's value changes.
enum class Rate : uint8_t {
  Once,  ///< never
  Row,   ///< with the row
  Block, ///< with the column
};

/// One operator, applied to the results of earlier steps.
struct Step {
  const ExprNode *node;            ///< operator, constant, id, index maps
  Rate rate;
  bool spread;                     ///< a value of rate Once or Row that a step of rate Block reads: it is copied along the block
  std::array<int, 3> operands;     ///< step numbers
  double (*function)(double);      ///< Call: what computes it
};

struct Program {
  std::vector<Step> steps;         ///< operands first
  std::vector<int> roots;          ///< the steps that hold the results
};

/// Flattens `roots`. Element maps that they read become part of the program, as do the expansions of calls; where `exactFunctions`, a call of a known function
/// becomes one step instead, and operators on bits throw InternalError. `spreadRoots`: the results are wanted for every column.
Program flatten(const Kernel &kernel, const std::vector<Expr> &roots, bool exactFunctions, bool spreadRoots);

} // namespace normc::reference
