// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan table: one row per kind of width, one per target. Every number in it has its reason beside it.
#include "compiler/schedule/plan.h"

#include "compiler/support/canonical_order.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <array>

namespace normc {
namespace {

/// How a range of widths is folded.
struct FoldRow {
  int64_t first, last; ///< hidden; 0, 0: dynamic
  FoldForm form;
  std::string_view reason;
};

constexpr std::array<FoldRow, 3> kFolds = {{
    {0, 0, FoldForm::Dynamic, "any width: tiers by number of segments, so that short rows do not pay for long ones"},
    {1, order::kLanes - 1, FoldForm::Narrow, "fewer columns than lanes: one element a lane, no partial sums"},
    {order::kLanes, order::kMaxHidden, FoldForm::Static, "static width: full segments in loops of known length, then a partial one"},
}};

/// How a target's registers are used.
struct TargetRow {
  Target target;
  int vectorLanes;
  int laneGroup;
  int laneGroupShared;
  bool unrollSegmentLoop; ///< where every segment of a row is full and there are enough for a loop
};

/// A sweep keeps 64 / laneGroup accumulators a fold in registers, for one vector of the group at a time. Two folds share the second sweep of layer norm: with 16
/// lanes each they take 8 registers, which every target has. With one fold 8 lanes x 8 groups do as well on the targets of 16 registers, in fewer passes over a
/// segment. Where a loop over full segments is all there is, unrolling its body gains 2 to 4 % on SSE and AVX2 (4096 and 65536 columns) and nothing on AVX-512;
/// segments written out one after another (512 to 2048 columns) lose up to 3 % by it and grow fivefold.
constexpr std::array<TargetRow, 3> kTargets = {{
    {Target::X86_64_V2, 4, 8, 16, true},
    {Target::X86_64_V3, 8, 8, 16, true},
    {Target::X86_64_V4, 16, 16, 16, false},
}};

/// The sums of so many segments stay in registers; sums in an array cost a store-forwarding stall each.
constexpr int kStraightSegments = 4;

/// Vectors of y an iteration of the last sweep writes: 4 hide the latency of its five dependent operations; 1 and 8 measured the same or worse.
constexpr int kStoreUnroll = 4;

const FoldRow &foldRow(int64_t hidden) {
  for (const FoldRow &row : kFolds)
    if (row.first <= hidden && hidden <= row.last)
      return row;
  reportBug("no plan for hidden " + std::to_string(hidden));
}

} // namespace

Plan choose(const KernelSpec &spec, Target target) {
  const FoldRow &fold = foldRow(spec.hidden);
  const TargetRow &machine = kTargets[static_cast<size_t>(target)];
  Plan plan;
  plan.fold = fold.form;
  plan.vectorLanes = machine.vectorLanes;
  plan.laneGroup = machine.laneGroup;
  plan.laneGroupShared = machine.laneGroupShared;
  plan.straightSegments = kStraightSegments;
  // Only float32 was measured, and integer conversions of f16 make unrolled bodies of tens of thousands of instructions.
  plan.unrollGroups = machine.unrollSegmentLoop && spec.dtype == DType::F32 && fold.form == FoldForm::Static && spec.hidden % order::kSegment == 0 &&
                      order::segmentCount(spec.hidden) > kStraightSegments;
  plan.storeUnroll = kStoreUnroll;

  // Streaming stores write whole vectors: rows of y (and sum) must be a multiple of one, which a static width says now and a dynamic one at run time.
  const int alignment = plan.vectorLanes * 4;
  const int64_t rowBytes = spec.hidden * std::min(dtypeBytes(spec.yDtype), spec.sum ? dtypeBytes(spec.dtype) : dtypeBytes(spec.yDtype));
  plan.streaming = spec.dynamic() || rowBytes % alignment == 0;
  plan.streamAlignment = plan.streaming ? alignment : 0;
  plan.reason = fold.reason;
  return plan;
}

std::string planText(const Plan &plan) {
  std::string text = plan.fold == FoldForm::Narrow ? "narrow fold" : plan.fold == FoldForm::Dynamic ? "dynamic fold" : "static fold";
  text += ", vectors of " + std::to_string(plan.vectorLanes) + ", lane groups of " + std::to_string(plan.laneGroup) + " (shared sweeps " +
          std::to_string(plan.laneGroupShared) + ")" + (plan.unrollGroups ? ", unrolled" : "") + ", " + std::to_string(plan.storeUnroll) + " vectors a store";
  if (plan.streaming)
    text += ", streaming at " + std::to_string(plan.streamAlignment) + " bytes";
  return text;
}

} // namespace normc
