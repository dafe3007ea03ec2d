// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads before stores, where a kernel stores several element outputs.
#pragma once

#include <Halide.h>

#include <set>

namespace normc {

/// Halide stores the values of a tuple one after another and reads the inputs for each again, since to it an output never is an input. But sum may be residual,
/// and y is computed from residual: it must be read before sum is stored. This pass computes the values of all outputs at a place, then stores them.
class ValuesFirst : public Halide::Internal::IRMutator {
public:
  /// `outputs`: the buffers of one tuple.
  explicit ValuesFirst(std::set<std::string> outputs) : outputs_(std::move(outputs)) {}
  using IRMutator::mutate;

private:
  /// One step of a straight piece of code: `let name = value`, or a statement where the name is empty.
  struct Step {
    std::string name;
    Halide::Expr value;
    Halide::Internal::Stmt stmt;
  };

  Halide::Internal::Stmt visit(const Halide::Internal::Block *block) override { return storesOutput(block) ? straightCode(block) : IRMutator::visit(block); }
  Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *let) override { return storesOutput(let) ? straightCode(let) : IRMutator::visit(let); }

  bool storesOutput(const Halide::Internal::Stmt &stmt) const;

  Halide::Internal::Stmt straightCode(const Halide::Internal::Stmt &stmt);
  void flatten(const Halide::Internal::Stmt &stmt, std::vector<Step> &steps);
  const Halide::Internal::Store *outputStore(const Halide::Internal::Stmt &stmt) const;
  std::vector<Step> reorder(const std::vector<Step> &steps) const;

  std::set<std::string> outputs_;
};

} // namespace normc
