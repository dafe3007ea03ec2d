// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/interpreter.h"

#include "compiler/stages/norms.h"
#include "compiler/support/canonical_order.h"
#include "test/support/arrays.h"
#include "test/unit/support/ThrowsCode.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <xmmintrin.h>

namespace normc::test {
namespace {

using namespace ex;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// y = f(x, w) on one row; w is a second input.
template <class F> std::vector<float> apply(F f, const std::vector<float> &x, const std::vector<float> &w, Precision precision = Precision::Float32) {
  Kernel k("apply");
  Expr a = k.load(k.input("x", DType::F32, 2)), b = k.load(k.input("w", DType::F32, 2));
  k.map("y", Domain::Element, f(a, b), Store{"y", DType::F32});
  const int64_t columns = static_cast<int64_t>(x.size());
  return floats(interpretOn(k, {{"x", makeArray(DType::F32, {1, columns}, x)}, {"w", makeArray(DType::F32, {1, columns}, w)}}, {}, precision).at("y"));
}

template <class F> float apply1(F f, float x, Precision precision = Precision::Float32) {
  return apply([&](Expr a, Expr) { return f(a); }, {x}, {0}, precision)[0];
}

void expectSameBits(const std::vector<float> &got, const std::vector<float> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(canonicalBits(got[i]), canonicalBits(expected[i])) << i << ": " << got[i] << ", expected " << expected[i];
}

TEST(Operators, section2_MaxAndMinTakeTheSecondZeroAndKeepNaN) {
  const std::vector<float> a{1, 2, kNaN, 1, 0.f, -0.f, kNaN, -kInfinity}, b{2, 1, 1, kNaN, -0.f, 0.f, kNaN, kInfinity};
  expectSameBits(apply([](Expr x, Expr w) { return ex::max(x, w); }, a, b), {2, 2, kNaN, kNaN, -0.f, 0.f, kNaN, kInfinity});
  expectSameBits(apply([](Expr x, Expr w) { return ex::min(x, w); }, a, b), {1, 1, kNaN, kNaN, -0.f, 0.f, kNaN, -kInfinity});
}

TEST(Operators, section2_NegAndAbsTouchTheSignBitOnly) {
  EXPECT_EQ(std::bit_cast<uint32_t>(apply1(neg, 0.f)), 0x80000000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(apply1(abs, -0.f)), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(apply1(abs, std::bit_cast<float>(0xffc00001u))), 0x7fc00001u);
}

TEST(Operators, section2_RoundEven) {
  for (Precision precision : {Precision::Float32, Precision::Double})
    expectSameBits(apply([](Expr x, Expr) { return roundEven(x); }, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0x1p23f + 1, 8388607.5f, kNaN, -kInfinity}, std::vector<float>(9), precision),
                   {0, 2, 2, -0.f, -2, 0x1p23f + 1, 0x1p23f, kNaN, -kInfinity});
}

TEST(Operators, section2_Casts) {
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::BF16, x); }, 1.005859375f), 1.0078125f);
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::F16, x); }, 65519.f), 65504.f);
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::F16, x); }, 65520.f), kInfinity);
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::S8, x); }, -2.5f), -2.f);
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::S8, x); }, -1e9f), -128.f);
  EXPECT_EQ(apply1([](Expr x) { return roundTo(DType::U8, x); }, kNaN), 0.f);
}

TEST(Operators, ComparisonsAreFalseForNaN) {
  for (auto compare : {lt, le, eq})
    EXPECT_EQ(apply1([&](Expr x) { return select(compare(x, x), f(1), f(2)); }, kNaN), 2.f);
  EXPECT_EQ(apply1([](Expr x) { return select(logicalNot(eq(x, x)), f(1), f(2)); }, kNaN), 1.f);
  EXPECT_EQ(apply1([](Expr x) { return select(logicalAnd(lt(x, f(2)), lt(f(0), x)), f(1), f(2)); }, 1.f), 1.f);
  EXPECT_EQ(apply1([](Expr x) { return select(logicalOr(lt(x, f(0)), le(f(2), x)), f(1), f(2)); }, 1.f), 2.f);
}

