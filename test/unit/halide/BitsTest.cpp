// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer norm and RMS norm in the form that the Halide back end schedules, through Halide's own code generator: design section 4.3.
#include "compiler/stages/norms.h"
#include "test/bits/hostile_rows.h"
#include "test/unit/halide/expect_bits.h"
#include "test/unit/require_target.h"

namespace normc::test {
namespace {

/// Around every power of two and multiple of a vector, lane row, segment and group at which another code path begins.
const std::vector<int64_t> kWidths = {1,   2,   3,   5,    7,    8,    13,   16,   17,   31,   32,   33,   63,   64,   65,   100,  127,  128,  129,
                                      384, 500, 511, 512,  513,  768,  1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099, 32769};
/// The other targets differ from x86-64-v4 in the number of lanes and accumulators only.
const std::vector<int64_t> kFewWidths = {1, 3, 8, 17, 63, 64, 65, 129, 500, 512, 1000, 1024, 1025, 2049, 4099, 32769};

struct Case {
  Target target;
  int64_t hidden;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (Target target : allTargets())
    for (int64_t hidden : target == Target::X86_64_V4 ? kWidths : kFewWidths)
      all.push_back({target, hidden});
  return all;
}

std::string caseName(const testing::TestParamInfo<Case> &info) { return targetSuffix(info.param.target) + "_h" + std::to_string(info.param.hidden); }

Arrays inputsFor(const Kernel &kernel, int64_t rows, int64_t hidden, uint32_t seed) {
  Arrays inputs;
  for (const Input &input : kernel.inputs()) {
    if (input.name == "x")
      inputs["x"] = bits::hostileArray(input.dtype, rows, hidden, seed);
    else if (input.name == "weight")
      inputs["weight"] = bits::hostileWeight(input.dtype, hidden, seed + 1);
    else
      inputs["bias"] = bits::hostileBias(input.dtype, hidden, seed + 2);
  }
  return inputs;
}

Kernel rmsNormKernel(KernelSpec spec) {
  spec.op = Op::RMSNorm;
  spec.bias = Presence::Off;
  spec.mean = false;
  return normKernel(spec, {.weight = true});
}

void check(const Kernel &kernel, const Case &c) {
  const int64_t rows = bits::hostileKinds();
  Arrays inputs = inputsFor(kernel, rows, c.hidden, static_cast<uint32_t>(c.hidden));
  JitKernel compiled(kernel, planFor(c.target, c.hidden), c.target, c.hidden);
  EXPECT_TRUE(givesReferenceBits(kernel, compiled, rows, c.hidden, inputs, {{"eps", 1e-5}}));
  EXPECT_TRUE(givesReferenceBits(kernel, compiled, rows, c.hidden, inputs, {{"eps", 0}})) << "eps = 0";
}

class BitsTest : public testing::TestWithParam<Case> {};

TEST_P(BitsTest, LayerNormGivesTheReferencesBits_4_3) {
  NORMC_REQUIRE_TARGET(targetName(GetParam().target));
  KernelSpec spec;
  spec.hidden = GetParam().hidden;
  check(normKernel(spec, {.weight = true, .bias = true}), GetParam());
}

TEST_P(BitsTest, RmsNormGivesTheReferencesBits_4_3) {
  NORMC_REQUIRE_TARGET(targetName(GetParam().target));
  KernelSpec spec;
  spec.hidden = GetParam().hidden;
  check(rmsNormKernel(spec), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Widths, BitsTest, testing::ValuesIn(cases()), caseName);

class DynamicBitsTest : public testing::TestWithParam<Target> {};

TEST_P(DynamicBitsTest, OneBodyGivesTheReferencesBitsAtEveryWidth_4_3) {
  NORMC_REQUIRE_TARGET(targetName(GetParam()));
  KernelSpec spec;
  Kernel kernel = normKernel(spec, {.weight = true, .bias = true});
  JitKernel compiled(kernel, planFor(GetParam(), 0), GetParam(), 0);
  const int64_t rows = bits::hostileKinds();
  for (int64_t hidden : kWidths)
    EXPECT_TRUE(givesReferenceBits(kernel, compiled, rows, hidden, inputsFor(kernel, rows, hidden, 1), {{"eps", 1e-5}}));
}

INSTANTIATE_TEST_SUITE_P(Targets, DynamicBitsTest, testing::ValuesIn(allTargets()), targetTestName);

} // namespace
} // namespace normc::test
