// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/values_first.h"

#include "compiler/support/error.h"

namespace normc {

using namespace Halide::Internal;

void ValuesFirst::flatten(const Stmt &stmt, std::vector<Step> &steps) {
  if (const auto *block = stmt.as<Block>()) {
    flatten(block->first, steps);
    flatten(block->rest, steps);
  } else if (const auto *let = stmt.as<LetStmt>()) {
    steps.push_back({let->name, let->value, Stmt()});
    flatten(let->body, steps);
  } else {
    steps.push_back({"", Halide::Expr(), mutate(stmt)});
  }
}

const Store *ValuesFirst::outputStore(const Stmt &stmt) const {
  const auto *store = stmt.as<Store>();
  return store && outputs_.count(store->name) ? store : nullptr;
}

/// Whether a piece of straight code stores an output, outside of the loops and branches in it.
bool ValuesFirst::storesOutput(const Stmt &stmt) const {
  if (const auto *block = stmt.as<Block>())
    return storesOutput(block->first) || storesOutput(block->rest);
  if (const auto *let = stmt.as<LetStmt>())
    return storesOutput(let->body);
  return outputStore(stmt) != nullptr;
}

std::vector<ValuesFirst::Step> ValuesFirst::reorder(const std::vector<Step> &steps) const {
  std::vector<Step> ordered, waiting; // waiting: stores whose values have been computed
  auto storeAll = [&] {
    ordered.insert(ordered.end(), waiting.begin(), waiting.end());
    waiting.clear();
  };
  std::set<std::string> waitingFor;
  for (const Step &step : steps) {
    const Store *store = step.stmt.defined() ? outputStore(step.stmt) : nullptr;
    if (!store) {
      if (step.stmt.defined())
        storeAll();
      ordered.push_back(step);
      continue;
    }
    if (waiting.empty())
      waitingFor = outputs_;
    if (!waitingFor.erase(store->name)) {
      storeAll();
      waitingFor = outputs_;
      waitingFor.erase(store->name);
    }
    const std::string value = unique_name(store->name + ".value");
    ordered.push_back({value, store->value, Stmt()});
    waiting.push_back({"", Halide::Expr(),
                       Store::make(store->name, Variable::make(store->value.type(), value), store->index, store->param, store->predicate, store->alignment)});
    if (waitingFor.empty())
      storeAll();
  }
  storeAll();
  return ordered;
}

Stmt ValuesFirst::straightCode(const Stmt &stmt) {
  std::vector<Step> steps;
  flatten(stmt, steps);
  std::set<std::string> names; // each let now reaches to the end, so that no two may have one name
  for (const Step &step : steps)
    if (!step.name.empty() && !names.insert(step.name).second)
      reportBug("Halide's code has two values named '" + step.name + "' in one place");
  Stmt result;
  const std::vector<Step> ordered = reorder(steps);
  for (auto step = ordered.rbegin(); step != ordered.rend(); ++step) {
    if (!step->name.empty())
      result = LetStmt::make(step->name, step->value, result);
    else
      result = result.defined() ? Block::make(step->stmt, result) : step->stmt;
  }
  return result;
}

} // namespace normc
