// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/stages/norms.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace normc {
namespace {

std::vector<std::string> outputs(const Kernel &kernel) {
  std::vector<std::string> result;
  for (const Stage &stage : kernel.stages())
    if (stage.store)
      result.push_back(stage.store->output + ":" + std::string(dtypeName(stage.store->dtype)));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> inputs(const Kernel &kernel) {
  std::vector<std::string> result;
  for (const Input &input : kernel.inputs())
    result.push_back(input.name + ":" + std::string(dtypeName(input.dtype)));
  return result;
}

int count(const Kernel &kernel, Operator op) {
  int result = 0;
  for (const Stage &stage : kernel.stages())
    forEachNode(stage.expr, [&](const ExprNode &node) { result += node.op == op; });
  return result;
}

using Names = std::vector<std::string>;

TEST(Norms, section3_RolesFollowTheSpec) {
  KernelSpec spec{.dtype = DType::BF16, .paramDtype = DType::F32, .yDtype = DType::F16, .hidden = 8, .residual = true, .sum = true};
  const Kernel layer = normKernel(spec, {.weight = true, .bias = true});
  EXPECT_EQ(inputs(layer), (Names{"x:bf16", "residual:bf16", "weight:f32", "bias:f32"}));
  EXPECT_EQ(outputs(layer), (Names{"mean:f32", "rstd:f32", "sum:bf16", "y:f16"}));
  EXPECT_EQ(layer.scalars(), Names{"eps"});
  spec = {.op = Op::RMSNorm, .hidden = 8, .mean = false, .rstd = false};
  const Kernel rms = normKernel(spec, {});
  EXPECT_EQ(inputs(rms), Names{"x:f32"});
  EXPECT_EQ(outputs(rms), Names{"y:f32"});
}

TEST(Norms, section2_AbsentParametersLeaveNoOperation) {
  const KernelSpec spec{.op = Op::RMSNorm, .hidden = 8, .mean = false};
  const int bare = count(normKernel(spec, {}), Operator::Mul);
  EXPECT_EQ(count(normKernel(spec, {.weight = true}), Operator::Mul), bare + 1);
  EXPECT_EQ(count(normKernel(spec, {.weight = true}), Operator::Add), count(normKernel(spec, {}), Operator::Add));
  const KernelSpec offset{.op = Op::RMSNorm, .hidden = 8, .mean = false, .weightOffset = 1};
  EXPECT_EQ(count(normKernel(offset, {.weight = true}), Operator::Add), count(normKernel(spec, {}), Operator::Add) + 1);
}

TEST(Norms, section4_6_StorageRoundingIsOneOperation) {
  KernelSpec spec{.dtype = DType::BF16, .paramDtype = DType::BF16, .yDtype = DType::BF16, .hidden = 8, .residual = true};
  EXPECT_EQ(count(normKernel(spec, {}), Operator::RoundTo), 0);
  spec.residualRounding = ResidualRounding::Storage;
  EXPECT_EQ(count(normKernel(spec, {}), Operator::RoundTo), 1);
}

} // namespace
} // namespace normc
