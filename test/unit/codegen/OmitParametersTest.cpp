// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/codegen/SampleIR.h"
#include "test/unit/support/ThrowsCode.h"

namespace normc {
namespace {

/// y[c] = x[c] * weight[c] + bias[c] for eight columns, elements of `type`, and as many in a masked tail.
BodyIR affineSample(const std::string &type, const std::string &widen, const std::string &narrow) {
  const char *text = R"(
target triple = "x86_64-unknown-linux-gnu"
declare <8 x TYPE> @llvm.masked.load.v8TYPE.p0(ptr, i32, <8 x i1>, <8 x TYPE>)
declare void @llvm.masked.store.v8TYPE.p0(<8 x TYPE>, ptr, i32, <8 x i1>)

define void @full(ptr %slice) {
  %x.at = getelementptr inbounds i8, ptr %slice, i64 X
  %x = load ptr, ptr %x.at, align 8
  %weight.at = getelementptr inbounds i8, ptr %slice, i64 WEIGHT
  %weight = load ptr, ptr %weight.at, align 8
  %bias.at = getelementptr inbounds i8, ptr %slice, i64 BIAS
  %bias = load ptr, ptr %bias.at, align 8
  %y.at = getelementptr inbounds i8, ptr %slice, i64 OUT
  %y = load ptr, ptr %y.at, align 8
  %xv = load <8 x TYPE>, ptr %x, align 2
  %wv = load <8 x TYPE>, ptr %weight, align 2
  %bv = load <8 x TYPE>, ptr %bias, align 2
  WIDEN(x)
  WIDEN(w)
  WIDEN(b)
  %p = fmul <8 x float> %xf, %wf
  %s = fadd <8 x float> %p, %bf
  NARROW
  store <8 x TYPE> %sv, ptr %y, align 2
  %w2.at = getelementptr inbounds TYPE, ptr %weight, i64 8
  %w2 = call <8 x TYPE> @llvm.masked.load.v8TYPE.p0(ptr %w2.at, i32 2, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x TYPE> zeroinitializer)
  %y2.at = getelementptr inbounds TYPE, ptr %y, i64 8
  call void @llvm.masked.store.v8TYPE.p0(<8 x TYPE> %w2, ptr %y2.at, i32 2, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}
)";
  std::string ir = text;
  for (const char *v : {"x", "w", "b"})
    ir = replaceAll(ir, "WIDEN(" + std::string(v) + ")", replaceAll(widen, "V", v));
  ir = replaceAll(ir, "NARROW", narrow);
  ir = replaceAll(ir, "i64 X", "i64 " + std::to_string(offsetof(normc_slice_t, x)));
  ir = replaceAll(ir, "i64 WEIGHT", "i64 " + std::to_string(offsetof(normc_slice_t, weight)));
  ir = replaceAll(ir, "i64 BIAS", "i64 " + std::to_string(offsetof(normc_slice_t, bias)));
  ir = replaceAll(ir, "i64 OUT", "i64 " + std::to_string(offsetof(normc_slice_t, y)));
  return {replaceAll(replaceAll(ir, "v8TYPE", type == "float" ? "v8f32" : "v8i16"), "TYPE", type), "full", 0};
}

BodyIR floats() { return affineSample("float", "%Vf = bitcast <8 x float> %Vv to <8 x float>", "%sv = bitcast <8 x float> %s to <8 x float>"); }

/// bfloat16 as integers, as the Halide back end has it.
BodyIR brainFloats() {
  return affineSample("i16", "%Vz = zext <8 x i16> %Vv to <8 x i32>\n  %Vs = shl <8 x i32> %Vz, splat (i32 16)\n  %Vf = bitcast <8 x i32> %Vs to <8 x float>",
                      "%si = bitcast <8 x float> %s to <8 x i32>\n  %sh = lshr <8 x i32> %si, splat (i32 16)\n  %sv = trunc <8 x i32> %sh to <8 x i16>");
}

std::string without(const BodyIR &body, const std::vector<AbsentParameter> &absent) {
  return variantLLVM({Target::X86_64_V3, {omitParameters(body, absent, "less")}});
}

TEST(OmitParameters, NeutralValuesFoldAway) {
  const AbsentParameter weight{"weight", DType::F32, 1.0f}, bias{"bias", DType::F32, -0.0f};
  const std::string both = without(floats(), {weight, bias});
  EXPECT_EQ(count(both, "fmul"), 0u) << both;
  EXPECT_EQ(count(both, "masked.load"), 0u) << both;
  EXPECT_EQ(count(both, "fadd"), 0u) << both;
  EXPECT_EQ(count(both, "@less"), 1u) << both;

  const std::string noBias = without(floats(), {bias});
  EXPECT_EQ(count(noBias, "fmul"), 1u) << noBias;
  EXPECT_EQ(count(noBias, "masked.load.v8f32.p0("), 2u) << "a declaration and the call: the weight is still read\n" << noBias;
}

TEST(OmitParameters, SixteenBitElementsToo) {
  const std::string both = without(brainFloats(), {{"weight", DType::BF16, 1.0f}, {"bias", DType::BF16, -0.0f}});
  EXPECT_EQ(count(both, "fmul"), 0u) << both;
  EXPECT_EQ(count(both, "fadd"), 0u) << both;
  EXPECT_NE(both.find("i16 16256"), std::string::npos) << "the masked tail stores the bits of 1 in bfloat16\n" << both;
}

TEST(OmitParameters, TheSymbolAndTheAlignmentOfStreamsStay) {
  BodyIR full = floats();
  full.streamAlignment = 32;
  const BodyIR less = omitParameters(full, {{"bias", DType::F32, -0.0f}}, "less");
  EXPECT_EQ(less.function, "less");
  EXPECT_EQ(less.streamAlignment, 32);
}

TEST(OmitParameters, AParameterThatIsNeverReadIsABug) {
  EXPECT_TRUE(throwsCode([] { omitParameters(floats(), {{"residual", DType::F32, 0.0f}}, "less"); }, DiagCode::InternalError, "never reads 'residual'"));
}

TEST(OmitParameters, ElementsOfAnotherSizeAreABug) {
  EXPECT_TRUE(throwsCode([] { omitParameters(floats(), {{"weight", DType::BF16, 1.0f}}, "less"); }, DiagCode::InternalError, "32 bits, expected 16"));
}

} // namespace
} // namespace normc
