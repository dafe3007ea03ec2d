// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dynamic kernel, every width: design section 4.3.
#include "compiler/library/library.h"
#include "test/bits/call.h"
#include "test/bits/hostile_rows.h"

namespace normc::bits {
namespace {

std::vector<int64_t> manyWidths() {
  std::vector<int64_t> widths;
  for (int64_t hidden = 1; hidden <= 130; ++hidden)
    widths.push_back(hidden);
  for (int64_t hidden : {255, 256, 257, 384, 511, 512, 513, 768, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099, 50257, 1048579})
    widths.push_back(hidden);
  return widths;
}

/// All kinds of rows, but of the widest widths.
int64_t rowsFor(int64_t hidden) { return hidden > 1 << 20 ? 2 : hostileKinds(); }

/// Every width with every combination of parameters on every target; neighbouring widths take turns in the smaller things.
void checkWidths(const KernelSpec &spec) {
  Product product({spec});
  const std::vector<Sharing> sharings = legalSharings(spec);
  for (int64_t hidden : manyWidths())
    for (unsigned affine : affineCombinations(spec)) {
      Problem problem = makeProblem(product.specs()[0], affine, rowsFor(hidden), hidden, static_cast<uint32_t>(hidden), hidden % 3 ? 1e-5f : 0.0f);
      for (Target target : runnableTargets()) {
        Call call{.target = target};
        ASSERT_TRUE(givesReferenceBits(product, 0, problem, call));
        call.sharing = sharings[static_cast<size_t>(hidden) % sharings.size()];
        call.edge = hidden % 2 ? Edge::PageAfter : Edge::PageBefore;
        call.gap = hidden % 5;
        ASSERT_TRUE(givesReferenceBits(product, 0, problem, call));
      }
    }
}

TEST(DynamicWidthsTest, LayerNormF32_4_3) { checkWidths({}); }

TEST(DynamicWidthsTest, LayerNormBF16_4_3) {
  KernelSpec spec;
  spec.dtype = spec.yDtype = DType::BF16;
  spec.weight = spec.bias = Presence::Required;
  checkWidths(spec);
}

TEST(DynamicWidthsTest, LayerNormF16WithResidualAndSum_4_3) {
  KernelSpec spec;
  spec.dtype = spec.yDtype = spec.paramDtype = DType::F16;
  spec.weight = spec.bias = Presence::Required;
  spec.residual = spec.sum = true;
  checkWidths(spec);
}

TEST(DynamicWidthsTest, RmsNormBF16WithResidualRoundedToStorage_4_3) {
  KernelSpec spec;
  spec.op = Op::RMSNorm;
  spec.dtype = spec.yDtype = spec.paramDtype = DType::BF16;
  spec.weight = Presence::Required;
  spec.bias = Presence::Off;
  spec.residual = spec.sum = true;
  spec.residualRounding = ResidualRounding::Storage;
  spec.mean = false;
  spec.weightOffset = 1;
  checkWidths(spec);
}

} // namespace
} // namespace normc::bits
