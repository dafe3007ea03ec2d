// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one width each, as one library of many widths: design sections 4.3 and 6.
#include "compiler/library/library.h"
#include "test/bits/call.h"
#include "test/bits/hostile_rows.h"

namespace normc::bits {
namespace {

const std::vector<int64_t> kWidths = {1,   2,   3,   7,   16,   31,   63,   64,   65,   96,   128,  200,   384,
                                      511, 512, 513, 768, 1000, 1024, 1025, 2048, 2049, 4096, 5120, 32768, 33333};

/// Every width on every target, by its own entry and by that of the set, with some other layout each time.
void checkWidths(KernelSpec common) {
  std::vector<KernelSpec> specs;
  for (int64_t hidden : kWidths) {
    specs.push_back(common);
    specs.back().hidden = hidden;
  }
  Product product(specs);
  for (size_t i = 0; i < kWidths.size(); ++i)
    for (unsigned affine : affineCombinations(common)) {
      Problem problem = makeProblem(product.specs()[i], affine, hostileKinds(), kWidths[i], static_cast<uint32_t>(i), i % 4 ? 1e-5f : 0.0f);
      const std::vector<Sharing> sharings = legalSharings(common);
      for (Target target : runnableTargets()) {
        ASSERT_TRUE(givesReferenceBits(product, i, problem, {.target = target}));
        Call call{.target = target,
                  .gap = static_cast<int64_t>(i % 4),
                  .innerRows = 5,
                  .outerGap = 3,
                  .edge = i % 2 ? Edge::PageBefore : Edge::PageAfter,
                  .throughSet = true};
        call.sharing = sharings[i % sharings.size()];
        ASSERT_TRUE(givesReferenceBits(product, i, problem, call));
      }
    }
}

TEST(StaticWidthsTest, LayerNormF32_4_3) {
  KernelSpec spec;
  spec.weight = Presence::Optional;
  spec.bias = Presence::Required;
  checkWidths(spec);
}

TEST(StaticWidthsTest, LayerNormBF16WithResidualAndSum_4_3) {
  KernelSpec spec;
  spec.dtype = spec.yDtype = DType::BF16;
  spec.weight = spec.bias = Presence::Required;
  spec.residual = spec.sum = true;
  checkWidths(spec);
}

TEST(StaticWidthsTest, RmsNormF16_4_3) {
  KernelSpec spec;
  spec.op = Op::RMSNorm;
  spec.dtype = spec.yDtype = spec.paramDtype = DType::F16;
  spec.weight = Presence::Required;
  spec.bias = Presence::Off;
  spec.mean = false;
  checkWidths(spec);
}

} // namespace
} // namespace normc::bits
