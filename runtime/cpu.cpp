// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/cpu.h"

#include <cpuid.h>

namespace normc::runtime {
namespace {

constexpr uint32_t bit(uint32_t feature) { return uint32_t(1) << feature; }

constexpr uint32_t v2Features =
    bit(FeatureCx16) | bit(FeatureLahf) | bit(FeaturePopcnt) | bit(FeatureSse3) | bit(FeatureSse41) | bit(FeatureSse42) | bit(FeatureSsse3);
constexpr uint32_t v3Features = bit(FeatureAvx) | bit(FeatureAvx2) | bit(FeatureBmi1) | bit(FeatureBmi2) | bit(FeatureF16c) | bit(FeatureFma) |
                                bit(FeatureLzcnt) | bit(FeatureMovbe) | bit(FeatureOsYmm);
constexpr uint32_t v4Features =
    bit(FeatureAvx512f) | bit(FeatureAvx512bw) | bit(FeatureAvx512cd) | bit(FeatureAvx512dq) | bit(FeatureAvx512vl) | bit(FeatureOsZmm);

/// XCR0 bits: 1 xmm, 2 ymm, 5 opmask, 6 upper halves of zmm0-15, 7 zmm16-31.
constexpr uint64_t ymmState = 0x06;
constexpr uint64_t zmmState = 0xE6;

enum Register { Eax, Ebx, Ecx, Edx };

struct FeatureBit {
  uint32_t feature;
  Register reg;
  uint32_t position;
};

constexpr FeatureBit leaf1Bits[] = {{FeatureSse3, Ecx, 0},   {FeatureSsse3, Ecx, 9},  {FeatureFma, Ecx, 12},    {FeatureCx16, Ecx, 13}, {FeatureSse41, Ecx, 19},
                                    {FeatureSse42, Ecx, 20}, {FeatureMovbe, Ecx, 22}, {FeaturePopcnt, Ecx, 23}, {FeatureAvx, Ecx, 28},  {FeatureF16c, Ecx, 29}};
constexpr FeatureBit leaf7Bits[] = {{FeatureBmi1, Ebx, 3},      {FeatureAvx2, Ebx, 5},      {FeatureBmi2, Ebx, 8},      {FeatureAvx512f, Ebx, 16},
                                    {FeatureAvx512dq, Ebx, 17}, {FeatureAvx512cd, Ebx, 28}, {FeatureAvx512bw, Ebx, 30}, {FeatureAvx512vl, Ebx, 31}};
constexpr FeatureBit extendedBits[] = {{FeatureLahf, Ecx, 0}, {FeatureLzcnt, Ecx, 5}};
constexpr uint32_t osxsavePosition = 27;

template <unsigned N> uint32_t gather(const FeatureBit (&bits)[N], const uint32_t registers[4]) {
  uint32_t features = 0;
  for (const FeatureBit &entry : bits)
    features |= ((registers[entry.reg] >> entry.position) & 1) << entry.feature;
  return features;
}

void hardwareCpuid(void *, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]) {
  __cpuid_count(leaf, subleaf, registers[Eax], registers[Ebx], registers[Ecx], registers[Edx]);
}

uint64_t hardwareXcr0(void *) {
  uint32_t low = 0, high = 0;
  // xgetbv, spelled as bytes since the mnemonic needs a compiler flag that the rest of the runtime must not have.
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

/// Largest cache of type 3 (unified) among the subleaves of a deterministic cache leaf. The leaf ends with type 0; the bound guards against one that does not.
uint64_t largestOfLeaf(const CpuSource &source, uint32_t leaf) {
  uint64_t largest = 0;
  for (uint32_t subleaf = 0; subleaf < 16; ++subleaf) {
    uint32_t r[4] = {};
    source.cpuid(source.context, leaf, subleaf, r);
    uint32_t type = r[Eax] & 31;
    if (type == 0)
      break;
    uint64_t ways = (r[Ebx] >> 22) + 1, partitions = ((r[Ebx] >> 12) & 0x3FF) + 1, lineBytes = (r[Ebx] & 0xFFF) + 1, sets = uint64_t(r[Ecx]) + 1;
    uint64_t bytes = ways * partitions * lineBytes * sets;
    if (type == 3 && bytes > largest)
      largest = bytes;
  }
  return largest;
}

} // namespace

uint32_t levelFeatures(uint32_t isa) {
  switch (isa) {
  case NORMC_ISA_X86_64_V2:
    return v2Features;
  case NORMC_ISA_X86_64_V3:
    return v3Features;
  case NORMC_ISA_X86_64_V4:
    return v4Features;
  default:
    return 0;
  }
}

const char *featureName(uint32_t feature) {
  static const char *const names[FeatureCount] = {"CMPXCHG16B", "LAHF",
                                                  "POPCNT",     "SSE3",
                                                  "SSE4.1",     "SSE4.2",
                                                  "SSSE3",      "AVX",
                                                  "AVX2",       "BMI1",
                                                  "BMI2",       "F16C",
                                                  "FMA",        "LZCNT",
                                                  "MOVBE",      "ymm state saved by the OS",
                                                  "AVX512F",    "AVX512BW",
                                                  "AVX512CD",   "AVX512DQ",
                                                  "AVX512VL",   "zmm state saved by the OS"};
  return feature < FeatureCount ? names[feature] : "unknown";
}

CpuSource thisCpu() { return {hardwareCpuid, hardwareXcr0, nullptr}; }

uint32_t detectFeatures(const CpuSource &source) {
  uint32_t r[4] = {};
  source.cpuid(source.context, 0, 0, r);
  uint32_t maxLeaf = r[Eax];
  if (maxLeaf < 1)
    return 0;
  source.cpuid(source.context, 1, 0, r);
  uint32_t features = gather(leaf1Bits, r);
  bool osxsave = ((r[Ecx] >> osxsavePosition) & 1) != 0;
  if (maxLeaf >= 7) {
    source.cpuid(source.context, 7, 0, r);
    features |= gather(leaf7Bits, r);
  }
  source.cpuid(source.context, 0x80000000u, 0, r);
  if (r[Eax] >= 0x80000001u) {
    source.cpuid(source.context, 0x80000001u, 0, r);
    features |= gather(extendedBits, r);
  }
  uint64_t state = osxsave ? source.xcr0(source.context) : 0;
  if ((state & ymmState) == ymmState)
    features |= bit(FeatureOsYmm);
  if ((state & zmmState) == zmmState)
    features |= bit(FeatureOsZmm);
  return features;
}

uint32_t highestLevel(uint32_t features) {
  uint32_t level = NORMC_ISA_ANY;
  for (uint32_t next = NORMC_ISA_X86_64_V2; next <= NORMC_ISA_X86_64_V4; ++next) {
    if ((features & levelFeatures(next)) != levelFeatures(next))
      break;
    level = next;
  }
  return level;
}

uint64_t largestCacheBytes(const CpuSource &source) {
  uint32_t r[4] = {};
  source.cpuid(source.context, 0, 0, r);
  uint64_t intel = r[Eax] >= 4 ? largestOfLeaf(source, 4) : 0;
  source.cpuid(source.context, 0x80000000u, 0, r);
  uint64_t amd = r[Eax] >= 0x8000001Du ? largestOfLeaf(source, 0x8000001Du) : 0;
  return intel > amd ? intel : amd;
}

} // namespace normc::runtime
