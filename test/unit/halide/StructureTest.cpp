// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiled bodies hold and do not hold, whatever their results: nothing that rounds otherwise, nothing that needs a library, no needless pass over x.
#include "compiler/codegen/body.h"
#include "compiler/stages/norms.h"
#include "test/unit/halide/ir_facts.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace normc::test {
namespace {

KernelSpec spec(Op op, int64_t hidden, DType dtype, DType yDtype, DType paramDtype, bool residual = false) {
  KernelSpec result;
  result.op = op;
  result.hidden = hidden;
  result.dtype = dtype;
  result.yDtype = yDtype;
  result.paramDtype = paramDtype;
  result.residual = result.sum = residual;
  if (op == Op::RMSNorm) {
    result.bias = Presence::Off;
    result.mean = false;
  }
  return result;
}

KernelSpec plain(int64_t hidden, DType dtype = DType::F32) { return spec(Op::LayerNorm, hidden, dtype, dtype, dtype); }

/// All widths of code: narrow, one segment, a partial one, many; all element types; with and without residual; static and dynamic.
std::vector<KernelSpec> spread() {
  std::vector<KernelSpec> specs = {plain(1),
                                   plain(48, DType::BF16),
                                   plain(768),
                                   plain(32769, DType::F16),
                                   plain(0),
                                   spec(Op::RMSNorm, 65, DType::F16, DType::F16, DType::F32, true),
                                   spec(Op::RMSNorm, 4096, DType::BF16, DType::F32, DType::BF16),
                                   spec(Op::LayerNorm, 1000, DType::F32, DType::BF16, DType::F32, true),
                                   spec(Op::RMSNorm, 0, DType::BF16, DType::F16, DType::F32, true)};
  specs[7].residualRounding = ResidualRounding::Storage;
  specs[6].weightOffset = 1;
  return specs;
}

/// The kernel with every parameter it can have, as one variant with the streaming body where the plan has one.
VariantIR variantOf(const KernelSpec &spec, Target target) {
  const Plan plan = choose(spec, target);
  const Kernel kernel = normKernel(spec, {.weight = true, .bias = spec.bias != Presence::Off});
  BodyIR body = fromHalide(lowerWithHalide(kernel, plan, target, spec.hidden, "body"), target);
  body.streamAlignment = plan.streamAlignment;
  return {target, {body}};
}

bool contains(const std::string &text, const char *pattern) { return std::regex_search(text, std::regex(pattern)); }

class StructureTest : public testing::TestWithParam<Target> {};

TEST_P(StructureTest, NothingRoundsOtherwiseAndNothingIsNeeded_4_4) {
  for (const KernelSpec &spec : spread()) {
    SCOPED_TRACE(canonicalSpelling(spec));
    VariantIR variant = variantOf(spec, GetParam());
    const std::string ir = variantLLVM(variant), assembly = variantAssembly(variant);
    EXPECT_FALSE(contains(ir, "= (fneg|fadd|fsub|fmul|fdiv|frem|fcmp|call|select|phi) [^\n]*\\b(fast|reassoc|nnan|ninf|nsz|arcp|contract|afn)\\b"));
    EXPECT_FALSE(contains(ir, "@llvm\\.fma|@llvm\\.fmuladd|@llvm\\.(max|min)num|!fpmath|halide"));
    EXPECT_FALSE(contains(assembly, "\tv?f(n?)m(add|sub)[0-9]|\tv?rcp|\tv?rsqrt"));
    VariantObject object = variantObject(variant);
    for (const std::string &symbol : undefinedSymbols(object.object))
      EXPECT_TRUE(symbol == "memcpy" || symbol == "memset") << symbol;
    std::optional<int64_t> stack = stackBytes(ir, "body");
    ASSERT_TRUE(stack.has_value()) << "the size of the stack depends on the call";
    EXPECT_LE(*stack, 16 << 10);
    EXPECT_EQ(object.symbols.size(), variant.bodies[0].streamAlignment == 0 ? 1u : 2u);
  }
}

/// The bytes of x that a call loads per row, of those that a row has.
void expectReads(const KernelSpec &spec, Target target, int64_t times) {
  std::optional<int64_t> bytes = loadedBytesPerRow(variantLLVM(variantOf(spec, target)), "body", "x");
  ASSERT_TRUE(bytes.has_value()) << spec.hidden;
  const int64_t row = spec.hidden * dtypeBytes(spec.dtype);
  EXPECT_GE(*bytes, row) << spec.hidden;
  EXPECT_LE(*bytes, times * row) << spec.hidden;
}

TEST_P(StructureTest, LayerNormReadsXAtMostThreeTimesAndRmsNormTwice) {
  for (int64_t hidden : {64, 768, 1024, 4096, 65536}) {
    expectReads(plain(hidden), GetParam(), 3);
    expectReads(spec(Op::RMSNorm, hidden, DType::BF16, DType::BF16, DType::BF16), GetParam(), 2);
  }
}

/// sum may be residual, and y is computed from residual: at no place may sum be stored before all that y needs there has been read.
TEST_P(StructureTest, NothingIsReadBetweenTheStoresOfSumAndY_6) {
  for (int64_t hidden : {1, 65, 1000, 0}) {
    KernelSpec both = spec(Op::LayerNorm, hidden, DType::F16, DType::BF16, DType::F32, /*residual=*/true);
    both.residualRounding = ResidualRounding::Storage;
    std::istringstream statement(halideStatement(normKernel(both, {}), choose(both, GetParam()), GetParam(), hidden, "body"));
    int stores = 0;
    bool between = false;
    for (std::string line; std::getline(statement, line);) {
      const bool storesSum = contains(line, "^ *sum_y[^ ]*\\.0\\["), storesY = contains(line, "^ *sum_y[^ ]*\\.1\\[");
      stores += storesSum;
      between = (between || storesSum) && !storesY;
      EXPECT_FALSE(between && contains(line, "\\b(x|residual)(\\$[0-9]+)?\\[")) << hidden << ": " << line;
    }
    EXPECT_GT(stores, 0) << hidden;
    EXPECT_FALSE(between) << hidden;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, StructureTest, testing::Values(Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4),
                         [](const auto &info) { return targetSuffix(info.param); });

TEST(StructureOfTargetsTest, EachUsesItsOwnVectorsOnly) {
  const std::string v2 = variantAssembly(variantOf(plain(768), Target::X86_64_V2)), v3 = variantAssembly(variantOf(plain(768), Target::X86_64_V3)),
                    v4 = variantAssembly(variantOf(plain(768), Target::X86_64_V4));
  EXPECT_FALSE(contains(v2, "%ymm|%zmm|\tv[a-z]"));
  EXPECT_TRUE(contains(v3, "%ymm") && !contains(v3, "%zmm"));
  EXPECT_TRUE(contains(v4, "%zmm"));
}

TEST(StructureOfTargetsTest, SumsStayInRegisters) {
  // A sum that passes through memory between two levels of a fold is put together again with vpextrq.
  for (int64_t hidden : {768, 1024, 4096})
    EXPECT_FALSE(contains(variantAssembly(variantOf(plain(hidden), Target::X86_64_V4)), "vpextrq")) << hidden;
}

TEST(StructureOfTargetsTest, F16IsConvertedByTheHardwareThatCan) {
  EXPECT_FALSE(contains(variantAssembly(variantOf(plain(768, DType::F16), Target::X86_64_V2)), "vcvtph2ps|vcvtps2ph"));
  for (Target target : {Target::X86_64_V3, Target::X86_64_V4}) {
    const std::string assembly = variantAssembly(variantOf(plain(768, DType::F16), target));
    EXPECT_TRUE(contains(assembly, "vcvtph2ps") && contains(assembly, "vcvtps2ph")) << targetName(target);
  }
}

} // namespace
} // namespace normc::test
