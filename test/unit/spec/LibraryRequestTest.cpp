// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/library_request.h"
#include "test/unit/support/ThrowsCode.h"

namespace normc {
namespace {

LibraryRequest read(std::string_view text) { return parseLibraryRequest(text, "k.json"); }

testing::AssertionResult refused(std::string_view text, DiagCode code, const std::string &message, const std::string &note = {}) {
  return throwsCode([&] { read(text); }, code, message, note);
}

TEST(LibraryRequest, ReadsAnObject) {
  const LibraryRequest library = read(R"({"name": "norms", "targets": ["x86-64-v3", "x86-64-v4"], "kernels": [
    {"op": "layer_norm", "hidden": [384, "dynamic"], "dtype": ["f32", "bf16"], "param_dtype": "f32", "bias": "off", "eps": 1e-6, "name": "ln"},
    {"op": "rms_norm", "hidden": 4096, "residual": true, "residual_rounding": "storage", "outputs": ["y", "sum"], "weight_offset": 1}]})");
  EXPECT_EQ(library.name, "norms");
  EXPECT_EQ(library.targets, (std::vector<std::string>{"x86-64-v3", "x86-64-v4"}));
  ASSERT_EQ(library.kernels.size(), 2u);
  EXPECT_EQ(expand(library.kernels[0]).size(), 4u);
  EXPECT_EQ(library.kernels[0].eps, 1e-6);
  EXPECT_EQ(library.kernels[0].name, "ln");
  const KernelSpec second = expand(library.kernels[1]).front();
  EXPECT_EQ(canonicalSpelling(second), "rms_norm --hidden 4096 --dtype f32 --param-dtype f32 --y-dtype f32 --weight optional --bias off --residual "
                                       "--residual-rounding storage --outputs y,sum --eps 1e-05 --weight-offset 1");
}

TEST(LibraryRequest, ReadsABareList) {
  const LibraryRequest library = read(R"([{"op": "layer_norm", "hidden": "dynamic", "residual": false, "eps": 0}])");
  ASSERT_EQ(library.kernels.size(), 1u);
  EXPECT_TRUE(expand(library.kernels[0]).front().dynamic());
  EXPECT_FALSE(library.kernels[0].residual);
  EXPECT_TRUE(library.targets.empty());
}

TEST(LibraryRequest, RefusesWhatIsNoList) {
  EXPECT_TRUE(refused("{", DiagCode::BadJson, "k.json: not JSON: [1:"));
  EXPECT_TRUE(refused("", DiagCode::BadJson, "not JSON"));
  EXPECT_TRUE(refused("7", DiagCode::BadJson, "is a number, but must be a list of kernels"));
  EXPECT_TRUE(refused("[]", DiagCode::BadJson, "the list of kernels is empty"));
  EXPECT_TRUE(refused("{}", DiagCode::BadJson, "has no key 'kernels'"));
  EXPECT_TRUE(refused(R"({"kernels": {}})", DiagCode::BadJson, "'kernels' is an object, but must be a list of objects"));
  EXPECT_TRUE(refused("[7]", DiagCode::BadJson, "k.json: kernel 1: is a number"));
  EXPECT_TRUE(refused(R"({"kernel": []})", DiagCode::UnknownField, "unknown key 'kernel'", "did you mean 'kernels'?"));
}

TEST(LibraryRequest, RefusesWrongTypes) {
  auto kernel = [](const std::string &rest) { return R"([{"op": "layer_norm", "hidden": 8, )" + rest + "}]"; };
  EXPECT_TRUE(refused(kernel(R"("eps": "1e-5")"), DiagCode::BadJson, "k.json: kernel 1: 'eps' is a string, but must be a number"));
  EXPECT_TRUE(refused(kernel(R"("residual": 1)"), DiagCode::BadJson, "'residual' is a number, but must be true or false"));
  EXPECT_TRUE(refused(kernel(R"("weight": null)"), DiagCode::BadJson, "'weight' is null, but must be a string"));
  EXPECT_TRUE(refused(kernel(R"("dtype": 3)"), DiagCode::BadJson, "'dtype' is a number, but must be a string or a list of strings"));
  EXPECT_TRUE(refused(kernel(R"("dtype": [3])"), DiagCode::BadJson, "'dtype' contains a number"));
  EXPECT_TRUE(refused(kernel(R"("dtype": [])"), DiagCode::BadJson, "'dtype' is an empty list"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hidden": true}])", DiagCode::BadJson, "'hidden' is a boolean, but must be a number, \"dynamic\""));
  EXPECT_TRUE(refused(R"({"name": 7, "kernels": []})", DiagCode::BadJson, "k.json: 'name' is a number"));
}

