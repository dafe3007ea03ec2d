// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked kernels, interpreted in float32 and in double and compared with plain loops that follow the formulas, not the stages.
#include "test/support/arrays.h"
#include "test/support/worked_kernels.h"

#include <cmath>
#include <gtest/gtest.h>

namespace normc::test {
namespace {

using Values = std::vector<double>;

/// Inputs of a worked kernel as double, with its sizes.
struct Data {
  std::map<std::string, Array> arrays;
  std::map<std::string, Values> values;
  int64_t rows, hidden;

  double at(const std::string &role, int64_t row, int64_t column) const { return values.at(role)[row * hidden + column]; }
  double at(const std::string &role, int64_t index) const { return values.at(role)[index]; }
};

Data randomData(const WorkedKernel &worked) {
  Data data{{}, {}, worked.rows, worked.hidden};
  uint32_t seed = 1;
  for (const Input &input : worked.kernel.inputs()) {
    data.arrays[input.name] = normalArray(input.dtype, worked.shapes.at(input.name), seed++);
    data.values[input.name] = data.arrays[input.name].values();
  }
  return data;
}

struct Statistics {
  double mean, rstd;
};

template <class Value> Statistics statistics(int64_t hidden, Value value) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < hidden; ++i)
    sum += value(i);
  for (int64_t i = 0; i < hidden; ++i)
    squares += (value(i) - sum / hidden) * (value(i) - sum / hidden);
  return {sum / hidden, 1 / std::sqrt(squares / hidden + 1e-5)};
}

/// Both precisions give `expected`: double nearly exactly, float32 within `tolerance`, both relative to max(1, |expected|).
void expectOutput(const WorkedKernel &worked, const Data &data, const std::string &role, const Values &expected, double tolerance) {
  for (Precision precision : {Precision::Float32, Precision::Double}) {
    const Values got = interpretOn(worked.kernel, data.arrays, worked.scalars, precision).at(role).values();
    const double allowed = precision == Precision::Double ? 2e-12 : tolerance;
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], expected[i], allowed * std::max(1.0, std::abs(expected[i]))) << worked.kernel.name() << " " << role << "[" << i << "]";
  }
}

/// Calls f(row, column) for each element, in C order.
template <class F> Values perElement(const Data &data, F f) {
  Values result;
  for (int64_t row = 0; row < data.rows; ++row)
    for (int64_t column = 0; column < data.hidden; ++column)
      result.push_back(f(row, column));
  return result;
}

std::vector<Statistics> rowStatistics(const Data &data) {
  std::vector<Statistics> result;
  for (int64_t row = 0; row < data.rows; ++row)
    result.push_back(statistics(data.hidden, [&](int64_t i) { return data.at("x", row, i); }));
  return result;
}

TEST(WorkedKernels, section2_LayerNorm) {
  const WorkedKernel worked = layerNorm(7, 1100);
  const Data data = randomData(worked);
  const std::vector<Statistics> s = rowStatistics(data);
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) {
                 return (data.at("x", r, c) - s[r].mean) * s[r].rstd * data.at("weight", c) + data.at("bias", c);
               }), 2e-6);
  Values mean, rstd;
  for (const Statistics &row : s) {
    mean.push_back(row.mean);
    rstd.push_back(row.rstd);
  }
  expectOutput(worked, data, "mean", mean, 1e-6);
  expectOutput(worked, data, "rstd", rstd, 1e-6);
}

TEST(WorkedKernels, section2_RmsNorm) {
  const WorkedKernel worked = rmsNorm(7, 1100);
  const Data data = randomData(worked);
  Values rstd;
  for (int64_t r = 0; r < data.rows; ++r) {
    double squares = 0;
    for (int64_t c = 0; c < data.hidden; ++c)
      squares += data.at("x", r, c) * data.at("x", r, c);
    rstd.push_back(1 / std::sqrt(squares / data.hidden + 1e-5));
  }
  expectOutput(worked, data, "rstd", rstd, 1e-6);
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) { return data.at("x", r, c) * rstd[r] * data.at("weight", c); }), 2e-6);
}

