// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows on which norm kernels have been wrong. The expected values were computed with exact rational arithmetic from the float32 inputs; B numbers are those of
// the list of such faults in docs/numerics.md.
#include "compiler/stages/norms.h"
#include "compiler/support/float_formats.h"
#include "test/support/arrays.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace normc::numerics {
namespace {

using test::canonicalBits;
using test::floats;
using test::makeArray;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A call of the float32 reference with defaults that suit most tests.
struct Call {
  Op op = Op::LayerNorm;
  std::vector<float> x;
  int64_t rows = 1;
  float eps = 1e-5f;
  std::vector<float> weight = {}, bias = {}, residual = {}; ///< empty: absent
  DType dtype = DType::F32;
  ResidualRounding residualRounding = ResidualRounding::Accum;
  int weightOffset = 0;
  DType paramDtype = DType::F32;

  std::map<std::string, std::vector<float>> run() const {
    const int64_t hidden = static_cast<int64_t>(x.size()) / rows;
    KernelSpec spec{.op = op, .dtype = dtype, .paramDtype = paramDtype, .yDtype = dtype, .hidden = hidden, .residual = !residual.empty(),
                    .residualRounding = residualRounding, .mean = op == Op::LayerNorm, .sum = !residual.empty(), .weightOffset = weightOffset};
    std::map<std::string, Array> inputs{{"x", makeArray(dtype, {rows, hidden}, x)}};
    if (!weight.empty())
      inputs["weight"] = makeArray(paramDtype, {hidden}, weight);
    if (!bias.empty())
      inputs["bias"] = makeArray(paramDtype, {hidden}, bias);
    if (!residual.empty())
      inputs["residual"] = makeArray(dtype, {rows, hidden}, residual);
    std::map<std::string, std::vector<float>> results;
    for (const auto &[role, array] : test::interpretOn(normKernel(spec, {!weight.empty(), !bias.empty()}), inputs, {{"eps", eps}}, Precision::Float32))
      results[role] = floats(array);
    return results;
  }

  std::vector<float> y() const { return run().at("y"); }
};

void expectNear(const std::vector<float> &got, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance) << "column " << i;
}

void expectSameBits(const std::vector<float> &got, const std::vector<float> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(canonicalBits(got[i]), canonicalBits(expected[i])) << "column " << i << ": " << got[i] << ", expected " << expected[i];
}

std::vector<float> repeated(std::vector<float> values, int64_t count) {
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(values[i % values.size()]);
  return result;
}

TEST(LargeMean, B1_VarianceSurvivesAMeanOf50000) {
  expectNear(Call{.x = {50000.25f, 49999.5f, 50001, 49999.25f, 50000}}.y(), {0.408243, -0.816486, 1.632971, -1.224729, 0}, 1e-5);
}

TEST(ConstantRows, section4_5_B3_GiveExactlyBias) {
  for (float value : {77.7f, 1000.1f, -1000.1f, 0.1f, 5e20f, 1e-30f})
    for (int64_t hidden : {1, 3, 37, 64, 100, 511, 768, 1000, 1023, 4099, 50257, 262144})
      for (float eps : {1e-12f, 1e-5f}) {
        std::vector<float> bias(hidden);
        for (int64_t i = 0; i < hidden; ++i)
          bias[i] = static_cast<float>(i);
        expectSameBits(Call{.x = std::vector<float>(hidden, value), .eps = eps, .weight = std::vector<float>(hidden, 3), .bias = bias}.y(), bias);
      }
}

TEST(ConstantRows, section4_5_VeryWideOnesMayMissBiasByNextToNothing) {
  // The sum of 5748731 deviations of 3 / 2 ulp takes more than 24 bits. docs/numerics.md states up to which width this cannot happen.
  const float y = Call{.x = std::vector<float>(5748731, 0x1.ce8458p+7f)}.y()[0];
  EXPECT_NE(y, 0);
  EXPECT_LT(std::abs(y), 1e-8);
}

