// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detection, played through made-up CPUs, and this one against the compiler's own view of it.

#include "runtime/cpu.h"
#include "runtime/policy.h"

#include "test/unit/runtime/FakeKernel.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <utility>

namespace normc::runtime::test {
namespace {

struct FakeCpu {
  std::map<std::pair<uint32_t, uint32_t>, std::array<uint32_t, 4>> leaves;
  uint64_t xcr0 = 0;
  int xcr0Reads = 0;

  CpuSource source() {
    return {[](void *self, uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
              auto &leaves = static_cast<FakeCpu *>(self)->leaves;
              auto found = leaves.find({leaf, subleaf});
              for (int i = 0; i < 4; ++i)
                r[i] = found == leaves.end() ? 0 : found->second[size_t(i)];
            },
            [](void *self) {
              ++static_cast<FakeCpu *>(self)->xcr0Reads;
              return static_cast<FakeCpu *>(self)->xcr0;
            },
            this};
  }
};

constexpr uint32_t osxsave = 1u << 27;

FakeCpu fullV4() {
  FakeCpu cpu;
  cpu.leaves[{0, 0}] = {7, 0, 0, 0};
  cpu.leaves[{1, 0}] = {
      0, 0, (1u << 0) | (1u << 9) | (1u << 12) | (1u << 13) | (1u << 19) | (1u << 20) | (1u << 22) | (1u << 23) | osxsave | (1u << 28) | (1u << 29), 0};
  cpu.leaves[{7, 0}] = {0, (1u << 3) | (1u << 5) | (1u << 8) | (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30) | (1u << 31), 0, 0};
  cpu.leaves[{0x80000000u, 0}] = {0x80000001u, 0, 0, 0};
  cpu.leaves[{0x80000001u, 0}] = {0, 0, (1u << 0) | (1u << 5), 0};
  cpu.xcr0 = 0xE7;
  return cpu;
}

uint32_t levelOf(FakeCpu cpu) { return highestLevel(detectFeatures(cpu.source())); }

TEST(Cpu, FullV4) { EXPECT_EQ(levelOf(fullV4()), uint32_t(NORMC_ISA_X86_64_V4)); }

TEST(Cpu, EveryFeatureOfALevelCounts) {
  struct Case {
    uint32_t leaf;
    size_t reg;
    uint32_t bit;
    uint32_t levelWithout;
  };
  const Case cases[] = {
      {1, 2, 0, NORMC_ISA_ANY},        {1, 2, 9, NORMC_ISA_ANY},        {1, 2, 13, NORMC_ISA_ANY},          {1, 2, 19, NORMC_ISA_ANY},
      {1, 2, 20, NORMC_ISA_ANY},       {1, 2, 23, NORMC_ISA_ANY},       {0x80000001u, 2, 0, NORMC_ISA_ANY}, {1, 2, 12, NORMC_ISA_X86_64_V2},
      {1, 2, 22, NORMC_ISA_X86_64_V2}, {1, 2, 27, NORMC_ISA_X86_64_V2}, {1, 2, 28, NORMC_ISA_X86_64_V2},    {1, 2, 29, NORMC_ISA_X86_64_V2},
      {7, 1, 3, NORMC_ISA_X86_64_V2},  {7, 1, 5, NORMC_ISA_X86_64_V2},  {7, 1, 8, NORMC_ISA_X86_64_V2},     {0x80000001u, 2, 5, NORMC_ISA_X86_64_V2},
      {7, 1, 16, NORMC_ISA_X86_64_V3}, {7, 1, 17, NORMC_ISA_X86_64_V3}, {7, 1, 28, NORMC_ISA_X86_64_V3},    {7, 1, 30, NORMC_ISA_X86_64_V3},
      {7, 1, 31, NORMC_ISA_X86_64_V3},
  };
  for (const Case &without : cases) {
    FakeCpu cpu = fullV4();
    uint32_t &reg = cpu.leaves[{without.leaf, 0}][without.reg];
    ASSERT_NE(reg & (1u << without.bit), 0u);
    reg &= ~(1u << without.bit);
    EXPECT_EQ(levelOf(cpu), without.levelWithout) << "leaf " << without.leaf << " bit " << without.bit;
  }
}

TEST(Cpu, StateThatTheOperatingSystemDoesNotSave) {
  FakeCpu cpu = fullV4();
  for (uint64_t missing : {0x20u, 0x40u, 0x80u}) {
    cpu.xcr0 = 0xE7 & ~missing;
    EXPECT_EQ(levelOf(cpu), uint32_t(NORMC_ISA_X86_64_V3));
  }
  cpu.xcr0 = 0x3;
  EXPECT_EQ(levelOf(cpu), uint32_t(NORMC_ISA_X86_64_V2));
}

TEST(Cpu, Xgetbv) {
  FakeCpu cpu = fullV4();
  detectFeatures(cpu.source());
  EXPECT_EQ(cpu.xcr0Reads, 1);
  cpu = fullV4();
  cpu.leaves[{1, 0}][2] &= ~osxsave;
  detectFeatures(cpu.source());
  EXPECT_EQ(cpu.xcr0Reads, 0) << "it faults where the operating system has not enabled it";
}

TEST(Cpu, LeavesBeyondTheLastAreNotTrusted) {
  FakeCpu cpu = fullV4();
  cpu.leaves[{0, 0}][0] = 6;
  EXPECT_EQ(levelOf(cpu), uint32_t(NORMC_ISA_X86_64_V2));
  cpu = fullV4();
  cpu.leaves[{0x80000000u, 0}][0] = 0x80000000u;
  EXPECT_EQ(levelOf(cpu), uint32_t(NORMC_ISA_ANY));
  cpu = fullV4();
  cpu.leaves[{0, 0}][0] = 0;
  EXPECT_EQ(levelOf(cpu), uint32_t(NORMC_ISA_ANY));
}

TEST(Cpu, NamesAreDistinct) {
  std::map<std::string, uint32_t> names;
  for (uint32_t feature = 0; feature < FeatureCount; ++feature)
    EXPECT_TRUE(names.emplace(featureName(feature), feature).second);
  EXPECT_STREQ(featureName(FeatureCount), "unknown");
  EXPECT_STREQ(featureName(FeatureAvx512bw), "AVX512BW");
  EXPECT_STREQ(featureName(FeatureOsYmm), "ymm state saved by the OS");
}

TEST(Cpu, ThisMachineAgreesWithTheCompilersView) {
  uint32_t features = detectFeatures(thisCpu());
  EXPECT_EQ((features >> FeatureSse41) & 1, uint32_t(__builtin_cpu_supports("sse4.1") != 0));
  EXPECT_EQ((features >> FeatureAvx) & (features >> FeatureOsYmm) & 1, uint32_t(__builtin_cpu_supports("avx") != 0));
  EXPECT_EQ((features >> FeatureAvx2) & (features >> FeatureOsYmm) & 1, uint32_t(__builtin_cpu_supports("avx2") != 0));
  EXPECT_EQ((features >> FeatureFma) & (features >> FeatureOsYmm) & 1, uint32_t(__builtin_cpu_supports("fma") != 0));
  EXPECT_EQ((features >> FeatureBmi2) & 1, uint32_t(__builtin_cpu_supports("bmi2") != 0));
  EXPECT_EQ((features >> FeatureAvx512bw) & (features >> FeatureOsZmm) & 1, uint32_t(__builtin_cpu_supports("avx512bw") != 0));
  EXPECT_EQ((features >> FeatureAvx512vl) & (features >> FeatureOsZmm) & 1, uint32_t(__builtin_cpu_supports("avx512vl") != 0));
}

/// Registers of a cache: type, ways, partitions, line bytes, sets.
std::array<uint32_t, 4> cacheLeaf(uint32_t type, uint32_t ways, uint32_t line, uint32_t sets) { return {type, ((ways - 1) << 22) | (line - 1), sets - 1, 0}; }

TEST(Cpu, LargestCacheOfIntelAndAmd) {
  for (uint32_t leaf : {4u, 0x8000001Du}) {
    FakeCpu cpu = fullV4();
    cpu.leaves[{0x80000000u, 0}][0] = 0x8000001Eu;
    if (leaf != 4) {
      EXPECT_EQ(largestCacheBytes(cpu.source()), 0u);
    }
    cpu.leaves[{leaf, 0}] = cacheLeaf(1, 8, 64, 64);
    cpu.leaves[{leaf, 1}] = cacheLeaf(2, 8, 64, 1 << 20); // instructions: does not count
    cpu.leaves[{leaf, 2}] = cacheLeaf(3, 8, 64, 2048);
    cpu.leaves[{leaf, 3}] = cacheLeaf(3, 16, 64, 32768);
    EXPECT_EQ(largestCacheBytes(cpu.source()), uint64_t(32) << 20);
  }
}

TEST(Cpu, CacheLeafWithoutEnd) {
  FakeCpu cpu = fullV4();
  for (uint32_t subleaf = 0; subleaf < 1000; ++subleaf)
    cpu.leaves[{4, subleaf}] = cacheLeaf(3, 8, 64, 1024 + subleaf);
  EXPECT_EQ(largestCacheBytes(cpu.source()), uint64_t(8) * 64 * (1024 + 15));
}

TEST(Cpu, WordHoldsWhatItIsGiven) {
  uint32_t features = featuresUpTo(NORMC_ISA_X86_64_V4) & ~(1u << FeatureAvx512cd);
  State state(features, (uint64_t(77) << 20) + 5, NORMC_ISA_X86_64_V2, NORMC_LIMIT_ENVIRONMENT, true);
  EXPECT_TRUE(state.ready());
  EXPECT_TRUE(state.badEnvironment());
  EXPECT_EQ(state.detected(), uint32_t(NORMC_ISA_X86_64_V3));
  EXPECT_EQ(state.limit(), uint32_t(NORMC_ISA_X86_64_V2));
  EXPECT_EQ(state.limitSource(), uint32_t(NORMC_LIMIT_ENVIRONMENT));
  EXPECT_EQ(state.missingFeatures(), 1u << FeatureAvx512cd);
  EXPECT_EQ(state.cacheBytes(), uint64_t(77) << 20);
  State limited = state.withProcessLimit(NORMC_ISA_X86_64_V4);
  EXPECT_FALSE(limited.badEnvironment());
  EXPECT_EQ(limited.limit(), uint32_t(NORMC_ISA_X86_64_V4));
  EXPECT_EQ(limited.limitSource(), uint32_t(NORMC_LIMIT_PROCESS));
  EXPECT_EQ(limited.missingFeatures(), state.missingFeatures());
  EXPECT_EQ(limited.cacheBytes(), state.cacheBytes());
  EXPECT_EQ(State(features, ~uint64_t(0), 0, 0, false).cacheBytes(), ((uint64_t(1) << 24) - 1) << 16) << "saturates";
}

} // namespace
} // namespace normc::runtime::test
