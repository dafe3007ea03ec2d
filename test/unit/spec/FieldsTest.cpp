// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/fields.h"
#include "test/unit/support/ThrowsCode.h"

#include <cfloat>
#include <cmath>

namespace normc {
namespace {

KernelRequest with(std::string_view flag, std::string_view text) {
  KernelRequest request;
  setField(request, kernelField(flag), text);
  return request;
}

TEST(Fields, NamesOfOneFieldFollowFromItsFlag) {
  for (const Field &field : kernelFields()) {
    std::string json(field.flag), cmake(field.flag);
    for (char &c : json)
      c = c == '-' ? '_' : c;
    for (char &c : cmake)
      c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
    // Several targets are the rule in files, one on the command line.
    const std::string plural = field.flag == "target" ? "s" : "";
    EXPECT_EQ(field.json, json + plural);
    EXPECT_EQ(field.cmake, cmake + (plural.empty() ? "" : "S"));
    EXPECT_FALSE(field.help.empty());
    EXPECT_EQ(field.metavar.empty(), field.kind == FieldKind::Switch) << field.flag;
    EXPECT_EQ(&kernelField(field.flag), &field);
  }
}

TEST(Fields, UnknownFlagIsABug) {
  EXPECT_TRUE(throwsCode([] { kernelField("nonsense"); }, DiagCode::InternalError, "nonsense"));
}

TEST(Fields, HiddenTakesListsAndDynamic) {
  EXPECT_EQ(with("hidden", "768").hidden, (std::vector<int64_t>{768}));
  EXPECT_EQ(with("hidden", "768, 1024,dynamic").hidden, (std::vector<int64_t>{768, 1024, 0}));
  EXPECT_EQ(with("hidden", "16777216").hidden, (std::vector<int64_t>{16777216}));
  EXPECT_TRUE(with("hidden", "1").has("hidden"));
}

TEST(Fields, HiddenRefusesWhatIsNoWidth) {
  for (const char *text : {"0", "-1", "-9223372036854775809", "x", "7x", "", "1.5", "dinamic", "0x10", " "})
    EXPECT_TRUE(throwsCode([&] { with("hidden", text); }, *text && *text != ' ' ? DiagCode::BadNumber : DiagCode::BadValue, "hidden is ")) << text;
  for (const char *text : {"16777217", "17825792", "9223372036854775808", "99999999999999999999999"})
    EXPECT_TRUE(throwsCode([&] { with("hidden", text); }, DiagCode::BadNumber, "hidden is at most 16777216", "2^24")) << text;
  EXPECT_TRUE(throwsCode([] { with("hidden", "dinamic"); }, DiagCode::BadNumber, "or 'dynamic'", "did you mean 'dynamic'?"));
  EXPECT_TRUE(throwsCode([] { with("hidden", "7,,8"); }, DiagCode::BadValue, "is empty"));
  EXPECT_TRUE(throwsCode([] { with("hidden", "7,8,7"); }, DiagCode::BadValue, "'7' twice"));
}

TEST(Fields, DTypesAndAliases) {
  EXPECT_EQ(with("dtype", "f32,half,bfloat16,float64").dtypes, (std::vector<DType>{DType::F32, DType::F16, DType::BF16, DType::F64}));
  EXPECT_EQ(with("param-dtype", "float32").paramDtype, DType::F32);
  EXPECT_EQ(with("y-dtype", "bf16").yDtype, DType::BF16);
  EXPECT_TRUE(throwsCode([] { with("dtype", "bfloat"); }, DiagCode::UnknownDType, "unknown element type 'bfloat'", "did you mean 'bfloat16'?"));
  EXPECT_TRUE(throwsCode([] { with("dtype", "s8"); }, DiagCode::UnknownDType, "'s8'", "'f32', 'f16' and 'bf16'"));
  EXPECT_TRUE(throwsCode([] { with("dtype", "f32,float32"); }, DiagCode::BadValue, "twice"));
}

TEST(Fields, EpsIsAnyFiniteFloat) {
  EXPECT_EQ(with("eps", "1e-5").eps, 1e-5);
  EXPECT_EQ(with("eps", "-0.5").eps, -0.5);
  EXPECT_EQ(with("eps", "0").eps, 0.0);
  EXPECT_EQ(with("eps", "+1E-6").eps, 1e-6);
  EXPECT_TRUE(throwsCode([] { with("eps", "1e-400"); }, DiagCode::BadNumber, "too small for any floating-point number", "write 0"));
  for (const char *text : {"nan", "inf", "-inf", "1e39", "1e400", "", "1e-5x", "abc", "++1"})
    EXPECT_TRUE(throwsCode([&] { with("eps", text); }, DiagCode::BadNumber, "must be a finite float32 number")) << text;
}

TEST(Fields, Words) {
  EXPECT_EQ(with("weight", "required").weight, Presence::Required);
  EXPECT_EQ(with("bias", "off").bias, Presence::Off);
  EXPECT_EQ(with("residual-rounding", "storage").residualRounding, ResidualRounding::Storage);
  EXPECT_EQ(with("weight-offset", "1").weightOffset, 1);
  EXPECT_EQ(with("backend", "reference").backend, "reference");
  EXPECT_TRUE(with("residual", "true").residual);
  EXPECT_EQ(with("target", "x86-64-v2,host").targets, (std::vector<std::string>{"x86-64-v2", "host"}));
  EXPECT_TRUE(throwsCode([] { with("weight", "optionel"); }, DiagCode::BadValue, "'required', 'optional' or 'off'", "did you mean 'optional'?"));
  EXPECT_TRUE(throwsCode([] { with("residual-rounding", "exact"); }, DiagCode::BadValue, "'accum' or 'storage'"));
  EXPECT_TRUE(throwsCode([] { with("weight-offset", "2"); }, DiagCode::BadValue, "'0' or '1'"));
  EXPECT_TRUE(throwsCode([] { with("backend", "mlir"); }, DiagCode::BadValue, "'auto', 'halide' or 'reference'"));
  EXPECT_TRUE(throwsCode([] { with("op", "layernorm"); }, DiagCode::UnknownOp, "'layernorm'", "did you mean 'layer_norm'?"));
}

TEST(Fields, Outputs) {
  EXPECT_EQ(with("outputs", "y,rstd").outputs, (std::vector<std::string>{"y", "rstd"}));
  EXPECT_TRUE(throwsCode([] { with("outputs", "mean"); }, DiagCode::BadValue, "every kernel writes 'y'", "y,mean"));
  EXPECT_TRUE(throwsCode([] { with("outputs", "y,std"); }, DiagCode::BadValue, "'y', 'mean', 'rstd' or 'sum'", "did you mean 'rstd'?"));
}

TEST(Expand, IsTheProductOfTypesAndWidths) {
  KernelRequest request;
  setField(request, kernelField("hidden"), "768,dynamic");
  setField(request, kernelField("dtype"), "f32,bf16");
  std::vector<std::string> names;
  for (const KernelSpec &spec : expand(request)) {
    names.push_back(defaultName(spec));
    EXPECT_EQ(spec.paramDtype, spec.dtype);
    EXPECT_EQ(spec.yDtype, spec.dtype);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"layer_norm_f32_h768", "layer_norm_f32_hdyn", "layer_norm_bf16_h768", "layer_norm_bf16_hdyn"}));
}