TEST(ConstantRows, section4_5_BeyondTheStatedRangeTheyGiveNaNNotNoise) {
  // Where the first mean is an ulp off, the square of that ulp overflows.
  int lost = 0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> y = Call{.x = std::vector<float>(768, 3e30f + static_cast<float>(i) * 1e28f)}.y();
    for (float value : y)
      ASSERT_TRUE(value == 0 || std::isnan(value)) << value;
    lost += std::isnan(y[0]);
  }
  EXPECT_GT(lost, 0);
}

TEST(ConstantRows, section4_2_AreWhatTheCorrectionIsFor) {
  // The same row without delta, in the same order of additions: what plain two-pass statistics give.
  Kernel plain("plain_two_pass");
  Expr v = plain.load(plain.input("x", DType::F32, 2));
  Expr m = plain.map("m", Domain::Row, ex::div(plain.sum("total", Domain::Row, v), ex::hidden()));
  Expr d = plain.map("d", Domain::Element, ex::sub(v, m));
  Expr var = ex::div(plain.sum("sum_d2", Domain::Row, ex::mul(d, d)), ex::hidden());
  plain.map("y", Domain::Element, ex::div(d, ex::sqrt(ex::add(var, ex::f(1e-5f)))), Store{"y", DType::F32});
  const Array x = makeArray(DType::F32, {1, 768}, std::vector<float>(768, 1000.1f));
  const float without = floats(test::interpretOn(plain, {{"x", x}}, {}, Precision::Float32).at("y"))[0];
  EXPECT_NEAR(without, -0.02, 0.005);
  EXPECT_EQ(Call{.x = std::vector<float>(768, 1000.1f)}.y()[0], 0);
}

TEST(SmallVariance, B5_IsNotClamped) {
  expectNear(Call{.x = {2.5e-4f, -2.5e-4f, 2.5e-4f, -2.5e-4f, 2.5e-4f, -2.5e-4f}, .eps = 1e-12f}.y(),
             {0.999992, -0.999992, 0.999992, -0.999992, 0.999992, -0.999992}, 1e-6);
}

TEST(HalfStorage, section4_1_B7_StatisticsNeverSeeSixteenBits) {
  const auto results = Call{.x = {1000, -1000, 500, -500}, .dtype = DType::F16}.run();
  expectNear(results.at("y"), {1.26465, -1.26465, 0.632324, -0.632324}, 1e-5);
  EXPECT_NEAR(results.at("rstd")[0], 0.00126491, 1e-8);
  std::vector<float> bias{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  expectSameBits(Call{.x = std::vector<float>(10, 0), .eps = 1e-12f, .bias = bias, .dtype = DType::F16}.y(), bias);
}

TEST(Tails, B9_AbsentColumnsAreAbsentAfterCentring) {
  expectNear(Call{.x = {10, 11, 12}}.y(), {-1.224736, 0, 1.224736}, 1e-6);
  for (int64_t hidden = 1; hidden <= 130; ++hidden) {
    const std::vector<float> x = repeated({11, 8, 14, 10, 12}, hidden);
    double sum = 0, squares = 0;
    for (float value : x)
      sum += value;
    for (float value : x)
      squares += (value - sum / hidden) * (value - sum / hidden);
    std::vector<double> expected;
    for (float value : x)
      expected.push_back((value - sum / hidden) / std::sqrt(squares / hidden + 1e-5));
    expectNear(Call{.x = x}.y(), expected, 2e-6);
  }
}

TEST(Parameters, B13_EachIsOptionalOnItsOwn) {
  const std::vector<float> x{1, 2, 3, 4}, two(4, 2), one(4, 1);
  expectNear(Call{.x = x}.y(), {-1.341635, -0.447212, 0.447212, 1.341635}, 1e-6);
  expectNear(Call{.x = x, .weight = two}.y(), {-2.683271, -0.894424, 0.894424, 2.683271}, 1e-6);
  expectNear(Call{.x = x, .bias = one}.y(), {-0.341635, 0.552788, 1.447212, 2.341635}, 1e-6);
  expectNear(Call{.x = x, .weight = two, .bias = one}.y(), {-1.683271, 0.105576, 1.894424, 3.683271}, 1e-6);
}

TEST(Parameters, section2_AnAbsentBiasAddsNothingAndAnAbsentWeightMultipliesNothing) {
  const std::vector<float> x{0, -0.f, 1, -1};
  const std::vector<float> zero(4, 0), minusZero(4, -0.f);
  // rms_norm keeps the sign of zero; adding +0 would lose it, adding -0 keeps it.
  EXPECT_TRUE(std::signbit(Call{.op = Op::RMSNorm, .x = x}.y()[1]));
  EXPECT_FALSE(std::signbit(Call{.x = {-0.f}, .bias = {0}}.y()[0]));
  EXPECT_TRUE(std::signbit(Call{.x = {-0.f}, .bias = {-0.f}}.y()[0]));
  EXPECT_TRUE(std::signbit(Call{.x = {-0.f}}.y()[0]));
  EXPECT_FALSE(std::signbit(Call{.x = {-0.f}, .weight = {-1}}.y()[0]));
}

TEST(Storage, B17_ResidualSumsRoundToTheNearestEven) {
  const auto results = Call{.x = {1, 1, 1.0078125f}, .residual = {0.005859375f, 0.00390625f, 0.00390625f}, .dtype = DType::BF16}.run();
  expectSameBits(results.at("sum"), {1.0078125f, 1, 1.015625f});
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u}) {
    EXPECT_TRUE(std::isnan(f32FromBf16(bf16FromF32(std::bit_cast<float>(bits)))));
    EXPECT_TRUE(std::isnan(f32FromF16(f16FromF32(std::bit_cast<float>(bits)))));
  }
}

