// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole way once: spec, stages, plan, Halide, LLVM, archive, header, cc, runtime; the bits are those of the reference.
#include "compiler/halide/halide_backend.h"
#include "compiler/reference/interpreter.h"
#include "compiler/stages/norms.h"
#include "test/unit/library/CompilerDriver.h"
#include "test/unit/library/SampleLibrary.h"
#include "test/unit/require_target.h"

#include <gtest/gtest.h>

#include <cstring>

namespace normc {
namespace {

Library built(const KernelSpec &spec, const std::vector<Target> &targets) {
  LibraryKernel kernel{spec, {}};
  for (Target target : targets) {
    LibraryVariant variant{target, "halide", choose(spec, target), {}};
    VariantIR ir{target, {}};
    for (unsigned affine : affineCombinations(spec)) {
      Affine parameters{(affine & NORMC_AFFINE_WEIGHT) != 0, (affine & NORMC_AFFINE_BIAS) != 0};
      HalideBody body = lowerWithHalide(normKernel(spec, parameters), variant.plan, target, spec.hidden, bodySymbol(spec.name, target, affine));
      ir.bodies.push_back(fromHalide(body, target));
      ir.bodies.back().streamAlignment = variant.plan.streaming ? variant.plan.streamAlignment : 0;
    }
    variant.code = variantObject(ir);
    kernel.variants.push_back(variant);
  }
  return {spec.name, {kernel}, {"build", "layer_norm"}};
}

/// One row after the other, as 32-bit patterns, a line each.
std::string bitLines(const Array &array) {
  std::string text;
  for (size_t i = 0; i + 4 <= array.bytes.size(); i += 4) {
    uint32_t bits;
    std::memcpy(&bits, array.bytes.data() + i, 4);
    text += std::to_string(bits) + "\n";
  }
  return text;
}

TEST(FromSpec, LayerNormHasTheBitsOfTheReference) {
  constexpr int64_t rows = 3;
  constexpr int64_t hidden = 96;
  KernelSpec spec = sampleSpec("ln96", hidden);
  CompilerDriver driver;
  writeLibrary(built(spec, {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4}), driver.folder());

  std::vector<float> x(rows * hidden), weight(hidden), bias(hidden);
  std::string data;
  auto fill = [&](const char *name, std::vector<float> &values, float scale, float shift) {
    data += "static const float " + std::string(name) + "[] = {";
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((i * 7919 + 13) % 1009) * scale + shift;
      char digits[64];
      std::snprintf(digits, sizeof digits, "%af, ", static_cast<double>(values[i]));
      data += digits;
    }
    data += "};\n";
  };
  fill("x", x, 0.0371f, 900.1f);
  fill("weight", weight, 0.0013f, 0.5f);
  fill("bias", bias, 0.0021f, -1.0f);

  Invocation invocation;
  invocation.rows = rows;
  invocation.hidden = hidden;
  invocation.inputs["x"] = {DType::F32, {rows, hidden}, x.data(), {}};
  invocation.inputs["weight"] = {DType::F32, {hidden}, weight.data(), {}};
  invocation.inputs["bias"] = {DType::F32, {hidden}, bias.data(), {}};
  invocation.scalars["eps"] = 1e-5;
  std::map<std::string, Array> reference = interpret(normKernel(spec, {true, true}), invocation, Precision::Float32);
  std::string expected = bitLines(reference.at("y")) + bitLines(reference.at("mean")) + bitLines(reference.at("rstd"));

  std::string program = "#include \"ln96.h\"\n#include <stdio.h>\n#include <string.h>\n" + data + R"(
static void print(const float *values, int count) {
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &values[i], 4);
    printf("%u\n", (unsigned)bits);
  }
}
int main(void) {
  static float y[3 * 96], mean[3], rstd[3];
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.max_isa = LEVEL;
  ln96_args args = LN96_ARGS_INIT;
  args.rows = 3;
  args.x = x;
  args.weight = weight;
  args.bias = bias;
  args.y = y;
  args.mean = mean;
  args.rstd = rstd;
  normc_status_t status = ln96(&args, &exec);
  if (status != NORMC_STATUS_SUCCESS) {
    printf("%s\n", normc_status_name(status));
    return 1;
  }
  print(y, 3 * 96);
  print(mean, 3);
  print(rstd, 3);
  return 0;
}
)";
  for (Target target : {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4}) {
    NORMC_REQUIRE_TARGET(std::string(targetName(target)));
    std::string level = "-DLEVEL=NORMC_ISA_X86_64_V" + std::string(targetName(target).substr(8));
    EXPECT_EQ(driver.run(program, {"libln96.a"}, {level}), expected) << targetName(target);
  }
}

/// Every combination of types that changes how y is stored compiles for every target, with streaming bodies wherever the plan wants them.
TEST(FromSpec, EveryStorageTypeCompiles) {
  for (DType type : {DType::F32, DType::F16, DType::BF16}) {
    KernelSpec spec = sampleSpec("k", 128, type);
    spec.weight = Presence::Required;
    spec.bias = Presence::Off;
    spec.residual = spec.sum = true;
    Library library = built(spec, {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4});
    for (const LibraryVariant &variant : library.kernels[0].variants) {
      EXPECT_EQ(variant.code.symbols.size(), variant.plan.streaming ? 2u : 1u) << dtypeName(type) << " " << targetName(variant.target);
      EXPECT_EQ(variant.code.object.find("halide"), std::string::npos);
    }
  }
}

} // namespace
} // namespace normc
