// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double-double arithmetic (Dekker 1971; Hida, Li, Bailey 2001): about 106 bits, for the formulas that judge the reference. For finite values only.
#pragma once

#include <cmath>

namespace normc::numerics {

/// The unevaluated sum high + low with |low| at most half an ulp of high.
struct DoubleDouble {
  double high = 0, low = 0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}

  explicit operator double() const { return high + low; }
};

/// a + b exactly.
inline DoubleDouble twoSum(double a, double b) {
  const double sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

/// a + b exactly where |a| >= |b|.
inline DoubleDouble quickTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = twoSum(a.high, b.high), low = twoSum(a.low, b.low);
  const DoubleDouble partial = quickTwoSum(high.high, high.low + low.high);
  return quickTwoSum(partial.high, partial.low + low.low);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const double product = a.high * b.high;
  const double rest = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
  return quickTwoSum(product, rest);
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  const double third = (rest - b * second).high / b.high;
  return DoubleDouble(first) + second + third;
}

/// One Newton step from the double square root doubles its digits.
inline DoubleDouble sqrt(DoubleDouble a) {
  if (a.high <= 0)
    return 0;
  const double root = std::sqrt(a.high);
  return DoubleDouble(root) + (a - DoubleDouble(root) * root).high / (2 * root);
}

} // namespace normc::numerics
