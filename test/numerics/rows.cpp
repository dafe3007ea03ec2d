// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/numerics/rows.h"

#include "compiler/stages/norms.h"
#include "test/support/arrays.h"

#include <algorithm>
#include <cmath>

namespace normc::numerics {
namespace {

using test::generate;

template <class Distribution> std::vector<float> draw(int64_t hidden, std::mt19937 &engine, Distribution distribution, double factor = 1, double shift = 0) {
  return generate(hidden, [&] { return static_cast<float>(distribution(engine) * factor + shift); });
}

using Normal = std::normal_distribution<double>;
using Uniform = std::uniform_real_distribution<double>;

std::vector<float> constantRow(int64_t hidden, std::mt19937 &engine) { return std::vector<float>(hidden, static_cast<float>(Uniform(500, 2000)(engine))); }

/// A constant row with one element an ulp off.
std::vector<float> nearlyConstantRow(int64_t hidden, std::mt19937 &engine) {
  std::vector<float> row = constantRow(hidden, engine);
  float &one = row[engine() % row.size()];
  one = std::nextafter(one, 4000.f);
  return row;
}

std::vector<float> outlierRow(int64_t hidden, std::mt19937 &engine) {
  std::vector<float> row = draw(hidden, engine, Normal());
  row[engine() % row.size()] = 1e6f;
  return row;
}

std::vector<float> twoValuedRow(int64_t hidden, std::mt19937 &engine) {
  return generate(hidden, [&] { return engine() % 2 ? 3e6f : -3e6f; });
}

void compare(Worst &worst, double got, Bounded expected, double unit, const std::string &what, std::string &firstExcess) {
  const double error = std::abs(got - expected.value);
  if (error > 0) {
    worst.error = std::max(worst.error, error / (unit * 0x1p-24));
    worst.ofBound = std::max(worst.ofBound, error / expected.bound);
  }
  if (!(error <= expected.bound) && firstExcess.empty())
    firstExcess = what + " is " + std::to_string(got) + ", exactly " + std::to_string(expected.value) + ": off by " + std::to_string(error / expected.bound) + " times the bound";
}

} // namespace

const std::vector<RowKind> &rowKinds() {
  static const std::vector<RowKind> kinds = {
      {"normal", [](int64_t h, std::mt19937 &e) { return draw(h, e, Normal()); }},
      {"uniform (0, 1)", [](int64_t h, std::mt19937 &e) { return draw(h, e, Uniform()); }},
      {"lognormal", [](int64_t h, std::mt19937 &e) { return draw(h, e, std::lognormal_distribution<double>(0, 2)); }},
      {"mean 1e4", [](int64_t h, std::mt19937 &e) { return draw(h, e, Normal(), 1, 1e4); }},
      {"1 + 1e-6 noise", [](int64_t h, std::mt19937 &e) { return draw(h, e, Normal(), 1e-6, 1); }, 1e-12},
      {"+-3e6", twoValuedRow},
      {"one outlier", outlierRow},
      {"constant", constantRow},
      {"constant but one ulp", nearlyConstantRow, 1e-12},
      {"normal 2^48", [](int64_t h, std::mt19937 &e) { return draw(h, e, Normal(), 0x1p48); }},
      {"normal 2^-45", [](int64_t h, std::mt19937 &e) { return draw(h, e, Normal(), 0x1p-45); }, 0},
  };
  return kinds;
}

void Accuracy::merge(const Accuracy &other) {
  for (auto [mine, theirs] : {std::pair{&y, &other.y}, std::pair{&mean, &other.mean}, std::pair{&rstd, &other.rstd}}) {
    mine->ofBound = std::max(mine->ofBound, theirs->ofBound);
    mine->error = std::max(mine->error, theirs->error);
  }
  if (firstExcess.empty())
    firstExcess = other.firstExcess;
}

Accuracy measure(const KernelSpec &spec, const RowKind &kind, int64_t rows, uint32_t seed) {
  std::mt19937 engine(seed);
  const int64_t hidden = spec.hidden;
  const bool weight = spec.weight == Presence::Required, bias = spec.bias == Presence::Required;
  std::vector<float> x;
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<float> values = kind.make(hidden, engine);
    x.insert(x.end(), values.begin(), values.end());
  }
  std::map<std::string, Array> inputs{{"x", test::makeArray(spec.dtype, {rows, hidden}, x)}};
  if (weight)
    inputs["weight"] = test::makeArray(spec.paramDtype, {hidden}, draw(hidden, engine, Normal()));
  if (bias)
    inputs["bias"] = test::makeArray(spec.paramDtype, {hidden}, draw(hidden, engine, Normal()));
  const float eps = static_cast<float>(kind.eps);
  const std::map<std::string, Array> outputs = test::interpretOn(normKernel(spec, {weight, bias}), inputs, {{"eps", eps}}, Precision::Float32);

  const std::vector<float> stored = test::floats(inputs["x"]), y = test::floats(outputs.at("y")), rstd = test::floats(outputs.at("rstd"));
  const std::vector<float> mean = spec.mean ? test::floats(outputs.at("mean")) : std::vector<float>();
  NormRow row{.op = spec.op, .eps = eps, .weightOffset = spec.weightOffset};
  if (weight)
    row.weight = test::floats(inputs["weight"]);
  if (bias)
    row.bias = test::floats(inputs["bias"]);
  Accuracy accuracy;
  for (int64_t r = 0; r < rows; ++r) {
    row.values.assign(stored.begin() + r * hidden, stored.begin() + (r + 1) * hidden);
    const NormResult exact = exactNorm(row);
    const std::string where = std::string(opName(spec.op)) + " of '" + kind.name + "', hidden " + std::to_string(hidden) + ", seed " + std::to_string(seed) +
                              ", row " + std::to_string(r) + ": ";
    if (spec.mean)
      compare(accuracy.mean, mean[r], exact.mean, std::max(std::abs(exact.mean.value), 1 / exact.rstd.value), where + "mean", accuracy.firstExcess);
    compare(accuracy.rstd, rstd[r], exact.rstd, exact.rstd.value, where + "rstd", accuracy.firstExcess);
    for (int64_t i = 0; i < hidden; ++i) {
      const Bounded expected = numerics::stored(spec.yDtype, exact.y[i]);
      const double scale = row.weight ? std::abs((*row.weight)[i] + static_cast<double>(spec.weightOffset)) : 1;
      compare(accuracy.y, y[r * hidden + i], expected, std::max(std::abs(expected.value), scale), where + "y[" + std::to_string(i) + "]", accuracy.firstExcess);
    }
  }
  return accuracy;
}

} // namespace normc::numerics
