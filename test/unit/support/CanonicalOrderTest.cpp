// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/canonical_order.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace normc::order {
namespace {

std::string parenthesize(const std::string &a, const std::string &b) { return "(" + a + b + ")"; }

TEST(CanonicalOrder, section4_3_LanesFoldByHalves) {
  EXPECT_EQ(foldLanes(std::vector<std::string>{"a", "b", "c", "d"}, parenthesize), "((ac)(bd))");
  EXPECT_EQ(foldLanes(std::vector<std::string>{"a", "b", "c", "d", "e"}, parenthesize), "(((ae)c)(bd))");
  EXPECT_EQ(foldLanes(std::vector<std::string>{"a"}, parenthesize), "a");
}

TEST(CanonicalOrder, section4_3_PartsFoldNeighboursFirst) {
  EXPECT_EQ(foldTree(std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g"}, parenthesize), "(((ab)(cd))((ef)g))");
  EXPECT_EQ(foldTree(std::vector<std::string>{"a", "b", "c", "d", "e"}, parenthesize), "(((ab)(cd))e)");
}

TEST(CanonicalOrder, section4_3_TheStreamingTreeIsTheSameTree) {
  for (int count = 1; count <= 70; ++count) {
    std::vector<std::string> parts;
    StreamingTree<std::string> tree;
    const auto combine = [](std::string &left, const std::string &right) { left = parenthesize(left, right); };
    for (int i = 0; i < count; ++i) {
      parts.push_back(std::string(1, static_cast<char>('0' + i)));
      tree.push(parts.back(), combine);
    }
    EXPECT_EQ(tree.finish(combine), foldTree(parts, parenthesize));
    EXPECT_TRUE(tree.empty());
  }
}

TEST(CanonicalOrder, section4_3_GroupsOf64SegmentsAreWholeSubtrees) {
  for (int64_t segments : {1, 63, 64, 65, 200, 1000}) {
    std::vector<std::string> parts;
    for (int64_t s = 0; s < segments; ++s)
      parts.push_back("<" + std::to_string(s) + ">");
    std::vector<std::string> groups;
    for (int64_t first = 0; first < segments; first += kGroupSegments)
      groups.push_back(foldTree(std::vector(parts.begin() + first, parts.begin() + std::min(segments, first + kGroupSegments)), parenthesize));
    EXPECT_EQ(foldTree(groups, parenthesize), foldTree(parts, parenthesize));
  }
}

/// How many additions the deepest term passes through, found by doing them.
int64_t measuredDepth(int64_t hidden) {
  std::vector<int64_t> scratch(segmentCount(hidden));
  return foldRow<int64_t>(hidden, [](int64_t) { return 0; }, scratch.data(), [](int64_t a, int64_t b) { return std::max(a, b) + 1; });
}

TEST(CanonicalOrder, section4_8_DepthIsWhatTheErrorBoundRestsOn) {
  for (int64_t hidden : {1, 2, 3, 63, 64, 65, 128, 130, 511, 512, 513, 768, 1024, 1025, 4096, 65536})
    EXPECT_EQ(rowFoldDepth(hidden), measuredDepth(hidden)) << hidden;
  EXPECT_EQ(rowFoldDepth(768), 14);
  EXPECT_EQ(rowFoldDepth(kMaxHidden), 28);
  EXPECT_EQ(columnFoldDepth(4096), 38);
}

TEST(CanonicalOrder, section4_3_ZerosOfEitherSignAreFreeInsideTheTree) {
  // Padding to whole segments and to a power of two of them, with either zero, changes no bit.
  std::mt19937 engine(5);
  std::uniform_int_distribution<int> pick(-2, 2);
  for (int64_t hidden : {1, 5, 64, 70, 513, 1300, 2600})
    for (float pad : {0.f, -0.f}) {
      std::vector<float> terms(hidden);
      for (float &term : terms)
        term = pick(engine) == 0 ? -0.f : static_cast<float>(pick(engine)) * 0.1f;
      std::vector<float> padded = terms;
      padded.resize(4096, pad);
      std::vector<float> scratch(8);
      const float a = canonicalSum<float>(hidden, [&](int64_t i) { return terms[i]; }, scratch.data());
      const float b = canonicalSum<float>(4096, [&](int64_t i) { return padded[i]; }, scratch.data());
      EXPECT_EQ(a, b);
      EXPECT_EQ(std::signbit(a), std::signbit(b));
    }
}

TEST(CanonicalOrder, NoTermsSumToZero) {
  EXPECT_EQ(canonicalSum<float>(0, [](int64_t) { return 1.f; }, nullptr), 0);
  EXPECT_EQ(canonicalColumnSum<float>(0, [](int64_t) { return 1.f; }, nullptr), 0);
}

TEST(CanonicalOrder, ColumnsAddInChunks) {
  float parts[4];
  // 2^24 + 1 is no float: a chunk that starts there stays, one after it is added whole.
  const auto term = [](int64_t row) { return row == 0 ? 0x1p24f : 1.f; };
  EXPECT_EQ(canonicalColumnSum<float>(32, term, parts), 0x1p24f);
  EXPECT_EQ(canonicalColumnSum<float>(64, term, parts), 0x1p24f + 32);
  EXPECT_EQ(canonicalMax<float>(3, [](int64_t i) { return static_cast<float>(i % 2); }, parts), 1);
}

} // namespace
} // namespace normc::order