TEST(Operators, Bits) {
  EXPECT_EQ(apply1([](Expr x) { return fromBits(addU(shiftLeft(shiftRight(bitsOf(x), 23), 23), u(0x800000))); }, 1.75f), 2.f);
  EXPECT_EQ(apply1([](Expr x) { return fromBits(logicalNot(logicalNot(bitsOf(x)))); }, 1.75f), 1.75f);
  EXPECT_EQ(apply1([](Expr x) { return fromBits(select(lt(x, f(0)), u(0), logicalAnd(bitsOf(x), u(0xff800000)))); }, 1.75f), 1.f);
}

TEST(Operators, BitsHaveNoMeaningInDouble) {
  EXPECT_TRUE(throwsCode([] { apply1([](Expr x) { return fromBits(bitsOf(x)); }, 1.f, Precision::Double); }, DiagCode::InternalError, "no meaning in double"));
}

/// The definition of docs/numerics.md, written out.
float definition(const std::vector<float> &t) {
  const size_t segments = (t.size() + 511) / 512;
  std::vector<float> p(segments);
  for (size_t s = 0; s < segments; ++s) {
    float a[64] = {};
    for (size_t lane = 0; lane < 64; ++lane)
      for (size_t i = s * 512 + lane; i < std::min(t.size(), (s + 1) * 512); i += 64)
        a[lane] = a[lane] + t[i];
    for (int width : {32, 16, 8, 4, 2, 1})
      for (int lane = 0; lane < width; ++lane)
        a[lane] = a[lane] + a[lane + width];
    p[s] = a[0];
  }
  for (size_t k = 1; k < segments; k *= 2)
    for (size_t s = 0; s + k < segments; s += 2 * k)
      p[s] = p[s] + p[s + k];
  return p[0] + 0.0f;
}

Kernel foldKernel(bool maximum, Domain into) {
  Kernel k("fold");
  Expr x = k.load(k.input("x", DType::F32, 2));
  if (maximum)
    k.maximum("r", into, x, Store{"r", DType::F32});
  else
    k.sum("r", into, x, Store{"r", DType::F32});
  return k;
}

std::vector<float> fold(bool maximum, Domain into, int64_t rows, const std::vector<float> &x) {
  const int64_t columns = rows ? static_cast<int64_t>(x.size()) / rows : 3;
  return floats(interpretOn(foldKernel(maximum, into), {{"x", makeArray(DType::F32, {rows, columns}, x)}}, {}, Precision::Float32).at("r"));
}

TEST(Folds, section4_3_RowSumsFollowTheDefinition) {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  std::vector<int64_t> widths;
  for (int64_t h = 1; h <= 130; ++h)
    widths.push_back(h);
  for (int64_t h : {511, 512, 513, 768, 1023, 1024, 1025, 1536, 2049, 5000, 32768, 32769, 50257, 100000})
    widths.push_back(h);
  for (int64_t hidden : widths) {
    const std::vector<float> x = generate(hidden, [&] { return normal(engine); });
    expectSameBits(fold(false, Domain::Row, 1, x), {definition(x)});
  }
}

TEST(Folds, section4_3_TheRootIsNeverMinusZero) {
  for (int64_t hidden : {1, 64, 600}) {
    expectSameBits(fold(false, Domain::Row, 1, std::vector<float>(hidden, -0.f)), {0.f});
    expectSameBits(fold(false, Domain::Column, hidden, std::vector<float>(hidden, -0.f)), {0.f});
  }
}

TEST(Folds, section4_3_MaximaSkipAbsentTermsAndKeepTheZeroOfTheLaterOperand) {
  expectSameBits(fold(true, Domain::Row, 1, {-3, -1, -2}), {-1});
  expectSameBits(fold(true, Domain::Row, 1, {0.f, -0.f}), {-0.f});
  expectSameBits(fold(true, Domain::Row, 1, {-0.f, 0.f}), {0.f});
  std::vector<float> x(700, -1);
  x[650] = kNaN;
  expectSameBits(fold(true, Domain::Row, 1, x), {kNaN});
  expectSameBits(fold(true, Domain::Column, 700, x), {kNaN});
}

TEST(Folds, section4_3_ColumnSumsGoByChunksOf32Rows) {
  std::mt19937 engine(11);
  std::normal_distribution<float> normal;
  for (int64_t rows : {1, 2, 31, 32, 33, 64, 65, 100, 1000}) {
    const int64_t columns = 700;
    const std::vector<float> x = generate(rows * columns, [&] { return normal(engine); });
    std::vector<float> expected;
    for (int64_t c = 0; c < columns; ++c) {
      std::vector<float> p;
      for (int64_t r = 0; r < rows; ++r)
        if (r % 32 == 0)
          p.push_back(x[r * columns + c]);
        else
          p.back() += x[r * columns + c];
      for (size_t k = 1; k < p.size(); k *= 2)
        for (size_t s = 0; s + k < p.size(); s += 2 * k)
          p[s] += p[s + k];
      expected.push_back(p[0] + 0.f);
    }
    expectSameBits(fold(false, Domain::Column, rows, x), expected);
  }
}

