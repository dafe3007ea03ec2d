// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/codegen/SampleIR.h"
#include "test/unit/support/ThrowsCode.h"

#include <filesystem>

namespace normc {
namespace {

VariantIR twoBodies(Target target, int lanes, int alignment) { return {target, {doubling("twice", lanes, alignment), truncating("halves", lanes, alignment)}}; }

TEST(Variant, HoldsAllBodiesHidden) {
  VariantObject object = variantObject(twoBodies(Target::X86_64_V3, 8, 32));
  EXPECT_EQ(object.symbols, (std::vector<std::string>{"halves", "halves_stream", "twice", "twice_stream"}));
  EXPECT_GT(object.codeBytes, 100);
  std::string ir = variantLLVM(twoBodies(Target::X86_64_V3, 8, 32));
  EXPECT_EQ(count(ir, "define hidden void @"), 4u) << ir;
  EXPECT_EQ(count(ir, "define "), 4u) << ir;
}

TEST(Variant, IsCompiledForItsTarget) {
  std::string v2 = variantAssembly(twoBodies(Target::X86_64_V2, 4, 16));
  EXPECT_EQ(v2.find("%ymm"), std::string::npos);
  EXPECT_EQ(v2.find("\tv"), std::string::npos) << "a VEX instruction";
  std::string v3 = variantAssembly(twoBodies(Target::X86_64_V3, 8, 32));
  EXPECT_NE(v3.find("%ymm"), std::string::npos);
  EXPECT_EQ(v3.find("%zmm"), std::string::npos);
  EXPECT_EQ(count(v3, "vzeroupper"), 4u) << v3;
  std::string v4 = variantAssembly(twoBodies(Target::X86_64_V4, 16, 64));
  EXPECT_NE(v4.find("%zmm"), std::string::npos);
  EXPECT_EQ(count(v4, "vzeroupper"), 4u) << v4;
}

/// What the back end asked for (another CPU, features) does not reach the object.
TEST(Variant, DropsAttributesOfTheBackEnd) {
  BodyIR body = doubling("twice", 4, 0);
  body.bitcode = replaceAll(body.bitcode, "(ptr %slice) {", "(ptr noalias %slice) #0 {") +
                 "attributes #0 = { \"target-cpu\"=\"skylake-avx512\" \"target-features\"=\"+avx512f\" }\n";
  std::string ir = variantLLVM({Target::X86_64_V2, {body}});
  EXPECT_EQ(ir.find("skylake"), std::string::npos) << ir;
  EXPECT_EQ(ir.find("noalias"), std::string::npos) << ir;
  EXPECT_EQ(variantAssembly({Target::X86_64_V2, {body}}).find("%ymm"), std::string::npos);
}

TEST(Variant, IsReproducible) {
  VariantIR variant = twoBodies(Target::X86_64_V4, 16, 64);
  VariantObject first = variantObject(variant);
  EXPECT_EQ(first.object, variantObject(variant).object);
  EXPECT_EQ(variantLLVM(variant), variantLLVM(variant));
  EXPECT_EQ(variantAssembly(variant), variantAssembly(variant));
  EXPECT_EQ(first.object.find(std::filesystem::current_path().string()), std::string::npos);
  EXPECT_EQ(first.object.find("LLVM"), std::string::npos) << "an identification of the compiler";
}

TEST(Variant, RefusesWhatIsNoBody) {
  BodyIR missing = doubling("twice", 4, 0);
  missing.function = "thrice";
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V2, {missing}}); }, DiagCode::InternalError, "does not define 'thrice'"));
  BodyIR other{"define void @f(i64 %n) {\n  ret void\n}\n", "f", 0};
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V2, {other}}); }, DiagCode::InternalError, "not a function of one normc_slice_t"));
  BodyIR twice = doubling("twice", 4, 0);
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V2, {twice, twice}}); }, DiagCode::InternalError, "twice"));
}

TEST(Variant, SymbolsSayWhatABodyTakes) {
  EXPECT_EQ(bodySymbol("ln768", Target::X86_64_V4, 0), "ln768__x86_64_v4__plain");
  EXPECT_EQ(bodySymbol("ln768", Target::X86_64_V3, NORMC_AFFINE_WEIGHT), "ln768__x86_64_v3__weight");
  EXPECT_EQ(bodySymbol("ln768", Target::X86_64_V2, NORMC_AFFINE_BIAS), "ln768__x86_64_v2__bias");
  EXPECT_EQ(bodySymbol("ln768", Target::X86_64_V2, NORMC_AFFINE_WEIGHT | NORMC_AFFINE_BIAS), "ln768__x86_64_v2__weight_bias");
  EXPECT_EQ(streamSymbol("f"), "f_stream");
}

} // namespace
} // namespace normc
