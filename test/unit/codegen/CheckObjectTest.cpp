// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code that may change bits, or that cannot be linked, is refused even where the IR gave no sign of it.
#include "compiler/codegen/check_object.h"
#include "compiler/codegen/llvm_support.h"
#include "test/unit/support/ThrowsCode.h"

namespace normc::codegen {
namespace {

/// Compiles IR without any check but that of the object.
std::map<std::string, MachineCounts> compileAndCheck(const std::string &ir, std::string_view cpu = "x86-64-v3") {
  Context context;
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(cpu);
  std::unique_ptr<llvm::Module> module = parseModule(context, ir, "sample");
  adoptModule(*module, *machine, "sample");
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      setCodegenAttributes(function, cpu, cpu == "x86-64-v4" ? 512 : 256);
  return checkObject(emitMachineCode(context, *module, *machine, llvm::CodeGenFileType::ObjectFile), *machine);
}

testing::AssertionResult refused(const std::string &ir, const std::string &message, std::string_view cpu = "x86-64-v3") {
  return throwsCode([&] { compileAndCheck(ir, cpu); }, DiagCode::InternalError, message);
}

TEST(CheckObject, CountsBytesAndStreamingStores) {
  auto functions = compileAndCheck("define void @two(ptr %p, <8 x float> %v) {\n  store <8 x float> %v, ptr %p, align 32, !nontemporal !0\n"
                                   "  %q = getelementptr i8, ptr %p, i64 32\n  store <8 x float> %v, ptr %q, align 32, !nontemporal !0\n  ret void\n}\n"
                                   "define void @none(ptr %p, <8 x float> %v) {\n  store <8 x float> %v, ptr %p, align 32\n  ret void\n}\n!0 = !{i32 1}\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions["two"].streamingStores, 2);
  EXPECT_GT(functions["two"].bytes, functions["none"].bytes);
  EXPECT_EQ(functions["none"].streamingStores, 0);
}

/// The reason for counting: LLVM gives up the mark where it folds a conversion into the store, without a word.
TEST(CheckObject, SeesThatALostMarkIsLost) {
  auto functions = compileAndCheck("define void @lost(ptr %p, <16 x i32> %v) {\n  %t = trunc <16 x i32> %v to <16 x i16>\n"
                                   "  store <16 x i16> %t, ptr %p, align 32, !nontemporal !0\n  ret void\n}\n!0 = !{i32 1}\n",
                                   "x86-64-v4");
  EXPECT_EQ(functions["lost"].streamingStores, 0);
}

TEST(CheckObject, RefusesFusedOperations) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"})
    EXPECT_TRUE(refused("define float @f(float %a, float %b) {\n  %r = call float @llvm.fma.f32(float %a, float %b, float %a)\n  ret float %r\n}\n"
                        "declare float @llvm.fma.f32(float, float, float)\n",
                        "the instruction VFMADD", cpu));
}

TEST(CheckObject, RefusesEstimates) {
  EXPECT_TRUE(refused("define <4 x float> @f(<4 x float> %a) {\n  %r = call <4 x float> @llvm.x86.sse.rsqrt.ps(<4 x float> %a)\n  ret <4 x float> %r\n}\n"
                      "declare <4 x float> @llvm.x86.sse.rsqrt.ps(<4 x float>)\n",
                      "the instruction VRSQRTPS"));
  EXPECT_TRUE(refused("define <4 x float> @f(<4 x float> %a) {\n  %r = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %a)\n  ret <4 x float> %r\n}\n"
                      "declare <4 x float> @llvm.x86.sse.rcp.ps(<4 x float>)\n",
                      "the instruction RCPPS", "x86-64-v2"));
  EXPECT_TRUE(refused("define float @f(float %a) {\n  %s = call reassoc arcp afn ninf float @llvm.sqrt.f32(float %a)\n  %r = fdiv reassoc arcp afn float 1.0, "
                      "%s\n  ret float %r\n}\n"
                      "declare float @llvm.sqrt.f32(float)\n",
                      "which rounds otherwise"));
}

TEST(CheckObject, RefusesUndefinedSymbols) {
  EXPECT_TRUE(refused("define float @f(float %a) {\n  %r = call float @llvm.exp.f32(float %a)\n  ret float %r\n}\ndeclare float @llvm.exp.f32(float)\n",
                      "needs the symbol 'expf'"));
  EXPECT_TRUE(refused("define half @f(half %a) {\n  %r = fadd half %a, %a\n  ret half %r\n}\n", "needs the symbol '__extendhfsf2'", "x86-64-v2"));
  EXPECT_NO_THROW(compileAndCheck("define void @f(ptr %p, i64 %n) {\n  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)\n"
                                  "  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %p, i64 %n, i1 false)\n  ret void\n}\n"
                                  "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"));
}

TEST(CheckObject, RefusesDataThatCanBeWritten) {
  EXPECT_TRUE(refused("@state = global i32 7\ndefine i32 @f() {\n  %r = load i32, ptr @state\n  ret i32 %r\n}\n", "can be written"));
}

TEST(CheckObject, RefusesBytesThatAreNoInstruction) {
  EXPECT_TRUE(refused("define void @f() {\n  call void asm sideeffect \".byte 0x06\", \"\"()\n  ret void\n}\n", "no instruction"));
}

} // namespace
} // namespace normc::codegen
