// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stage expressions as Halide expressions.
//
// Two rules hold throughout, since Halide would otherwise spoil bits or schedules:
// - A boolean is a mask of 32 bits (0 or all ones), and a choice is made by masks, never by Halide's select: a select in a value makes Halide guard whole
//   stages and allocate conditionally. LLVM turns the masks back into blends.
// - Floats are compared with < only, everything else in integers: Halide rewrites a <= b as !(b < a), which is wrong for NaN.
#pragma once

#include "compiler/schedule/plan.h"
#include "compiler/stages/kernel.h"

#include <Halide.h>

#include <functional>
#include <map>

namespace normc {

/// Halide's type for elements of a storage type; bf16 is held as its bits.
Halide::Type storageType(DType dtype);

/// Elements of storage as float32, exactly. `hardwareF16`: the target converts binary16.
Halide::Expr widen(DType dtype, Halide::Expr element, bool hardwareF16);

/// float32 as elements of storage: nearest even, subnormals kept, NaN to a quiet NaN; s8 and u8 saturate and NaN gives 0.
Halide::Expr narrow(DType dtype, Halide::Expr value, bool hardwareF16);

/// The mask of a Halide boolean: all ones where it holds.
Halide::Expr maskOf(const Halide::Expr &condition);

/// The value where the mask is all ones, +0 elsewhere.
Halide::Expr keep(const Halide::Expr &value, const Halide::Expr &mask);

/// `ifSet` where the mask is all ones, `otherwise` elsewhere.
Halide::Expr choose(const Halide::Expr &mask, const Halide::Expr &ifSet, const Halide::Expr &otherwise);

/// The operator Max.
Halide::Expr maximum(const Halide::Expr &a, const Halide::Expr &b);

/// A point of the (row, column) domain.
struct Position {
  Halide::Expr row, column;
};

/// Lowers the expressions of one kernel at given positions.
class Values {
public:
  /// Reads an element of an input, in its storage type.
  using Loader = std::function<Halide::Expr(const ExprNode &load, const Position &at)>;
  /// Reads a stage that has a Func of its own (row stages); undefined where the stage is to be expanded in place.
  using StageReader = std::function<Halide::Expr(int stage, const Position &at)>;
  using ScalarReader = std::function<Halide::Expr(int scalar)>;

  Values(const Kernel &kernel, Halide::Expr hidden, Halide::Expr rows, bool hardwareF16, Loader loader, StageReader stages, ScalarReader scalars)
      : kernel_(kernel), hidden_(std::move(hidden)), rows_(std::move(rows)), hardwareF16_(hardwareF16), loader_(std::move(loader)),
        stages_(std::move(stages)), scalars_(std::move(scalars)) {}

  /// The float32 value of `expr` at a position.
  Halide::Expr at(const Expr &expr, const Position &position) const { return at(expr, position, loader_); }
  /// Likewise, with another way to read inputs.
  Halide::Expr at(const Expr &expr, const Position &position, const Loader &loader) const;

private:
  class Lowering;

  const Kernel &kernel_;
  Halide::Expr hidden_, rows_;
  bool hardwareF16_;
  Loader loader_;
  StageReader stages_;
  ScalarReader scalars_;
};

/// An index map at a position.
Halide::Expr lowerIndex(const Index &index, const Position &at);

} // namespace normc
