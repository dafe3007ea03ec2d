// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/program.h"

#include "compiler/stages/functions.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <unordered_map>

namespace normc::reference {
namespace {

class Flattener {
public:
  Flattener(const Kernel &kernel, bool exactFunctions) : kernel_(kernel), exactFunctions_(exactFunctions) {}

  int flatten(const Expr &expr) {
    if (auto known = numbers_.find(expr.get()); known != numbers_.end())
      return known->second;
    const int number = flattenNew(expr);
    numbers_.emplace(expr.get(), number);
    return number;
  }

  Program program;

private:
  int flattenNew(const Expr &expr) {
    const ExprNode &node = *expr;
    if (node.op == Operator::StageRef) {
      const Stage &stage = kernel_.stages()[node.id];
      if (stage.domain == Domain::Element)
        return flatten(stage.expr);
      return append(node, stage.domain == Domain::Row ? Rate::Row : Rate::Block);
    }
    if (node.op == Operator::Call) {
      double (*function)(double) = exactFunctions_ && node.operands.size() == 1 ? exactFunction(node.name) : nullptr;
      if (!function)
        return flatten(node.expansion);
      const int argument = flatten(node.operands[0]);
      const int number = append(node, program.steps[argument].rate);
      program.steps[number].operands[0] = argument;
      program.steps[number].function = function;
      return number;
    }
    if (exactFunctions_ && (node.op == Operator::BitsOf || node.op == Operator::FromBits))
      reportBug("kernel '" + kernel_.name() + "' works on the bits of a float32 outside of a known function, which has no meaning in double");
    if (node.op == Operator::Load)
      return append(node, loadRate(node));
    std::array<int, 3> operands{};
    Rate rate = Rate::Once;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      operands[i] = flatten(node.operands[i]);
      rate = std::max(rate, program.steps[operands[i]].rate);
    }
    const int number = append(node, rate);
    Step &step = program.steps[number];
    step.operands = operands;
    if (rate == Rate::Block)
      for (size_t i = 0; i < node.operands.size(); ++i)
        spread(operands[i]);
    return number;
  }

  int append(const ExprNode &node, Rate rate) {
    program.steps.push_back({&node, rate, false, {}, nullptr});
    return static_cast<int>(program.steps.size()) - 1;
  }

  void spread(int number) {
    if (program.steps[number].rate != Rate::Block)
      program.steps[number].spread = true;
  }

  static Rate loadRate(const ExprNode &node) {
    Rate rate = Rate::Once;
    for (const Index &index : node.indices)
      rate = std::max(rate, index.dependsOn(Index::Kind::Column) ? Rate::Block : index.dependsOn(Index::Kind::Row) ? Rate::Row : Rate::Once);
    return rate;
  }

  const Kernel &kernel_;
  bool exactFunctions_;
  std::unordered_map<const ExprNode *, int> numbers_;
};

} // namespace

Program flatten(const Kernel &kernel, const std::vector<Expr> &roots, bool exactFunctions, bool spreadRoots) {
  Flattener flattener(kernel, exactFunctions);
  for (const Expr &root : roots)
    flattener.program.roots.push_back(flattener.flatten(root));
  Program program = std::move(flattener.program);
  if (spreadRoots)
    for (int root : program.roots)
      if (program.steps[root].rate != Rate::Block)
        program.steps[root].spread = true;
  return program;
}

} // namespace normc::reference
