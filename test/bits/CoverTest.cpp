// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every option with every other: design sections 3 and 4.
#include "test/bits/cover.h"
#include "test/bits/sampled_calls.h"

#include <cstdio>
#include <ostream>

namespace normc {

/// How GoogleTest shows the parameter of a test.
void PrintTo(const KernelSpec &spec, std::ostream *stream) { *stream << canonicalSpelling(spec); }

namespace bits {
namespace {

TEST(PairwiseCoverTest, HoldsEveryPairThatSomeKernelHas) {
  const std::vector<Choice> cover = pairwiseCover(allKernels(), coverSeed());
  EXPECT_EQ(countPairs(cover), countPairs(allKernels()));
  EXPECT_LT(cover.size(), 60u);
  EXPECT_GT(allKernels().size(), 5000u);
}

class CoverTest : public testing::TestWithParam<KernelSpec> {
protected:
  static void SetUpTestSuite() { std::printf("a cover of %zu kernels from seed %u (NORMC_BITS_SEED)\n", coverSpecs().size(), coverSeed()); }
};

TEST_P(CoverTest, GivesTheReferencesBits_4_3) {
  SCOPED_TRACE(canonicalSpelling(GetParam()));
  Product product({GetParam()});
  checkKernel(product, 0, {77, 1024, 5001}, /*calls=*/6, coverSeed());
}

INSTANTIATE_TEST_SUITE_P(Kernels, CoverTest, testing::ValuesIn(coverSpecs()),
                         [](const auto &info) { return defaultName(info.param) + "_" + std::to_string(info.index); });

} // namespace
} // namespace bits
} // namespace normc