TEST(Tails, B19_NoColumnIsNormalizedTwice) {
  expectNear(Call{.x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 30}}.y(),
             {-0.807283, -0.684967, -0.562652, -0.440336, -0.318020, -0.195705, -0.073389, 0.048926, 0.171242, 2.862184}, 2e-6);
}

TEST(NonFinite, section4_5_B27_StayInTheirRow) {
  constexpr int64_t hidden = 20;
  for (Op op : {Op::LayerNorm, Op::RMSNorm})
    for (float bad : {kInfinity, -kInfinity, kNaN}) {
      std::vector<float> x = floats(test::normalArray(DType::F32, {3, hidden}, 27));
      const std::vector<float> clean = Call{.op = op, .x = x, .rows = 3}.y();
      x[hidden + 7] = bad;
      const std::vector<float> y = Call{.op = op, .x = x, .rows = 3}.y();
      for (int64_t c = 0; c < hidden; ++c) {
        EXPECT_EQ(canonicalBits(y[c]), canonicalBits(clean[c]));
        EXPECT_EQ(canonicalBits(y[2 * hidden + c]), canonicalBits(clean[2 * hidden + c]));
        if (op == Op::RMSNorm && std::isinf(bad) && c != 7)
          EXPECT_EQ(y[hidden + c], 0);
        else
          EXPECT_TRUE(std::isnan(y[hidden + c]));
      }
    }
}

TEST(Overflow, section4_5_B28_GivesNaNInLayerNormNeverASilentZero) {
  const auto layer = Call{.x = repeated({1e19f, 2e19f}, 512)}.run();
  for (float y : layer.at("y"))
    EXPECT_TRUE(std::isnan(y));
  EXPECT_TRUE(std::isnan(layer.at("rstd")[0]));
  EXPECT_NEAR(layer.at("mean")[0], 1.5e19, 1e13);
  // rms_norm follows its formula: 1 / sqrt(inf) = 0.
  const auto rms = Call{.op = Op::RMSNorm, .x = repeated({1e19f, 2e19f}, 512)}.run();
  EXPECT_EQ(rms.at("rstd")[0], 0);
  EXPECT_EQ(rms.at("y")[0], 0);
}

TEST(Overflow, section4_5_AccuracyHoldsUpToTheStatedRange) {
  for (float scale : {0x1p51f, 0x1p-51f}) {
    std::vector<float> x = repeated({scale, -scale}, 4096);
    for (float y : Call{.x = x, .eps = 0}.y())
      EXPECT_NEAR(std::abs(y), 1, 4e-7);
    for (float y : Call{.op = Op::RMSNorm, .x = x, .eps = 0}.y())
      EXPECT_NEAR(std::abs(y), 1, 4e-7);
  }
}