TEST(WorkedKernels, section2_ResidualAddAndSum) {
  const WorkedKernel worked = residualLayerNorm(5, 1900);
  const Data data = randomData(worked);
  const Values sum = perElement(data, [&](int64_t r, int64_t c) { return data.at("x", r, c) + data.at("residual", r, c); });
  expectOutput(worked, data, "sum", sum, 1e-7);
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) {
                 const Statistics s = statistics(data.hidden, [&](int64_t i) { return sum[r * data.hidden + i]; });
                 return (sum[r * data.hidden + c] - s.mean) * s.rstd * data.at("weight", c) + data.at("bias", c);
               }), 2e-6);
}

/// dx from the definition: the derivative of sum(dy y) by each x, by central differences in double. Independent of any closed form.
double numericDerivative(const Data &data, int64_t row, int64_t column) {
  const auto loss = [&](double step) {
    const auto x = [&](int64_t i) { return data.at("x", row, i) + (i == column ? step : 0); };
    const Statistics s = statistics(data.hidden, x);
    double total = 0;
    for (int64_t i = 0; i < data.hidden; ++i)
      total += data.at("dy", row, i) * (x(i) - s.mean) * s.rstd * data.at("weight", i);
    return total;
  };
  return (loss(1e-4) - loss(-1e-4)) / 2e-4;
}

TEST(WorkedKernels, section4_7_LayerNormBackward) {
  const WorkedKernel worked = layerNormBackward(100, 600);
  Data data = randomData(worked);
  const std::vector<Statistics> s = rowStatistics(data);
  std::vector<double> mean, rstd;
  for (const Statistics &row : s) {
    mean.push_back(row.mean);
    rstd.push_back(row.rstd);
  }
  // What the forward kernel would save: float32.
  data.arrays["mean"] = makeArray(DType::F32, {data.rows}, std::vector<float>(mean.begin(), mean.end()));
  data.arrays["rstd"] = makeArray(DType::F32, {data.rows}, std::vector<float>(rstd.begin(), rstd.end()));
  for (Precision precision : {Precision::Float32, Precision::Double}) {
    const auto outputs = interpretOn(worked.kernel, data.arrays, {}, precision);
    const Values dx = outputs.at("dx").values(), dweight = outputs.at("dweight").values(), dbias = outputs.at("dbias").values();
    ASSERT_EQ(outputs.at("dweight").shape, std::vector<int64_t>{data.hidden});
    for (int64_t r : {0, 31, 99})
      for (int64_t c : {0, 63, 64, 511, 512, 599})
        EXPECT_NEAR(dx[r * data.hidden + c], numericDerivative(data, r, c), 3e-6) << r << " " << c;
    for (int64_t c = 0; c < data.hidden; ++c) {
      double expectedWeight = 0, expectedBias = 0;
      for (int64_t r = 0; r < data.rows; ++r) {
        expectedWeight += data.at("dy", r, c) * (data.at("x", r, c) - s[r].mean) * s[r].rstd;
        expectedBias += data.at("dy", r, c);
      }
      // rstd is a rounded input, so even double is off by 2^-24 times the sum of the magnitudes.
      EXPECT_NEAR(dweight[c], expectedWeight, 3e-5);
      EXPECT_NEAR(dbias[c], expectedBias, precision == Precision::Double ? 1e-12 : 1e-5);
    }
  }
}

