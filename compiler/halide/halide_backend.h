// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Halide back end: stages and a plan in, LLVM IR out. No Halide or LLVM type appears here.
#pragma once

#include "compiler/schedule/plan.h"
#include "compiler/stages/kernel.h"

#include <string>
#include <vector>

namespace normc {

/// One parameter of the function that Halide made, in order.
struct HalideParameter {
  enum class Kind : uint8_t { Buffer, Float } kind;
  std::string role;    ///< buffers: an input's or output's name; scalars: the scalar's name
  int dimensions = 0;  ///< buffers: 1 (columns or rows) or 2
  DType dtype = DType::F32;
  bool rowDomain = false; ///< a 1-D buffer over rows (mean, rstd); otherwise over columns
};

/// One compiled body, still as LLVM IR with Halide's calling convention.
struct HalideBody {
  std::string bitcode;   ///< LLVM bitcode of one function
  std::string function;  ///< its symbol
  std::vector<HalideParameter> parameters;
  bool usesRowNumbers = false; ///< computes with the number of a row, or of all rows, of the call
};

/// Lowers `kernel` under `plan`. `hidden` 0 = dynamic. `function` becomes the symbol. Throws ImpossibleCombination where the kernel uses an operator that this
/// back end does not support (column folds, function calls).
HalideBody lowerWithHalide(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const std::string &function);

/// Halide's lowered statement as text: the form `normc emit --as halide` prints.
std::string halideStatement(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const std::string &function);

} // namespace normc