TEST(LibraryRequest, NamesTheKernelInOtherMessages) {
  EXPECT_TRUE(refused(R"([{"op": "layer_norm"}, {"op": "rms_nrm"}])", DiagCode::UnknownOp, "k.json: kernel 2: unknown operation 'rms_nrm'", "rms_norm"));
  EXPECT_TRUE(refused(R"([{"hidden": 8}])", DiagCode::BadJson, "kernel 1: has no 'op'"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hiden": 8}])", DiagCode::UnknownField, "unknown key 'hiden'", "did you mean 'hidden'?"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "targets": "host"}])", DiagCode::UnknownField, "unknown key 'targets'"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hidden": 1.5}])", DiagCode::BadNumber, "kernel 1: hidden is '1.5'"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hidden": 9223372036854775808}])", DiagCode::BadNumber, "hidden is at most 16777216"));
  EXPECT_TRUE(refused(R"({"name": "a-b", "kernels": [{"op": "layer_norm"}]})", DiagCode::BadName, "'a-b'"));
}

TEST(LibraryRequest, RefusesKeysThatStandTwice) {
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hidden": 8, "hidden": 16}])", DiagCode::BadJson, "k.json: an object has the key 'hidden' twice"));
  EXPECT_TRUE(refused(R"([{"op": "layer_norm", "hidden": 8, "hi\u0064den": 16}])", DiagCode::BadJson, "'hidden' twice"));
  EXPECT_TRUE(refused(R"({"kernels": [{"op": "layer_norm", "hidden": 8}], "kernels" : []})", DiagCode::BadJson, "'kernels' twice"));
  EXPECT_EQ(read(R"([{"op": "layer_norm", "hidden": 8}, {"op": "layer_norm", "hidden": 16}])").kernels.size(), 2u);
}

TEST(LibraryRequest, RefusesDeepNesting) {
  EXPECT_TRUE(refused(std::string(1000000, '['), DiagCode::BadJson, "nested deeper than 64"));
  std::string objects;
  for (int i = 0; i < 65; ++i)
    objects += "{\"a\":";
  EXPECT_TRUE(refused(objects, DiagCode::BadJson, "nested deeper than 64"));
  EXPECT_TRUE(refused("\"" + std::string(1000, '[') + "\"", DiagCode::BadJson, "is a string"));
}

TEST(LibraryRequest, SpeaksJson) {
  auto expanded = [](const std::string &rest, DiagCode code, const std::string &message, const std::string &note) {
    return throwsCode([&] { expandKernel(read(R"([{"op": "layer_norm")" + rest + "}]"), 0, "k.json"); }, code, message, note);
  };
  EXPECT_TRUE(expanded("", DiagCode::BadUsage, "k.json: kernel 1: no hidden size", R"(add "hidden": N, "hidden": [N, N, ...] or "hidden": "dynamic")"));
  EXPECT_TRUE(expanded(R"(, "hidden": 8, "outputs": ["y", "sum"])", DiagCode::ImpossibleCombination, "output 'sum' needs a residual",
                       R"(add "residual": true, or leave 'sum' out of "outputs")"));
  EXPECT_TRUE(expanded(R"(, "hidden": 8, "residual_rounding": "storage")", DiagCode::ImpossibleCombination, R"("residual_rounding" needs a residual)",
                       R"(leave "residual_rounding" out)"));
  EXPECT_TRUE(expanded(R"(, "hidden": 8, "weight": "off", "weight_offset": 1)", DiagCode::ImpossibleCombination, R"("weight_offset": 1 needs a weight)",
                       R"(leave out "weight": "off")"));
}

} // namespace
} // namespace normc
