// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this CPU and its operating system support. Reads CPUID; keeps no state.
#pragma once

#include <cstdint>
#include <normc/abi.h>

namespace normc::runtime {

/// The features that the x86-64 psABI levels consist of, in the order of featureName.
enum Feature : uint32_t {
  FeatureCx16,
  FeatureLahf,
  FeaturePopcnt,
  FeatureSse3,
  FeatureSse41,
  FeatureSse42,
  FeatureSsse3,
  FeatureAvx,
  FeatureAvx2,
  FeatureBmi1,
  FeatureBmi2,
  FeatureF16c,
  FeatureFma,
  FeatureLzcnt,
  FeatureMovbe,
  FeatureOsYmm,
  FeatureAvx512f,
  FeatureAvx512bw,
  FeatureAvx512cd,
  FeatureAvx512dq,
  FeatureAvx512vl,
  FeatureOsZmm,
  FeatureCount
};

/// Bits (1 << Feature) that a level adds to the one below; 0 for a value that is no level.
uint32_t levelFeatures(uint32_t isa);

/// "AVX512BW" and the like; the operating system's part is "ymm state saved by the OS".
const char *featureName(uint32_t feature);

/// Source of CPUID and XGETBV results, so that tests can play other machines.
struct CpuSource {
  /// Writes eax, ebx, ecx, edx of (leaf, subleaf).
  void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
  /// XCR0; called only where CPUID reports OSXSAVE.
  uint64_t (*xcr0)(void *context);
  void *context;
};

/// The machine that runs this.
CpuSource thisCpu();

/// Bits (1 << Feature) of what is usable: present in the CPU and, for wide registers, saved by the operating system.
uint32_t detectFeatures(const CpuSource &source);

/// The highest level all of whose features, and those of the levels below, are in `features`; NORMC_ISA_ANY below x86-64-v2.
uint32_t highestLevel(uint32_t features);

/// Bytes of the largest unified cache that CPUID reports (leaf 4 on Intel, 0x8000001D on AMD); 0 where it reports none.
uint64_t largestCacheBytes(const CpuSource &source);

} // namespace normc::runtime
