// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/stages/kernel.h"

#include "compiler/support/error.h"

#include <algorithm>

namespace normc {

std::string_view domainName(Domain domain) {
  switch (domain) {
  case Domain::Element: return "element";
  case Domain::Row: return "row";
  case Domain::Column: return "column";
  }
  reportBug("unknown domain");
}

int Kernel::input(std::string name, DType dtype, int rank) {
  if (rank != 1 && rank != 2)
    reportBug("input '" + name + "' has rank " + std::to_string(rank) + ", expected 1 or 2");
  for (const Input &other : inputs_)
    if (other.name == name)
      reportBug("input '" + name + "' is declared twice");
  inputs_.push_back({std::move(name), dtype, rank});
  return static_cast<int>(inputs_.size()) - 1;
}

Expr Kernel::scalar(std::string name) {
  scalars_.push_back(std::move(name));
  return ex::leaf(Operator::Scalar, static_cast<int>(scalars_.size()) - 1);
}

Expr Kernel::load(int input) const {
  return inputs_.at(input).rank == 2 ? load(input, {Index::row(), Index::column()}) : load(input, {Index::column()});
}

Expr Kernel::load(int input, std::vector<Index> indices) const {
  const Input &array = inputs_.at(input);
  if (static_cast<int>(indices.size()) != array.rank)
    reportBug("input '" + array.name + "' is read with " + std::to_string(indices.size()) + " indices, expected " + std::to_string(array.rank));
  return ex::leaf(Operator::Load, input, std::move(indices));
}

Domain Kernel::domainOf(const Expr &expr) const {
  bool row = false, column = false;
  forEachNode(expr, [&](const ExprNode &node) {
    if (node.op == Operator::Load)
      for (const Index &index : node.indices) {
        row |= index.dependsOn(Index::Kind::Row);
        column |= index.dependsOn(Index::Kind::Column);
      }
    if (node.op == Operator::StageRef) {
      Domain domain = stages_[node.id].domain;
      row |= domain != Domain::Column;
      column |= domain != Domain::Row;
    }
  });
  return row && column ? Domain::Element : column ? Domain::Column : Domain::Row;
}

Expr Kernel::addStage(Stage stage) {
  if (stage.expr->type != Type::F32)
    reportBug("stage '" + stage.name + "' is not of type f32");
  for (const Stage &other : stages_)
    if (other.name == stage.name)
      reportBug("stage '" + stage.name + "' is defined twice");
  // A map may be wider than what it reads (a constant over all rows), never narrower.
  Domain reads = domainOf(stage.expr);
  bool fits = stage.kind == StageKind::Map ? stage.domain == Domain::Element || reads == stage.domain || (reads == Domain::Row && !readsRows(stage.expr))
                                           : stage.domain != Domain::Element;
  if (!fits)
    reportBug("stage '" + stage.name + "' of domain " + std::string(domainName(stage.domain)) + " reads values of domain " + std::string(domainName(reads)));
  stages_.push_back(std::move(stage));
  return ex::leaf(Operator::StageRef, static_cast<int>(stages_.size()) - 1);
}

bool Kernel::readsRows(const Expr &expr) const {
  bool reads = false;
  forEachNode(expr, [&](const ExprNode &node) {
    if (node.op == Operator::Load)
      for (const Index &index : node.indices)
        reads |= index.dependsOn(Index::Kind::Row);
    if (node.op == Operator::StageRef)
      reads |= stages_[node.id].domain != Domain::Column;
  });
  return reads;
}

Expr Kernel::map(std::string name, Domain domain, Expr expr, std::optional<Store> store) {
  return addStage({std::move(name), domain, StageKind::Map, std::move(expr), std::move(store)});
}

Expr Kernel::sum(std::string name, Domain into, Expr expr, std::optional<Store> store) {
  return addStage({std::move(name), into, StageKind::SumFold, std::move(expr), std::move(store)});
}

Expr Kernel::maximum(std::string name, Domain into, Expr expr, std::optional<Store> store) {
  return addStage({std::move(name), into, StageKind::MaxFold, std::move(expr), std::move(store)});
}

bool dependsOn(const Kernel &kernel, int reader, int read) {
  if (reader == read)
    return true;
  if (reader < read)
    return false;
  bool found = false;
  forEachNode(kernel.stages()[reader].expr, [&](const ExprNode &node) {
    if (node.op == Operator::StageRef && !found)
      found = dependsOn(kernel, node.id, read);
  });
  return found;
}

bool usesRowNumbers(const Kernel &kernel) {
  bool uses = false;
  for (const Stage &stage : kernel.stages())
    forEachNode(stage.expr, [&](const ExprNode &node) {
      uses |= node.op == Operator::Rows;
      if (node.op == Operator::Load)
        for (const Index &index : node.indices)
          uses |= index.dependsOn(Index::Kind::Row) && index.kind() != Index::Kind::Row;
    });
  return uses;
}

std::vector<std::vector<int>> sweeps(const Kernel &kernel) {
  std::vector<std::vector<int>> groups;
  const std::vector<Stage> &stages = kernel.stages();
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    if (stages[s].kind == StageKind::Map)
      continue;
    // Only the last group can take it: an earlier one would put it before a fold that it may need and reorder the sweeps.
    bool joins = !groups.empty() && stages[groups.back()[0]].domain == stages[s].domain &&
                 std::none_of(groups.back().begin(), groups.back().end(), [&](int other) { return dependsOn(kernel, s, other); });
    if (joins)
      groups.back().push_back(s);
    else
      groups.push_back({s});
  }
  return groups;
}

} // namespace normc
