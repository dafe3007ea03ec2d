// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference: interprets a kernel's stages. In float32 it gives the bits that every back end must give; in double it shows how accurate those are, and it
// computes f64 kernels. It shares nothing with a back end but the stages and the order of additions.
#pragma once

#include "compiler/stages/kernel.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace normc {

/// An array that the caller owns. `data` needs no alignment.
struct ArrayView {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  const void *data = nullptr;
  std::vector<int64_t> strides; ///< in elements, one per dimension, any sign; empty: contiguous, last dimension innermost
};

/// An array in C order that owns its elements.
struct Array {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  int64_t size() const;
  /// The elements, widened.
  std::vector<double> values() const;
  ArrayView view() const { return {dtype, shape, bytes.data(), {}}; }
};

/// What a kernel is run on.
struct Invocation {
  int64_t rows = 0;
  int64_t hidden = 0;                       ///< at most order::kMaxHidden
  std::map<std::string, ArrayView> inputs;  ///< by role
  std::map<std::string, double> scalars;    ///< by name; the float32 run rounds them to float32
  std::set<std::string> outputs;            ///< the roles that are wanted; empty: all that the kernel stores
};

enum class Precision : uint8_t {
  /// Every operator as docs/numerics.md defines it; outputs in the types that the kernel stores.
  Float32,
  /// Every operator in double, functions by their mathematical meaning; outputs in f64, not rounded to what the kernel stores. RoundTo inside a kernel still
  /// rounds, through float32 as the operator does, since there the rounding is part of the formula.
  Double,
};

/// Interprets `kernel` and returns its outputs by role: shape (rows, hidden) for a stage of domain element, (rows) or (hidden) for one of domain row or column.
///
/// Runs under the default floating-point environment whatever the caller's is. Throws MissingRole, DTypeMismatch, ShapeMismatch or BadNumber where the arrays do
/// not fit; InternalError where the kernel has no meaning in this precision (f64 storage in float32; operators on bits outside of a function in double).
std::map<std::string, Array> interpret(const Kernel &kernel, const Invocation &invocation, Precision precision);

} // namespace normc
