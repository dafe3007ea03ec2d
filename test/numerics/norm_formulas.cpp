// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/numerics/norm_formulas.h"

#include "compiler/support/canonical_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normc::numerics {
namespace {

constexpr double kUnit = 0x1p-24;       ///< unit roundoff of float32
constexpr double kTiny = 0x1p-149;      ///< more than an underflowing operation can lose

/// The bound on the product of k roundings: k u / (1 - k u).
double gamma(int64_t k) { return static_cast<double>(k) * kUnit / (1 - static_cast<double>(k) * kUnit); }

/// Like the result of one more float32 operation whose exact result is `value` +- `bound`.
Bounded rounded(double value, double bound) { return {value, bound + kUnit * (std::abs(value) + bound) + kTiny}; }

/// a b, both known up to their bounds, rounded.
Bounded product(Bounded a, Bounded b) {
  return rounded(a.value * b.value, std::abs(a.value) * b.bound + std::abs(b.value) * a.bound + a.bound * b.bound);
}

/// rstd = 1 / sqrt(variance + eps) where the computed variance is off by at most `error`, and addition, root and division round.
Bounded reciprocalRoot(DoubleDouble variance, double error, float eps) {
  const DoubleDouble argument = variance + eps;
  const double value = static_cast<double>(DoubleDouble(1) / sqrt(argument));
  const double most = (static_cast<double>(argument) + error) * (1 + kUnit);
  const double least = (std::max(static_cast<double>(variance) - error, 0.0) + eps) * (1 - kUnit);
  const double low = (1 - gamma(2)) / std::sqrt(most);
  const double high = least > 0 ? (1 + gamma(2)) / std::sqrt(least) : std::numeric_limits<double>::infinity();
  return {value, std::max(value - low, high - value)};
}

/// normalized weight + bias, where the parameters are there.
Bounded applyParameters(const NormRow &row, size_t i, Bounded y) {
  if (row.weight) {
    const double weight = (*row.weight)[i];
    y = product(y, row.weightOffset ? rounded(weight + row.weightOffset, 0) : Bounded{weight, 0});
  }
  if (row.bias)
    y = rounded(y.value + (*row.bias)[i], y.bound);
  return y;
}

NormResult layerNorm(const NormRow &row) {
  const int64_t hidden = static_cast<int64_t>(row.values.size());
  DoubleDouble sum, magnitudes, squares;
  for (float x : row.values) {
    sum = sum + x;
    magnitudes = magnitudes + std::abs(x);
  }
  const DoubleDouble mean = sum / static_cast<double>(hidden);
  for (float x : row.values) {
    const DoubleDouble deviation = x - mean;
    squares = squares + deviation * deviation;
  }
  const DoubleDouble variance = squares / static_cast<double>(hidden);

  // The names are those of docs/numerics.md.
  const int64_t k = order::rowFoldDepth(hidden);
  const double mu = std::abs(static_cast<double>(mean)), sigma2 = static_cast<double>(variance);
  const double average = static_cast<double>(magnitudes) / static_cast<double>(hidden);
  const double e = gamma(k) * average + kUnit * (mu + gamma(k) * average) + kTiny;
  const double s2 = sigma2 + e * e;
  const double eta = gamma(k + 2) * std::sqrt(s2) + kTiny;
  const double subtracted = eta * (2 * e + eta) + gamma(2) * (e + eta) * (e + eta);
  const double varianceError = (gamma(k + 3) * s2 + subtracted) * (1 + gamma(2)) + gamma(2) * sigma2 + 4 * kTiny;

  NormResult result;
  result.mean = rounded(static_cast<double>(mean), eta);
  result.rstd = reciprocalRoot(variance, varianceError, row.eps);
  for (size_t i = 0; i < row.values.size(); ++i) {
    const double deviation = static_cast<double>(row.values[i] - mean);
    const Bounded centred = rounded(deviation, kUnit * (std::abs(deviation) + e) + eta);
    Bounded y = product(centred, result.rstd);
    y.value = static_cast<double>((row.values[i] - mean) / sqrt(variance + row.eps));
    result.y.push_back(applyParameters(row, i, y));
  }
  return result;
}

NormResult rmsNorm(const NormRow &row) {
  const int64_t hidden = static_cast<int64_t>(row.values.size());
  DoubleDouble squares;
  for (float x : row.values)
    squares = squares + DoubleDouble(x) * x;
  const DoubleDouble meanSquare = squares / static_cast<double>(hidden);
  const double error = gamma(order::rowFoldDepth(hidden) + 2) * static_cast<double>(meanSquare) + 2 * kTiny;

  NormResult result;
  result.rstd = reciprocalRoot(meanSquare, error, row.eps);
  for (size_t i = 0; i < row.values.size(); ++i) {
    Bounded y = product({row.values[i], 0}, result.rstd);
    y.value = static_cast<double>(row.values[i] / sqrt(meanSquare + row.eps));
    result.y.push_back(applyParameters(row, i, y));
  }
  return result;
}

} // namespace

NormResult exactNorm(const NormRow &row) { return row.op == Op::LayerNorm ? layerNorm(row) : rmsNorm(row); }

Bounded stored(DType dtype, Bounded value) {
  switch (dtype) {
  case DType::F16: return {value.value, value.bound + 0x1p-11 * (std::abs(value.value) + value.bound) + 0x1p-25};
  case DType::BF16: return {value.value, value.bound + 0x1p-8 * (std::abs(value.value) + value.bound) + 0x1p-134};
  default: return value;
  }
}

} // namespace normc::numerics