TEST(Expand, AGivenNameTellsKernelsApart) {
  auto names = [](std::string_view hidden, std::string_view dtype) {
    KernelRequest request;
    setField(request, kernelField("hidden"), hidden);
    setField(request, kernelField("dtype"), dtype);
    setField(request, kernelField("name"), "ln");
    std::vector<std::string> found;
    for (const KernelSpec &spec : expand(request))
      found.push_back(spec.name);
    return found;
  };
  EXPECT_EQ(names("768", "f32"), (std::vector<std::string>{"ln"}));
  EXPECT_EQ(names("768,dynamic", "f32"), (std::vector<std::string>{"ln_h768", "ln_hdyn"}));
  EXPECT_EQ(names("768", "f32,f16"), (std::vector<std::string>{"ln_f32", "ln_f16"}));
  EXPECT_EQ(names("768,1", "f16"), (std::vector<std::string>{"ln_h768", "ln_h1"}));
}

TEST(Expand, DefaultsFollowTheOperation) {
  KernelRequest request = with("op", "rms_norm");
  request.hidden = {64};
  const KernelSpec spec = expand(request).front();
  EXPECT_EQ(spec.bias, Presence::Off);
  EXPECT_FALSE(spec.mean);
  EXPECT_TRUE(spec.rstd);
  EXPECT_FALSE(spec.sum);
}

TEST(Expand, EpsIsRoundedToFloatUnlessF64) {
  KernelRequest request = with("eps", "1e-5");
  request.hidden = {64};
  EXPECT_EQ(expand(request).front().eps, static_cast<double>(1e-5f));
  request.dtypes = {DType::F64};
  EXPECT_EQ(expand(request, SpecUse::Interpret).front().eps, 1e-5);
}

TEST(Expand, EpsThatFloatRoundsToZeroIsRefusedUnlessF64) {
  KernelRequest request = with("eps", "1e-46");
  request.hidden = {64};
  EXPECT_TRUE(throwsCode([&] { expand(request); }, DiagCode::BadNumber, "eps is 1e-46, which float32 rounds to 0", "write 0"));
  request.dtypes = {DType::F64};
  EXPECT_EQ(expand(request, SpecUse::Interpret).front().eps, 1e-46);
}

TEST(Expand, NeedsAWidthAndAPossibleKernel) {
  EXPECT_TRUE(throwsCode([] { expand(KernelRequest{}); }, DiagCode::BadUsage, "no hidden size", "--hidden dynamic"));
  KernelRequest request = with("residual-rounding", "accum");
  request.hidden = {64};
  EXPECT_TRUE(throwsCode([&] { expand(request); }, DiagCode::ImpossibleCombination, "--residual-rounding needs a residual"));
}

TEST(Fields, NumbersAndListsAsText) {
  EXPECT_EQ(numberText(1e-5f), "1e-05");
  EXPECT_EQ(numberText(-0.5f), "-0.5");
  EXPECT_EQ(numberText(0.1), "0.1");
  EXPECT_EQ(hiddenText(0), "dynamic");
  EXPECT_EQ(splitList("a, b,,c "), (std::vector<std::string>{"a", "b", "", "c"}));
}

} // namespace
} // namespace normc
