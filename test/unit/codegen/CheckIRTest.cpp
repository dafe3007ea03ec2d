// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR that may change bits is refused.
#include "test/unit/codegen/SampleIR.h"
#include "test/unit/support/ThrowsCode.h"

namespace normc {
namespace {

BodyIR body(const std::string &operation, const std::string &declarations = "") {
  return sliceBody("body", 8, "float", "float", "  %v = load <8 x float>, ptr %x.at, align 4\n" + operation + "\n  store <8 x float> %w, ptr %y.at, align 4", 0,
                   declarations);
}

testing::AssertionResult refused(const BodyIR &ir, const std::string &message) {
  return throwsCode([&] { variantObject({Target::X86_64_V3, {ir}}); }, DiagCode::InternalError, message);
}

TEST(CheckIR, AcceptsPlainArithmetic) {
  EXPECT_NO_THROW(variantObject({Target::X86_64_V3, {body("  %w = fadd <8 x float> %v, %v")}}));
  EXPECT_NO_THROW(variantObject(
      {Target::X86_64_V3, {body("  %w = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %v)", "declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)\n")}}));
}

TEST(CheckIR, RefusesFastMath) {
  for (const char *flag : {"fast", "reassoc", "contract", "nnan", "ninf", "nsz", "arcp", "afn"})
    EXPECT_TRUE(refused(body("  %w = fadd " + std::string(flag) + " <8 x float> %v, %v"), "a fast-math flag on 'fadd'")) << flag;
  EXPECT_TRUE(refused(body("  %w = fdiv <8 x float> %v, %v, !fpmath !0", "!0 = !{float 2.5}\n"), "!fpmath"));
}

TEST(CheckIR, RefusesFusedOperationsAndEstimates) {
  for (const char *name : {"llvm.fma.v8f32", "llvm.fmuladd.v8f32"})
    EXPECT_TRUE(refused(body("  %w = call <8 x float> @" + std::string(name) + "(<8 x float> %v, <8 x float> %v, <8 x float> %v)",
                             "declare <8 x float> @" + std::string(name) + "(<8 x float>, <8 x float>, <8 x float>)\n"),
                        name));
  for (const char *name : {"llvm.x86.avx.rsqrt.ps.256", "llvm.x86.avx.rcp.ps.256"})
    EXPECT_TRUE(refused(
        body("  %w = call <8 x float> @" + std::string(name) + "(<8 x float> %v)", "declare <8 x float> @" + std::string(name) + "(<8 x float>)\n"), name));
}

TEST(CheckIR, RefusesCallsAndState) {
  EXPECT_TRUE(refused(body("  %w = call <8 x float> @helper(<8 x float> %v)", "declare <8 x float> @helper(<8 x float>)\n"), "a call of 'helper'"));
  EXPECT_TRUE(refused(body("  %w = call <8 x float> %x(<8 x float> %v)"), "a call through a pointer"));
  EXPECT_TRUE(refused(body("  %w = call <8 x float> asm \"vrcpps $1, $0\", \"=x,x\"(<8 x float> %v)"), "inline assembly"));
  EXPECT_TRUE(
      refused(body("  %w = load <8 x float>, ptr @state, align 32", "@state = global <8 x float> zeroinitializer\n"), "the variable 'state' can be written"));
}

/// Multiply and add stay two instructions although the target has fused ones.
TEST(CheckIR, NothingIsContracted) {
  BodyIR ir = body("  %p = fmul <8 x float> %v, %v\n  %w = fadd <8 x float> %p, %v");
  std::string assembly = variantAssembly({Target::X86_64_V3, {ir}});
  EXPECT_EQ(assembly.find("fmadd"), std::string::npos) << assembly;
  EXPECT_NE(assembly.find("vmulps"), std::string::npos) << assembly;
  EXPECT_NO_THROW(variantObject({Target::X86_64_V3, {ir}}));
}

} // namespace
} // namespace normc
