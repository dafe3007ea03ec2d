// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/schedule/plan.h"

#include "compiler/support/canonical_order.h"
#include "compiler/support/error.h"

#include <gtest/gtest.h>

#include <set>

namespace normc {
namespace {

constexpr Target kAll[] = {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4};

KernelSpec width(int64_t hidden, DType y = DType::F32) {
  KernelSpec spec;
  spec.hidden = hidden;
  spec.yDtype = y;
  return spec;
}

TEST(Plan, FoldFollowsTheWidth) {
  for (Target target : kAll) {
    EXPECT_EQ(choose(width(0), target).fold, FoldForm::Dynamic);
    EXPECT_EQ(choose(width(1), target).fold, FoldForm::Narrow);
    EXPECT_EQ(choose(width(63), target).fold, FoldForm::Narrow);
    EXPECT_EQ(choose(width(64), target).fold, FoldForm::Static);
    EXPECT_EQ(choose(width(order::kMaxHidden), target).fold, FoldForm::Static);
  }
}

TEST(Plan, NoPlanBeyondTheLimits) {
  EXPECT_THROW(choose(width(order::kMaxHidden + 1), Target::X86_64_V3), Error);
  EXPECT_THROW(choose(width(-1), Target::X86_64_V3), Error);
}

TEST(Plan, LaneGroupsDivideTheLanesIntoWholeVectors) {
  for (Target target : kAll)
    for (int64_t hidden : {0, 1, 63, 64, 768, 1000, 4096}) {
      const Plan plan = choose(width(hidden), target);
      for (int group : {plan.laneGroup, plan.laneGroupShared}) {
        EXPECT_EQ(order::kLanes % group, 0);
        EXPECT_EQ(group % plan.vectorLanes, 0);
      }
      EXPECT_FALSE(plan.reason.empty());
      EXPECT_NE(planText(plan).find("vectors of " + std::to_string(plan.vectorLanes)), std::string::npos);
    }
}

TEST(Plan, OnlyLoopsOverFullSegmentsAreUnrolledAndNotOnAvx512) {
  EXPECT_TRUE(choose(width(4096), Target::X86_64_V2).unrollGroups);
  EXPECT_TRUE(choose(width(4096), Target::X86_64_V3).unrollGroups);
  EXPECT_FALSE(choose(width(4096), Target::X86_64_V4).unrollGroups);
  EXPECT_FALSE(choose(width(1024), Target::X86_64_V3).unrollGroups) << "two segments, written out";
  EXPECT_FALSE(choose(width(4099), Target::X86_64_V3).unrollGroups) << "a partial segment";
  EXPECT_FALSE(choose(width(0), Target::X86_64_V3).unrollGroups);
  KernelSpec half = width(4096);
  half.dtype = DType::F16;
  EXPECT_FALSE(choose(half, Target::X86_64_V2).unrollGroups) << "conversions in integers";
}

TEST(Plan, StreamingNeedsWholeVectorsOfEveryOutput) {
  EXPECT_TRUE(choose(width(0), Target::X86_64_V4).streaming);
  EXPECT_TRUE(choose(width(768), Target::X86_64_V4).streaming);
  EXPECT_FALSE(choose(width(1000), Target::X86_64_V4).streaming);
  EXPECT_TRUE(choose(width(1000), Target::X86_64_V3).streaming);
  EXPECT_FALSE(choose(width(1001), Target::X86_64_V2).streaming);
  EXPECT_FALSE(choose(width(16, DType::BF16), Target::X86_64_V4).streaming) << "a row of 32 bytes is half a vector";
  KernelSpec sum = width(16);
  sum.dtype = DType::F16;
  EXPECT_TRUE(choose(sum, Target::X86_64_V4).streaming) << "only x is narrow, and x is not stored";
  sum.residual = sum.sum = true;
  EXPECT_FALSE(choose(sum, Target::X86_64_V4).streaming) << "sum has rows of 32 bytes";
  EXPECT_EQ(choose(width(1000), Target::X86_64_V4).streamAlignment, 0);
  EXPECT_EQ(choose(width(768), Target::X86_64_V3).streamAlignment, 32);
}

TEST(Target, NamesRoundTrip) {
  std::set<std::string> suffixes;
  for (Target target : kAll) {
    EXPECT_EQ(parseTarget(targetName(target)), target);
    suffixes.insert(targetSuffix(target));
  }
  EXPECT_EQ(suffixes.size(), 3u);
  EXPECT_TRUE(hostRuns(parseTarget("host")));
}

TEST(Target, UnknownNameGetsASuggestion) {
  try {
    parseTarget("x86-64-v5");
    FAIL() << "expected an error";
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), DiagCode::UnknownTarget);
    EXPECT_STREQ(error.what(), "unknown target 'x86-64-v5', expected 'x86-64-v2', 'x86-64-v3', 'x86-64-v4' or 'host'");
    ASSERT_EQ(error.notes().size(), 1u);
    EXPECT_EQ(error.notes()[0], "did you mean 'x86-64-v2'?");
  }
}

} // namespace
} // namespace normc
