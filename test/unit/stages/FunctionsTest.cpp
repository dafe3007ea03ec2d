// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The float32 functions against double. NORMC_FUNCTION_STRIDE=1 takes all float32 arguments (minutes); the default takes every 509th.
#include "compiler/stages/functions.h"

#include "compiler/reference/interpreter.h"
#include "test/support/arrays.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

namespace normc::test {
namespace {

struct Function {
  const char *name;
  Expr (*build)(Expr);
  double ulps; ///< the bound that functions.h states
  bool odd;
};

class FunctionsTest : public testing::TestWithParam<Function> {
protected:
  std::vector<float> apply(const std::vector<float> &x, Precision precision = Precision::Float32) const {
    Kernel k(GetParam().name);
    k.map("y", Domain::Element, GetParam().build(k.load(k.input("x", DType::F32, 2))), Store{"y", DType::F32});
    return floats(interpretOn(k, {{"x", makeArray(DType::F32, {1, static_cast<int64_t>(x.size())}, x)}}, {}, precision).at("y"));
  }
};

/// |got - exact| in units in the last place of the float32 binade that exact lies in; 0 where both are infinite.
double errorInUlps(float got, double exact) {
  if (std::isinf(got) || std::isinf(static_cast<float>(exact)))
    return got == static_cast<float>(exact) ? 0 : std::numeric_limits<double>::infinity();
  return std::abs(got - exact) / std::ldexp(1.0, std::max(exact == 0 ? -126 : std::ilogb(exact), -126) - 23);
}

TEST_P(FunctionsTest, section2_ErrorIsWithinTheStatedBound) {
  const Function &function = GetParam();
  const char *setting = std::getenv("NORMC_FUNCTION_STRIDE");
  const uint64_t stride = setting ? std::strtoull(setting, nullptr, 10) : 509;
  ASSERT_GT(stride, 0u);
  double worst = 0;
  float at = 0;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32;) {
    std::vector<float> x;
    for (; x.size() < 1 << 20 && bits < uint64_t{1} << 32; bits += stride)
      if (const float value = std::bit_cast<float>(static_cast<uint32_t>(bits)); !std::isnan(value))
        x.push_back(value);
    const std::vector<float> y = apply(x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = errorInUlps(y[i], exactFunction(function.name)(x[i]));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
      ASSERT_TRUE(!function.odd || std::signbit(y[i]) == std::signbit(x[i])) << x[i];
    }
  }
  EXPECT_LE(worst, function.ulps) << "at " << std::hexfloat << at;
  EXPECT_GE(worst, 0.5) << "no float32 function is this good";
  RecordProperty("worst_ulps", std::to_string(worst));
}

TEST_P(FunctionsTest, ZerosAndInfinities) {
  const Function &function = GetParam();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> y = apply({0.f, -0.f, infinity, -infinity});
  EXPECT_EQ(canonicalBits(y[0]), canonicalBits(function.odd ? 0.f : 1.f));
  EXPECT_EQ(canonicalBits(y[1]), canonicalBits(function.odd ? -0.f : 1.f));
  EXPECT_EQ(y[2], function.odd ? 1 : infinity);
  EXPECT_EQ(y[3], function.odd ? -1 : 0);
}

TEST_P(FunctionsTest, KeepsNaNAndMeansTheFunctionInDouble) {
  EXPECT_TRUE(std::isnan(apply({std::numeric_limits<float>::quiet_NaN()})[0]));
  EXPECT_EQ(apply({0.7f}, Precision::Double)[0], static_cast<float>(exactFunction(GetParam().name)(0.7f)));
}

INSTANTIATE_TEST_SUITE_P(All, FunctionsTest, testing::Values(Function{"exp", ex::exp, 1.02, false}, Function{"erf", ex::erf, 1.24, true}, Function{"tanh", ex::tanh, 1.42, true}),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Functions, UnknownNamesHaveNoMeaning) { EXPECT_EQ(exactFunction("sinc"), nullptr); }

} // namespace
} // namespace normc::test