TEST(Subnormals, section4_5_AreKeptAndEpsMayBeZero) {
  // Squares underflow, but eps carries the variance; y is a subnormal times 1/sqrt(eps).
  const float tiny = 0x1p-140f;
  expectNear(Call{.op = Op::RMSNorm, .x = {tiny, -tiny}, .eps = 0x1p-20f}.y(), {0x1p-130, -0x1p-130}, 0);
  const auto zeros = Call{.x = {0, 0, 0}, .eps = 0}.run();
  EXPECT_EQ(zeros.at("rstd")[0], kInfinity);
  EXPECT_TRUE(std::isnan(zeros.at("y")[0])); // 0 * inf: what the formula says
  expectNear(Call{.x = {0x1p-50f, -0x1p-50f}, .eps = 0}.y(), {1, -1}, 2e-7);
}

TEST(HiddenOne, section4_5_GivesBias) {
  for (float value : {1.5f, -1e30f, 0.f, 0x1p-149f, 3e38f})
    expectSameBits(Call{.x = {value}, .weight = {7}, .bias = {0.25f}}.y(), {0.25f});
  expectNear(Call{.op = Op::RMSNorm, .x = {3}, .eps = 0}.y(), {1}, 0);
}

TEST(Residual, section4_6_B29_StatisticsSeeTheExactSumUnlessAskedOtherwise) {
  Call call{.x = {256, 256, 256, 256}, .residual = {1, 0, 0, 0}, .dtype = DType::BF16};
  expectNear(call.y(), {1.732005, -0.577335, -0.577335, -0.577335}, 4e-3);
  call.residualRounding = ResidualRounding::Storage;
  expectSameBits(call.y(), {0, 0, 0, 0});
}

TEST(Residual, section4_6_TheSumIsStoredOnceRoundedAndLeavesYAlone) {
  Call call{.x = {256, 1, 2, 3}, .residual = {1, 0, 0, 0}, .dtype = DType::BF16};
  const auto results = call.run();
  EXPECT_EQ(results.at("sum")[0], 256);
  // y of the exact sum, given directly.
  expectSameBits(results.at("y"), [] {
    Call exact{.x = {257, 1, 2, 3}};
    std::vector<float> y = exact.y();
    for (float &value : y)
      value = roundToStorage(DType::BF16, value);
    return y;
  }());
}

TEST(WeightOffset, section4_2_B29_IsAddedInFloat32) {
  const std::vector<float> y = Call{.op = Op::RMSNorm, .x = {1, 7}, .eps = 0, .weight = {0x1p-8f, 0x1p-8f}, .weightOffset = 1, .paramDtype = DType::BF16}.y();
  EXPECT_NEAR(y[1], 1.405469, 1e-6);
  EXPECT_EQ(roundToStorage(DType::BF16, y[1]), 1.40625f);
}

TEST(Eps, B31_StandsUnderTheRootAndTheVarianceIsBiased) {
  expectNear(Call{.x = {1, -1}, .eps = 3}.y(), {0.5, -0.5}, 1e-7);
  expectNear(Call{.op = Op::RMSNorm, .x = {3, 4}, .eps = 1}.y(), {0.816497, 1.088662}, 1e-6);
  expectNear(Call{.x = {0, 1, 2, 3}, .eps = 0}.y(), {-1.341641, -0.447214, 0.447214, 1.341641}, 1e-6);
}

TEST(Batches, section4_3_B33_ARowHasTheSameBitsInAnyCompany) {
  constexpr int64_t hidden = 4096, rows = 300;
  const std::vector<float> x = floats(test::normalArray(DType::BF16, {rows, hidden}, 33));
  const std::vector<float> batch = Call{.x = x, .rows = rows, .dtype = DType::BF16}.y();
  for (int64_t row : {0, 255, 299})
    expectSameBits(Call{.x = {x.begin() + row * hidden, x.begin() + (row + 1) * hidden}, .dtype = DType::BF16}.y(),
                   {batch.begin() + row * hidden, batch.begin() + (row + 1) * hidden});
}

} // namespace
} // namespace normc::numerics
