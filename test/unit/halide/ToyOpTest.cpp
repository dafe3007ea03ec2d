// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op that no file of the compiler knows, defined here in a few lines: the back end must compile it as it is.
#include "test/bits/hostile_rows.h"
#include "test/unit/halide/expect_bits.h"
#include "test/unit/require_target.h"

namespace normc::test {
namespace {

using namespace ex;

constexpr int64_t kGroup = 8;

/// peak = max |x| per row; scaled = x / peak, stored; y = scaled gain[col / 8] + peak.
Kernel toyOp() {
  Kernel k("peak_norm");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr gain = k.load(k.input("gain", DType::F32, 1), {Index::column() / kGroup});
  Expr peak = k.maximum("peak", Domain::Row, ex::abs(x), Store{"peak", DType::F32});
  Expr scaled = k.map("scaled", Domain::Element, div(x, peak), Store{"scaled", DType::F32});
  k.map("y", Domain::Element, add(mul(scaled, gain), peak), Store{"y", DType::F32});
  return k;
}

/// Signed maxima, where the order of operands shows in the sign of a zero, and a sum in the same sweep: y = (x - top) / total, in bf16.
Kernel twoFolds() {
  Kernel k("top_and_total");
  Expr x = k.load(k.input("x", DType::F16, 2));
  Expr top = k.maximum("top", Domain::Row, x, Store{"top", DType::F32});
  Expr total = k.sum("total", Domain::Row, mul(x, x), Store{"total", DType::F32});
  k.map("y", Domain::Element, div(sub(x, top), total), Store{"y", DType::BF16});
  return k;
}

/// Folds that wait for each other, three sweeps in all, one of them of three folds: what is stored per row depends on every one.
Kernel chainOfFolds() {
  Kernel k("chain_of_folds");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr top = k.maximum("top", Domain::Row, x);
  Expr below = k.map("below", Domain::Element, sub(x, top));
  Expr sum = k.sum("sum", Domain::Row, below);
  Expr squares = k.sum("squares", Domain::Row, mul(below, below));
  Expr least = k.maximum("least", Domain::Row, neg(below));
  Expr ratio = k.map("ratio", Domain::Row, div(add(sum, squares), least));
  Expr rest = k.sum("rest", Domain::Row, mul(below, ratio), Store{"rest", DType::F32});
  k.map("y", Domain::Element, select(lt(rest, below), rest, mul(below, ratio)), Store{"y", DType::F16});
  return k;
}

/// Tiers of the fold, each with and without a partial last vector.
const std::vector<int64_t> kStaticWidths = {1, 7, 40, 64, 100, 513, 1090, 5000, 33000};
const std::vector<int64_t> kDynamicWidths = {1, 2, 7, 40, 63, 64, 65, 100, 511, 512, 513, 1090, 1536, 2048, 2049, 5000, 32768, 33000, 70001};

class ToyOpTest : public testing::TestWithParam<Target> {
protected:
  void SetUp() override { NORMC_REQUIRE_TARGET(targetName(GetParam())); }

  Arrays inputs(const Kernel &kernel, int64_t hidden) {
    Arrays arrays = {{"x", bits::hostileArray(kernel.inputs()[0].dtype, rows, hidden, static_cast<uint32_t>(hidden))}};
    if (kernel.inputs().size() > 1)
      arrays["gain"] = bits::hostileWeight(DType::F32, (hidden + kGroup - 1) / kGroup, 3);
    return arrays;
  }

  void checkStatic(const Kernel &kernel, const std::vector<int64_t> &widths) {
    for (int64_t hidden : widths)
      EXPECT_TRUE(givesReferenceBits(kernel, GetParam(), /*dynamic=*/false, rows, hidden, inputs(kernel, hidden), {}));
  }

  void checkDynamic(const Kernel &kernel) {
    JitKernel compiled(kernel, planFor(GetParam(), 0), GetParam(), 0);
    for (int64_t hidden : kDynamicWidths)
      EXPECT_TRUE(givesReferenceBits(kernel, compiled, rows, hidden, inputs(kernel, hidden), {})) << "dynamic";
  }

  const int64_t rows = bits::hostileKinds();
};

TEST_P(ToyOpTest, StaticWidths_2) { checkStatic(toyOp(), kStaticWidths); }

TEST_P(ToyOpTest, AnyWidth_2) { checkDynamic(toyOp()); }

TEST_P(ToyOpTest, MaximumAndSumInOneSweep_2) {
  Kernel kernel = twoFolds();
  ASSERT_EQ(sweeps(kernel).size(), 1u);
  checkStatic(kernel, {1, 64, 1090, 5000});
  checkDynamic(kernel);
}

TEST_P(ToyOpTest, FoldsThatWaitForFolds_2) {
  Kernel kernel = chainOfFolds();
  ASSERT_EQ(sweeps(kernel).size(), 3u);
  checkStatic(kernel, {40, 1090});
  checkDynamic(kernel);
}

INSTANTIATE_TEST_SUITE_P(Targets, ToyOpTest, testing::ValuesIn(allTargets()), targetTestName);

} // namespace
} // namespace normc::test
