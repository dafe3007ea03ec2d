// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/numerics/double_double.h"
#include "test/numerics/norm_formulas.h"

#include <gtest/gtest.h>

namespace normc::numerics {
namespace {

bool near(DoubleDouble a, DoubleDouble b) { return std::abs(static_cast<double>(a - b)) <= 0x1p-100 * std::abs(b.high); }

TEST(DoubleDouble, KeepsWhatDoubleLoses) {
  EXPECT_EQ(static_cast<double>(DoubleDouble(1) + 0x1p-90 - 1), 0x1p-90);
  const DoubleDouble a = DoubleDouble(1) + 0x1p-60;
  EXPECT_TRUE(near(a * a, DoubleDouble(1) + 0x1p-59));
}

TEST(DoubleDouble, DivisionAndRootInvert) {
  for (double value : {3.0, 0.1, 12345.678, 1e-20}) {
    const DoubleDouble a = DoubleDouble(1) / value;
    EXPECT_TRUE(near(a * value, 1)) << value;
    EXPECT_TRUE(near(sqrt(a) * sqrt(a), a)) << value;
  }
}

TEST(NormFormulas, KnownValues) {
  const NormResult layer = exactNorm({.values = {0, 1, 2, 3}, .eps = 0});
  EXPECT_DOUBLE_EQ(layer.mean.value, 1.5);
  EXPECT_DOUBLE_EQ(layer.rstd.value, 1 / std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(layer.y[0].value, -1.5 / std::sqrt(1.25));
  const NormResult rms = exactNorm({.op = Op::RMSNorm, .values = {3, 4}, .weight = std::vector<float>{1, 0.5f}, .eps = 1, .weightOffset = 1});
  EXPECT_DOUBLE_EQ(rms.y[0].value, 2 * 3 / std::sqrt(13.5));
  EXPECT_DOUBLE_EQ(rms.y[1].value, 1.5 * 4 / std::sqrt(13.5));
}

TEST(NormFormulas, BoundsAreTight) {
  // A few units in the last place for an ordinary row: a bound that allowed more would prove little.
  std::vector<float> values;
  for (int i = 0; i < 768; ++i)
    values.push_back(static_cast<float>(std::sin(i)));
  const NormResult result = exactNorm({.values = values});
  for (const Bounded &y : result.y)
    EXPECT_LT(y.bound, 40 * 0x1p-24 * std::max(1.0, std::abs(y.value)));
  EXPECT_LT(result.rstd.bound, 16 * 0x1p-24 * result.rstd.value);
}

} // namespace
} // namespace normc::numerics
