// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/schedule/plan.h"

#include "compiler/support/canonical_order.h"

#include <algorithm>

namespace normc {
namespace {

int lanesOf(Target target) { return target == Target::X86_64_V4 ? 16 : target == Target::X86_64_V3 ? 8 : 4; }

} // namespace

Plan choose(const KernelSpec &spec, Target target) {
  Plan plan;
  plan.vectorLanes = lanesOf(target);
  plan.fold = spec.dynamic() ? FoldForm::Dynamic : spec.hidden < order::kLanes ? FoldForm::Narrow : FoldForm::Static;
  // Two folds in one sweep need 2 x 64 / laneGroup accumulators: 8 with 16 lanes, which every target has registers for. One fold needs half of them, so that the
  // narrower targets can keep twice the lanes.
  plan.laneGroupShared = 16;
  plan.laneGroup = target == Target::X86_64_V4 ? 16 : 8;
  // Unrolled loops over lane groups gain 3 to 5 % on the narrower targets where every segment is full, and cost as much elsewhere.
  plan.unrollGroups = target != Target::X86_64_V4 && !spec.dynamic() && spec.hidden % order::kSegment == 0;
  plan.storeUnroll = 4;

  // Streaming stores write whole vectors: rows of y must be a multiple of one, which a static width says now and a dynamic one at run time.
  const int alignment = plan.vectorLanes * 4;
  const int64_t rowBytes = spec.hidden * std::min(dtypeBytes(spec.yDtype), dtypeBytes(spec.dtype));
  plan.streaming = spec.dynamic() || rowBytes % alignment == 0;
  plan.streamAlignment = plan.streaming ? alignment : 0;
  plan.reason = plan.fold == FoldForm::Narrow    ? "at most 63 columns: one element a lane"
                : plan.fold == FoldForm::Dynamic ? "any width: tiers by number of segments"
                                                 : "static width: full segments, then a partial one";
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
