// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick tier's share of what the other files do at length: one kernel of each fold and element type, on every target.
#include "test/bits/cover.h"
#include "test/bits/sampled_calls.h"

namespace normc::bits {
namespace {

KernelSpec slice(Op op, DType dtype, int64_t hidden, bool residual) {
  KernelSpec spec;
  spec.op = op;
  spec.dtype = spec.yDtype = dtype;
  spec.hidden = hidden;
  spec.residual = spec.sum = residual;
  spec.weight = Presence::Required;
  spec.bias = op == Op::LayerNorm ? Presence::Required : Presence::Off;
  spec.mean = op == Op::LayerNorm;
  return spec;
}

TEST(SliceTest, StaticWidths_4_3) {
  // sum may be residual, which y must have been read from by then: long conversions and two types show whether it was.
  KernelSpec twoTypes = slice(Op::LayerNorm, DType::F16, 1536, true);
  twoTypes.yDtype = DType::BF16;
  twoTypes.residualRounding = ResidualRounding::Storage;
  // 17 and 65 leave one column to a masked store: LLVM 22 once wrote two.
  Product product({slice(Op::LayerNorm, DType::F32, 768, false), slice(Op::LayerNorm, DType::BF16, 65, true), slice(Op::RMSNorm, DType::F16, 1000, true),
                   slice(Op::RMSNorm, DType::BF16, 17, false), slice(Op::LayerNorm, DType::F16, 5, true), slice(Op::RMSNorm, DType::F32, 4096, true),
                   slice(Op::LayerNorm, DType::F32, 1, false), twoTypes});
  for (size_t i = 0; i < product.specs().size(); ++i)
    checkKernel(product, i, {}, /*calls=*/20, static_cast<uint32_t>(i));
}

TEST(SliceTest, DynamicWidths_4_3) {
  Product product({slice(Op::LayerNorm, DType::F32, 0, true), slice(Op::RMSNorm, DType::BF16, 0, false)});
  for (size_t i = 0; i < product.specs().size(); ++i)
    checkKernel(product, i, {1, 2, 3, 15, 16, 17, 31, 63, 64, 65, 127, 129, 511, 512, 513, 768, 1025, 2047, 2049, 4099, 40000}, /*calls=*/4,
                static_cast<uint32_t>(i));
}

} // namespace
} // namespace normc::bits