TEST(Folds, section4_7_NoRowsGiveZeroColumnSums) {
  expectSameBits(fold(false, Domain::Column, 0, {}), {0, 0, 0});
  expectSameBits(fold(true, Domain::Column, 0, {}), {-kInfinity, -kInfinity, -kInfinity});
  EXPECT_TRUE(fold(false, Domain::Row, 0, {}).empty());
}

TEST(Passes, WhatReadsAColumnStageWaitsForAllRows) {
  // Batch normalization without a variance: y = x - mean over rows, then the row sums of y and the column maxima of |y|.
  Kernel k("column_mean");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr mean = k.map("mean", Domain::Column, div(k.sum("total", Domain::Column, x), ex::rows()), Store{"mean", DType::F32});
  Expr y = k.map("y", Domain::Element, sub(x, mean), Store{"y", DType::F32});
  k.sum("row_sum", Domain::Row, y, Store{"row_sum", DType::F32});
  k.maximum("peak", Domain::Column, abs(y), Store{"peak", DType::F32});
  const auto outputs = interpretOn(k, {{"x", makeArray(DType::F32, {2, 3}, {1, 2, 3, 3, 6, 9})}}, {}, Precision::Float32);
  expectSameBits(floats(outputs.at("mean")), {2, 4, 6});
  expectSameBits(floats(outputs.at("y")), {-1, -2, -3, 1, 2, 3});
  expectSameBits(floats(outputs.at("row_sum")), {-6, 6});
  expectSameBits(floats(outputs.at("peak")), {1, 2, 3});
}

TEST(Arrays, IndexMapsAndStrides) {
  Kernel k("maps");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr p = k.load(k.input("p", DType::BF16, 2), {Index::row() / 2, (Index::column() * 2 + Index::constant(1)) % 3});
  k.map("y", Domain::Element, add(x, p), Store{"y", DType::F32});
  Invocation invocation;
  invocation.rows = 3;
  invocation.hidden = 2;
  // Rows 4 apart, columns backwards.
  const std::vector<float> storage{2, 1, -1, -1, 4, 3, -1, -1, 6, 5};
  invocation.inputs["x"] = {DType::F32, {3, 2}, storage.data() + 1, {4, -1}};
  const Array parameters = makeArray(DType::BF16, {2, 3}, {10, 20, 30, 40, 50, 60});
  invocation.inputs["p"] = parameters.view();
  expectSameBits(floats(interpret(k, invocation, Precision::Float32).at("y")), {21, 12, 23, 14, 55, 46});
}

TEST(Arrays, WhatDoesNotFitIsRefused) {
  const KernelSpec spec{.hidden = 4};
  const Kernel kernel = normKernel(spec, {.weight = true});
  const std::map<std::string, double> eps{{"eps", 1e-5}};
  const Array x = normalArray(DType::F32, {2, 4}, 1);
  const auto run = [&](std::map<std::string, Array> inputs, std::map<std::string, double> scalars) {
    return [&kernel, inputs, scalars] { interpretOn(kernel, inputs, scalars, Precision::Float32); };
  };
  EXPECT_TRUE(throwsCode(run({{"x", x}}, eps), DiagCode::MissingRole, "reads 'weight', which was not given"));
  EXPECT_TRUE(throwsCode(run({{"x", x}, {"weight", normalArray(DType::F16, {4}, 1)}}, eps), DiagCode::DTypeMismatch, "'weight' is f16, expected f32"));
  EXPECT_TRUE(throwsCode(run({{"x", x}, {"weight", normalArray(DType::F32, {1, 4}, 1)}}, eps), DiagCode::ShapeMismatch, "shape (1, 4), expected 1 dimension"));
  EXPECT_TRUE(throwsCode(run({{"x", x}, {"weight", normalArray(DType::F32, {3}, 1)}}, eps), DiagCode::ShapeMismatch, "reads element 3 of dimension 0 of 'weight', which has 3"));
  EXPECT_TRUE(throwsCode(run({{"x", x}, {"weight", normalArray(DType::F32, {4}, 1)}}, {}), DiagCode::MissingRole, "the scalar 'eps'"));
  Invocation invocation;
  invocation.rows = 2;
  invocation.hidden = 4;
  invocation.scalars = eps;
  invocation.outputs = {"z"};
  const Array weight = normalArray(DType::F32, {4}, 1);
  invocation.inputs = {{"x", x.view()}, {"weight", weight.view()}};
  EXPECT_TRUE(throwsCode([&] { interpret(kernel, invocation, Precision::Float32); }, DiagCode::MissingRole, "has no output 'z'"));
  invocation.outputs = {"y"};
  EXPECT_EQ(interpret(kernel, invocation, Precision::Float32).size(), 1u);
}

