// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/fields.h"
#include "test/unit/support/ThrowsCode.h"

#include <limits>

namespace normc {
namespace {

KernelSpec layerNorm() {
  KernelSpec spec;
  spec.hidden = 768;
  return spec;
}

KernelSpec rmsNorm() {
  KernelSpec spec;
  spec.op = Op::RMSNorm;
  spec.hidden = 4096;
  spec.bias = Presence::Off;
  spec.mean = false;
  return spec;
}

testing::AssertionResult refused(const KernelSpec &spec, DiagCode code, const std::string &message, const std::string &note = {}) {
  return throwsCode([&] { verify(spec); }, code, message, note);
}

TEST(KernelSpec, Section3DefaultNames) {
  EXPECT_EQ(defaultName(layerNorm()), "layer_norm_f32_h768");
  KernelSpec spec = rmsNorm();
  spec.residual = true;
  spec.dtype = DType::BF16;
  EXPECT_EQ(defaultName(spec), "add_rms_norm_bf16_h4096");
  spec.hidden = 0;
  EXPECT_EQ(defaultName(spec), "add_rms_norm_bf16_hdyn");
}

TEST(KernelSpec, PossibleSpecsPass) {
  verify(layerNorm());
  verify(rmsNorm());
  KernelSpec spec = rmsNorm();
  spec.dtype = spec.yDtype = DType::BF16;
  spec.residual = spec.sum = true;
  spec.residualRounding = ResidualRounding::Storage;
  spec.weightOffset = 1;
  spec.eps = -0.5;
  spec.hidden = kMaxHidden;
  spec.name = "my_norm";
  verify(spec);
  for (DType y : {DType::F32, DType::F16, DType::BF16}) {
    spec.yDtype = y;
    verify(spec);
  }
}

TEST(KernelSpec, HiddenOutOfRange) {
  KernelSpec spec = layerNorm();
  for (int64_t hidden : {int64_t{-1}, kMaxHidden + 1, std::numeric_limits<int64_t>::max()}) {
    spec.hidden = hidden;
    EXPECT_TRUE(refused(spec, DiagCode::BadNumber, "from 1 to 16777216")) << hidden;
  }
}

TEST(KernelSpec, EpsMustBeFinite) {
  KernelSpec spec = layerNorm();
  for (double eps : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e39}) {
    spec.eps = eps;
    EXPECT_TRUE(refused(spec, DiagCode::BadNumber, "finite float32")) << eps;
  }
}

TEST(KernelSpec, WeightOffset) {
  KernelSpec spec = layerNorm();
  spec.weightOffset = 2;
  EXPECT_TRUE(refused(spec, DiagCode::BadNumber, "weight offset is 2"));
  spec.weightOffset = 1;
  spec.weight = Presence::Off;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "needs a weight"));
}

TEST(KernelSpec, RmsNormHasNeitherBiasNorMean) {
  KernelSpec spec = rmsNorm();
  spec.bias = Presence::Optional;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "rms_norm has no bias", "layer_norm"));
  spec = rmsNorm();
  spec.mean = true;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "no output 'mean'", "'rstd'"));
}

TEST(KernelSpec, ResidualOnly) {
  KernelSpec spec = layerNorm();
  spec.sum = true;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "'sum' needs a residual"));
  spec = layerNorm();
  spec.residualRounding = ResidualRounding::Storage;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "--residual-rounding needs a residual"));
}

TEST(KernelSpec, Types) {
  KernelSpec spec = layerNorm();
  spec.paramDtype = DType::BF16;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "weight and bias cannot be 'bf16' where x is 'f32'", "'f32'"));
  spec.dtype = DType::F16;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "where x is 'f16'", "'f16' or 'f32'"));
  spec = layerNorm();
  spec.yDtype = DType::F64;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "y cannot be 'f64'"));
  spec.dtype = spec.paramDtype = DType::F64;
  EXPECT_TRUE(refused(spec, DiagCode::ImpossibleCombination, "'f64' is not compiled", "--backend reference"));
  verify(spec, SpecUse::Interpret);
  spec.yDtype = DType::F32;
  EXPECT_TRUE(throwsCode([&] { verify(spec, SpecUse::Interpret); }, DiagCode::ImpossibleCombination, "y cannot be 'f32'"));
}

