// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage language: a kernel is a list of maps and folds over (rows, hidden).
//
// A stage has a domain and is a map (an expression at each point) or a fold (the sum or maximum of an expression along one dimension, in the order of
// compiler/support/canonical_order.h). It may read earlier stages, inputs through an index map, and run-time scalars, and any stage may be stored as an output.
// This is the only description of what a kernel computes: the reference interprets it, back ends lower it.
#pragma once

#include "compiler/stages/expr.h"

#include <optional>

namespace normc {

/// Where a stage has values.
enum class Domain : uint8_t {
  Element, ///< one per (row, column)
  Row,     ///< one per row
  Column,  ///< one per column
};

std::string_view domainName(Domain domain);

enum class StageKind : uint8_t {
  Map,     ///< the expression at each point of the domain
  SumFold, ///< sum of the expression: over columns into Row, over rows into Column
  MaxFold, ///< maximum (the operator Max, operands in order), likewise
};

/// An array that the kernel reads.
struct Input {
  std::string name; ///< its role: "x", "weight"
  DType dtype;
  int rank;         ///< 1 or 2; what its extents are follows from the index maps that read it
};

/// How a stage is stored.
struct Store {
  std::string output; ///< its role: "y", "mean"
  DType dtype;        ///< rounded once, here
};

struct Stage {
  std::string name;
  Domain domain;
  StageKind kind;
  Expr expr;
  std::optional<Store> store;
};

/// A kernel in the stage language. Build it with the members below, in order: a stage may refer to earlier ones only.
/// Each member checks its arguments (names unique, types and domains fitting) and throws InternalError.
class Kernel {
public:
  explicit Kernel(std::string name) : name_(std::move(name)) {}

  /// Declares an input and returns its number.
  int input(std::string name, DType dtype, int rank);
  /// Declares a run-time float32 scalar and returns the expression that reads it.
  Expr scalar(std::string name);

  /// Element (row, column) of a rank-2 input, element (column) of a rank-1 input.
  Expr load(int input) const;
  /// An element of an input through an index map: one index per dimension, outermost first.
  Expr load(int input, std::vector<Index> indices) const;

  /// Adds a stage and returns the expression that reads it.
  Expr map(std::string name, Domain domain, Expr expr, std::optional<Store> store = {});
  /// The sum along the dimension that `into` lacks: Row sums over columns, Column sums over rows.
  Expr sum(std::string name, Domain into, Expr expr, std::optional<Store> store = {});
  Expr maximum(std::string name, Domain into, Expr expr, std::optional<Store> store = {});

  const std::string &name() const { return name_; }
  const std::vector<Input> &inputs() const { return inputs_; }
  const std::vector<std::string> &scalars() const { return scalars_; }
  const std::vector<Stage> &stages() const { return stages_; }

  /// The stages as text, one a line: the form `normc emit --as stages` prints.
  std::string text() const;

private:
  Expr addStage(Stage stage);
  Domain domainOf(const Expr &expr) const;
  bool readsRows(const Expr &expr) const;

  std::string name_;
  std::vector<Input> inputs_;
  std::vector<std::string> scalars_;
  std::vector<Stage> stages_;
};

/// An expression as text, in terms of the kernel's names.
std::string exprText(const Kernel &kernel, const Expr &expr);

/// Folds that one pass over their dimension can compute together: none depends on another of the group, nor on a stage that does.
/// In order of first use; every fold is in one group; all folds of a group have the same domain.
std::vector<std::vector<int>> sweeps(const Kernel &kernel);

/// True where a value depends on the number of its row, or on how many there are: through the operator Rows, or an index map that computes with the row. A row of
/// such a kernel has other bits in a part of a call than in the whole.
bool usesRowNumbers(const Kernel &kernel);

/// True where stage `reader` reads stage `read`, directly or through others.
bool dependsOn(const Kernel &kernel, int reader, int read);

} // namespace normc
