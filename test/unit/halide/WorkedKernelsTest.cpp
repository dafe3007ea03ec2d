// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that the stage language must be able to express, through the Halide back end: those it supports to the bit, the others refused by name.
#include "compiler/halide/halide_backend.h"
#include "compiler/support/error.h"
#include "test/bits/hostile_rows.h"
#include "test/support/worked_kernels.h"
#include "test/unit/halide/expect_bits.h"
#include "test/unit/require_target.h"

namespace normc::test {
namespace {

using namespace ex;

Arrays inputsOf(const WorkedKernel &worked) {
  Arrays arrays;
  uint32_t seed = 1;
  for (const Input &input : worked.kernel.inputs()) {
    const std::vector<int64_t> &shape = worked.shapes.at(input.name);
    if (input.name == "x" || input.name == "residual")
      arrays[input.name] = bits::hostileArray(input.dtype, shape[0], shape[1], seed++);
    else
      arrays[input.name] = normalArray(input.dtype, shape, seed++);
  }
  return arrays;
}

class WorkedKernelsTest : public testing::TestWithParam<Target> {
protected:
  void SetUp() override { NORMC_REQUIRE_TARGET(targetName(GetParam())); }
};

TEST_P(WorkedKernelsTest, SupportedOnesGiveTheReferencesBits_2) {
  int supported = 0;
  for (const WorkedKernel &worked : workedKernels()) {
    if (worked.columnFolds || worked.functions)
      continue;
    ++supported;
    EXPECT_TRUE(givesReferenceBits(worked.kernel, GetParam(), /*dynamic=*/false, worked.rows, worked.hidden, inputsOf(worked), worked.scalars));
    // Dynamic forms take seconds to compile for the narrower targets; ToyOpTest and test/bits run those.
    if (GetParam() == Target::X86_64_V4) {
      EXPECT_TRUE(givesReferenceBits(worked.kernel, GetParam(), /*dynamic=*/true, worked.rows, worked.hidden, inputsOf(worked), worked.scalars));
    }
  }
  EXPECT_EQ(supported, 7);
}

TEST_P(WorkedKernelsTest, EveryKindOfRowGoesThroughThem_2) {
  const int64_t rows = bits::hostileKinds();
  for (const WorkedKernel &worked :
       {int8RmsNorm(rows, 1024), int8RmsNorm(rows, 50), adaLayerNorm(rows, 777, 3), residualLayerNorm(rows, 513), toy(rows, 65, 4)})
    EXPECT_TRUE(givesReferenceBits(worked.kernel, GetParam(), /*dynamic=*/false, worked.rows, worked.hidden, inputsOf(worked), worked.scalars));
}

INSTANTIATE_TEST_SUITE_P(Targets, WorkedKernelsTest, testing::ValuesIn(allTargets()), targetTestName);

/// The message with which the back end refuses a kernel.
std::string refusal(const Kernel &kernel, int64_t hidden) {
  try {
    lowerWithHalide(kernel, planFor(Target::X86_64_V3, hidden), Target::X86_64_V3, hidden, "f");
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), DiagCode::ImpossibleCombination) << error.what();
    return error.what();
  }
  return "not refused";
}

TEST(RefusedKernelsTest, FoldsOverRows) {
  EXPECT_EQ(refusal(layerNormBackward(100, 600).kernel, 600),
            "the Halide back end does not fold over rows yet, as stage 'dweight' of kernel 'layer_norm_backward' does");
}

TEST(RefusedKernelsTest, Functions) {
  EXPECT_EQ(refusal(geluLayerNorm(5, 1025).kernel, 1025), "the Halide back end does not support the function 'erf' yet, in kernel 'layer_norm_gelu'");
}

TEST(RefusedKernelsTest, StoredColumns) {
  Kernel kernel("columns");
  Expr x = kernel.load(kernel.input("x", DType::F32, 2));
  Expr weight = kernel.load(kernel.input("weight", DType::F32, 1));
  kernel.map("w1", Domain::Column, add(f(1), weight), Store{"w1", DType::F32});
  kernel.map("y", Domain::Element, x, Store{"y", DType::F32});
  EXPECT_EQ(refusal(kernel, 64), "the Halide back end does not store column stages yet, such as 'w1' of kernel 'columns'");
}

TEST(RefusedKernelsTest, NothingAtRowAndColumn) {
  Kernel reads("no_data");
  reads.map("y", Domain::Element, reads.load(reads.input("w", DType::F32, 1)), Store{"y", DType::F32});
  EXPECT_EQ(refusal(reads, 64), "kernel 'no_data' reads no input at (row, column), expected at least one for the Halide back end");

  Kernel stores("no_element");
  stores.sum("s", Domain::Row, stores.load(stores.input("x", DType::F32, 2)), Store{"s", DType::F32});
  EXPECT_EQ(refusal(stores, 64), "kernel 'no_element' stores no element stage, expected at least one for the Halide back end");
}

TEST(RefusedKernelsTest, F64) {
  Kernel kernel("wide");
  kernel.map("y", Domain::Element, kernel.load(kernel.input("x", DType::F64, 2)), Store{"y", DType::F32});
  EXPECT_EQ(refusal(kernel, 64), "the Halide back end has no f64, expected f32, f16 or bf16");
}

} // namespace
} // namespace normc::test