TEST(KernelSpec, NamesAreCIdentifiers) {
  for (const char *name : {"ln", "Ln_768", "a", "in", "integer"})
    verifyName(name);
  for (const char *name : {"", "7ln", "_ln", "a-b", "a b", "int", "class", "main", "a__b", "normc_ln", "\xc3\xa4"})
    EXPECT_TRUE(throwsCode([&] { verifyName(name); }, DiagCode::BadName, "cannot be a kernel's name")) << name;
  EXPECT_TRUE(throwsCode([] { verifyName("int"); }, DiagCode::BadName, "reserved word", "my_int"));
  for (const char *name : {"memcpy", "memset", "memmove", "strlen", "printf", "malloc", "free", "exit", "abort", "sqrt", "sqrtf", "sqrtl", "y0", "read", "write"})
    EXPECT_TRUE(throwsCode([&] { verifyName(name); }, DiagCode::BadName, "it is a function of the C library", "my_" + std::string(name))) << name;
  for (const char *name : {"size_t", "int64_t", "offsetof", "NULL", "linux", "unix", "errno"})
    EXPECT_TRUE(throwsCode([&] { verifyName(name); }, DiagCode::BadName, "it is a type, a macro or an object", "my_" + std::string(name))) << name;
  EXPECT_TRUE(throwsCode([] { verifyName("NORMC_ln"); }, DiagCode::BadName, "names that begin with 'NORMC_'"));
  for (const char *name : {"ln", "norm", "sqrt_norm", "f", "l", "memcpy2"})
    verifyName(name);
  EXPECT_TRUE(throwsCode([] { verifyName(std::string(129, 'a')); }, DiagCode::BadName, "129 characters"));
  verifyName(std::string(128, 'a'));
  KernelSpec spec = layerNorm();
  spec.name = "double";
  EXPECT_TRUE(refused(spec, DiagCode::BadName, "'double'"));
}

TEST(KernelSpec, CanonicalSpellingIsPinned) {
  EXPECT_EQ(canonicalSpelling(layerNorm()), "layer_norm --hidden 768 --dtype f32 --param-dtype f32 --y-dtype f32 --weight optional --bias optional "
                                            "--outputs y,mean,rstd --eps 1e-05 --weight-offset 0");
  KernelSpec spec = rmsNorm();
  spec.residual = spec.sum = true;
  spec.hidden = 0;
  EXPECT_EQ(canonicalSpelling(spec), "rms_norm --hidden dynamic --dtype f32 --param-dtype f32 --y-dtype f32 --weight optional --bias off --residual "
                                     "--residual-rounding accum --outputs y,rstd,sum --eps 1e-05 --weight-offset 0");
}

TEST(KernelSpec, HashIsPinnedAndIgnoresTheName) {
  EXPECT_EQ(textHash(""), "cbf29ce484222325");
  EXPECT_EQ(textHash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(textHash("foobar"), "85944171f73967e8");
  KernelSpec spec = layerNorm();
  const std::string hash = specHash(spec);
  EXPECT_EQ(hash, textHash(canonicalSpelling(spec)));
  spec.name = "other";
  EXPECT_EQ(specHash(spec), hash);
}

TEST(KernelSpec, EveryFieldThatIsComputedWithChangesTheSpelling) {
  const std::string base = canonicalSpelling(layerNorm());
  std::vector<KernelSpec> changed(12, layerNorm());
  changed[0].op = Op::RMSNorm;
  changed[1].hidden = 0;
  changed[2].dtype = DType::F16;
  changed[3].paramDtype = DType::F16;
  changed[4].yDtype = DType::F16;
  changed[5].weight = Presence::Off;
  changed[6].bias = Presence::Required;
  changed[7].residual = true;
  changed[8].mean = false;
  changed[9].rstd = false;
  changed[10].eps = 2e-5;
  changed[11].weightOffset = 1;
  for (size_t i = 0; i < changed.size(); ++i)
    EXPECT_NE(canonicalSpelling(changed[i]), base) << i;
}

TEST(KernelSpec, CanonicalSpellingReadsBack) {
  KernelSpec spec = rmsNorm();
  spec.dtype = spec.yDtype = DType::BF16;
  spec.residual = spec.sum = true;
  spec.residualRounding = ResidualRounding::Storage;
  spec.eps = static_cast<double>(1e-6f);
  const std::string spelling = canonicalSpelling(spec);
  // The words of the spelling, taken apart by the kinds that the table gives.
  KernelRequest request;
  std::vector<std::string> words;
  for (size_t at = 0; at <= spelling.size();) {
    size_t end = std::min(spelling.find(' ', at), spelling.size());
    words.push_back(spelling.substr(at, end - at));
    at = end + 1;
  }
  setField(request, kernelField("op"), words[0]);
  for (size_t i = 1; i < words.size(); ++i) {
    const Field &field = kernelField(words[i].substr(2));
    setField(request, field, field.kind == FieldKind::Switch ? "true" : words[++i]);
  }
  EXPECT_EQ(canonicalSpelling(expand(request).front()), spelling);
}

} // namespace
} // namespace normc