TEST(Arrays, B28_TooManyColumnsAreRefusedWithTheLimit) {
  Invocation invocation;
  invocation.hidden = (int64_t{1} << 24) + (int64_t{1} << 20);
  EXPECT_TRUE(throwsCode([&] { interpret(foldKernel(false, Domain::Row), invocation, Precision::Float32); }, DiagCode::BadNumber, "16777216"));
}

TEST(Environment, section4_4_TheCallersModesNeitherMatterNorChange) {
  const KernelSpec spec{.hidden = 700};
  const Kernel kernel = normKernel(spec, {});
  const std::map<std::string, Array> inputs{{"x", makeArray(DType::F32, {1, 700}, generate(700, [n = 0]() mutable { return static_cast<float>(n++ % 17) * 1e-39f; }))}};
  const auto expected = interpretOn(kernel, inputs, {{"eps", 0}}, Precision::Float32);
  const unsigned before = _mm_getcsr();
  const unsigned odd = 0x9fc0 | 0x6000; // flush to zero, denormals are zero, round toward zero
  _mm_setcsr(odd);
  const auto got = interpretOn(kernel, inputs, {{"eps", 0}}, Precision::Float32);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, odd);
  expectSameBits(floats(got.at("y")), floats(expected.at("y")));
}

TEST(Double, section3_F64KernelsAreDoubleThroughout) {
  const KernelSpec spec{.dtype = DType::F64, .paramDtype = DType::F64, .yDtype = DType::F64, .hidden = 3};
  // A difference that float32 does not hold.
  const std::vector<double> x{1, 1 + 1e-12, 1 - 1e-12};
  const auto outputs = interpretOn(normKernel(spec, {}), {{"x", makeArray({1, 3}, x)}}, {{"eps", 0}}, Precision::Double);
  EXPECT_EQ(outputs.at("mean").dtype, DType::F64);
  EXPECT_EQ(outputs.at("rstd").dtype, DType::F64);
  const std::vector<double> y = outputs.at("y").values();
  EXPECT_NEAR(y[1], 1.2247448714, 2e-4);
  EXPECT_TRUE(throwsCode([&] { interpretOn(normKernel(spec, {}), {{"x", makeArray({1, 3}, x)}}, {{"eps", 0}}, Precision::Float32); }, DiagCode::InternalError, "f64"));
}

TEST(Double, RoundingInsideAFormulaStillRounds) {
  KernelSpec spec{.dtype = DType::BF16, .paramDtype = DType::BF16, .yDtype = DType::BF16, .hidden = 2, .residual = true,
                  .residualRounding = ResidualRounding::Storage, .sum = true};
  const auto outputs = interpretOn(normKernel(spec, {}), {{"x", makeArray(DType::BF16, {1, 2}, {256, 0})}, {"residual", makeArray(DType::BF16, {1, 2}, {1, 0})}},
                                   {{"eps", 1e-5}}, Precision::Double);
  EXPECT_EQ(outputs.at("sum").values()[0], 256);
}

TEST(Speed, AFewNanosecondsPerElementAndNode) {
  const KernelSpec spec{.hidden = 1024};
  const Kernel kernel = normKernel(spec, {});
  const std::map<std::string, Array> inputs{{"x", normalArray(DType::F32, {1000, 1024}, 1)}};
  const auto start = std::chrono::steady_clock::now();
  interpretOn(kernel, inputs, {{"eps", 1e-5}}, Precision::Float32);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("ns_per_element", std::to_string(seconds * 1e9 / 1.024e6));
  // Generous: sanitizer and debug builds take it too. It catches an interpreter that walks trees element by element.
  EXPECT_LT(seconds, 2);
}

} // namespace
} // namespace normc::test
