// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/tail.h"

#include "compiler/support/canonical_order.h"

#include <algorithm>

namespace normc {
namespace {

using Halide::Func;
using Halide::RDom;
using Halide::Var;
using HExpr = Halide::Expr;

constexpr int kLanes = static_cast<int>(order::kLanes);

} // namespace

HExpr TailCopies::read(const ExprNode &load, const Position &at) {
  bool alongColumns = std::any_of(load.indices.begin(), load.indices.end(), [](const Index &index) { return index.dependsOn(Index::Kind::Column); });
  if (!alongColumns)
    return loader_(load, at);
  Func buffer = copy(load);
  HExpr lane = loop_.hidden > 0 ? at.column : at.column + kLanes - tailColumns(loop_);
  return buffer(lane, at.row);
}

Func TailCopies::copy(const ExprNode &load) {
  std::string key = kernel_.inputs()[load.id].name;
  for (const Index &index : load.indices)
    key.append("[").append(index.text()).append("]");
  if (auto found = copies_.find(key); found != copies_.end())
    return found->second;

  const int lanes = loop_.hidden > 0 ? kLanes : 2 * kLanes;
  Var j("j");
  Func buffer(kernel_.inputs()[load.id].name + "_tail");
  buffer(j, loop_.row) = Halide::cast(storageType(kernel_.inputs()[load.id].dtype), 0);
  buffer.compute_at(loop_.level).store_in(Halide::MemoryType::Stack).bound(j, 0, lanes).bound_storage(j, lanes).bound_storage(loop_.row, 1);
  buffer.vectorize(j, loop_.plan->vectorLanes);
  if (loop_.hidden > 0)
    copyStatic(buffer, load);
  else
    copyDynamic(buffer, load);
  copies_.emplace(key, buffer);
  return buffer;
}

/// In chunks of a power of two, so that no copy needs a mask.
void TailCopies::copyStatic(Func buffer, const ExprNode &load) const {
  const int tail = static_cast<int>(loop_.hidden % kLanes), start = static_cast<int>(loop_.hidden) - tail;
  int update = 0;
  for (int offset = 0, size = kLanes / 2; size > 0; size /= 2) {
    if (!(tail & size))
      continue;
    RDom r(offset, size, "chunk");
    buffer(r.x, loop_.row) = loader_(load, {loop_.row, start + r.x});
    if (size > 1)
      buffer.update(update).vectorize(r.x, std::min(size, loop_.plan->vectorLanes));
    else
      buffer.update(update).unscheduled();
    ++update;
    offset += size;
  }
}

/// Where the row has at least 64 columns, the last 64 as they stand: lane l of the tail is then element l + 64 - tail. A shorter row is copied to the same
/// place column by column.
void TailCopies::copyDynamic(Func buffer, const ExprNode &load) const {
  RDom wide(0, kLanes, 0, 1, "wide");
  wide.where(loop_.columns >= kLanes);
  buffer(wide.x, loop_.row) = loader_(load, {loop_.row + wide.y, loop_.columns - kLanes + wide.x});
  buffer.update(0).vectorize(wide.x, loop_.plan->vectorLanes);
  RDom narrow(0, Halide::min(loop_.columns, kLanes - 1), 0, 1, "narrow");
  narrow.where(loop_.columns < kLanes);
  HExpr place = Halide::clamp(kLanes - loop_.columns + narrow.x, 0, kLanes - 1);
  buffer(place, loop_.row) = loader_(load, {loop_.row + narrow.y, narrow.x});
  buffer.update(1).unscheduled();
}

} // namespace normc