TEST(WorkedKernels, section2_Int8WithPerRowScale) {
  const WorkedKernel worked = int8RmsNorm(6, 1300);
  Data data = randomData(worked);
  // A row of zeros has scale 0.
  std::vector<float> x = floats(data.arrays["x"]);
  std::fill(x.begin() + 2 * data.hidden, x.begin() + 3 * data.hidden, 0.f);
  data.arrays["x"] = makeArray(DType::F32, {data.rows, data.hidden}, x);
  data.values["x"] = data.arrays["x"].values();
  const auto outputs = interpretOn(worked.kernel, data.arrays, worked.scalars, Precision::Float32);
  EXPECT_EQ(outputs.at("q").dtype, DType::S8);
  const Values q = outputs.at("q").values();
  Values scale;
  for (int64_t r = 0; r < data.rows; ++r) {
    double squares = 0, peak = 0;
    for (int64_t c = 0; c < data.hidden; ++c) {
      squares += data.at("x", r, c) * data.at("x", r, c);
      peak = std::max(peak, std::abs(data.at("x", r, c)));
    }
    const double rstd = 1 / std::sqrt(squares / data.hidden + 1e-5);
    scale.push_back(peak * rstd / 127);
    double largest = 0;
    for (int64_t c = 0; c < data.hidden; ++c) {
      const double exact = scale[r] == 0 ? 0 : data.at("x", r, c) * rstd / scale[r];
      EXPECT_NEAR(q[r * data.hidden + c], exact, 0.5001);
      EXPECT_EQ(q[r * data.hidden + c], std::rint(q[r * data.hidden + c]));
      largest = std::max(largest, std::abs(q[r * data.hidden + c]));
    }
    EXPECT_EQ(largest, r == 2 ? 0 : 127);
  }
  expectOutput(worked, data, "scale", scale, 1e-6);
}

TEST(WorkedKernels, section2_AdaLayerNorm) {
  const WorkedKernel worked = adaLayerNorm(9, 700, 4);
  const Data data = randomData(worked);
  const std::vector<Statistics> s = rowStatistics(data);
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) {
                 return (data.at("x", r, c) - s[r].mean) * s[r].rstd * (1 + data.at("scale", r / 4, c)) + data.at("shift", r / 4, c);
               }), 2e-6);
}

TEST(WorkedKernels, section2_GeluEpilogue) {
  const WorkedKernel worked = geluLayerNorm(5, 1025);
  const Data data = randomData(worked);
  const std::vector<Statistics> s = rowStatistics(data);
  // 1 / sqrt 2 is a float32 constant of the kernel, in the double run too.
  const double root = 0.707106769f;
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) {
                 const double z = (data.at("x", r, c) - s[r].mean) * s[r].rstd * data.at("weight", c) + data.at("bias", c);
                 return z / 2 * (1 + std::erf(z * root));
               }), 2e-6);
}

TEST(WorkedKernels, section2_GroupNorm) {
  const int64_t samples = 3, channels = 12, groups = 4, pixels = 225;
  const WorkedKernel worked = groupNorm(samples, channels, groups, pixels);
  const Data data = randomData(worked);
  // In the layout that users have: (sample, channel, pixel).
  Values expected(samples * channels * pixels);
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t first = (n * channels + g * channels / groups) * pixels;
      const Statistics s = statistics(channels / groups * pixels, [&](int64_t i) { return data.at("x", first + i); });
      for (int64_t c = g * channels / groups; c < (g + 1) * channels / groups; ++c)
        for (int64_t p = 0; p < pixels; ++p) {
          const int64_t at = (n * channels + c) * pixels + p;
          expected[at] = (data.at("x", at) - s.mean) * s.rstd * data.at("weight", c) + data.at("bias", c);
        }
    }
  expectOutput(worked, data, "y", expected, 2e-6);
}

TEST(WorkedKernels, section2_Toy) {
  const WorkedKernel worked = toy(6, 1090, 8);
  const Data data = randomData(worked);
  Values peak(data.rows, -1e30);
  for (int64_t r = 0; r < data.rows; ++r)
    for (int64_t c = 0; c < data.hidden; ++c)
      peak[r] = std::max(peak[r], data.at("x", r, c));
  expectOutput(worked, data, "peak", peak, 0);
  expectOutput(worked, data, "y", perElement(data, [&](int64_t r, int64_t c) {
                 return (data.at("x", r, c) - peak[r]) * data.at("scale", c / 8) + std::abs(peak[r]);
               }), 1e-6);
}

TEST(WorkedKernels, AllRunAtTheSizesGiven) {
  for (const WorkedKernel &worked : workedKernels()) {
    const Data data = randomData(worked);
    const auto outputs = interpretOn(worked.kernel, data.arrays, worked.scalars, Precision::Float32);
    size_t stored = 0;
    for (const Stage &stage : worked.kernel.stages())
      stored += stage.store.has_value();
    EXPECT_EQ(outputs.size(), stored) << worked.kernel.name();
  }
}

} // namespace
} // namespace normc::test
