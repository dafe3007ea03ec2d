// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/hostile_rows.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace normc::bits {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Draws for one row.
class Row {
public:
  Row(float *values, int64_t hidden, std::mt19937 &engine) : values_(values), hidden_(hidden), engine_(engine) {}

  template <class F> void fill(F value) {
    for (int64_t i = 0; i < hidden_; ++i)
      values_[i] = value(i);
  }
  void normal(float deviation = 1, float mean = 0) {
    std::normal_distribution<float> distribution;
    fill([&](int64_t) { return distribution(engine_) * deviation + mean; });
  }
  void put(float value) { values_[engine_() % hidden_] = value; }
  uint32_t bits() { return static_cast<uint32_t>(engine_()); }

private:
  float *values_;
  int64_t hidden_;
  std::mt19937 &engine_;
};

struct Kind {
  std::string_view name;
  void (*make)(Row &row);
};

constexpr std::array<Kind, 17> kKinds = {{
    {"normal", [](Row &row) { row.normal(); }},
    {"constant 1000.1", [](Row &row) { row.fill([](int64_t) { return 1000.1f; }); }},
    {"all -0", [](Row &row) { row.fill([](int64_t) { return -0.0f; }); }},
    {"zeros of both signs", [](Row &row) { row.fill([&](int64_t) { return row.bits() % 2 ? 0.0f : -0.0f; }); }},
    {"subnormal", [](Row &row) { row.normal(1e-40f); }},
    {"1, -1 and -0", [](Row &row) { row.fill([](int64_t i) { return i % 3 == 0 ? 1.0f : i % 3 == 1 ? -1.0f : -0.0f; }); }},
    {"one infinity", [](Row &row) { row.normal(), row.put(kInfinity); }},
    {"one NaN", [](Row &row) { row.normal(), row.put(kNaN); }},
    {"sums that overflow", [](Row &row) { row.fill([](int64_t i) { return 3e37f * static_cast<float>(i % 5); }); }},
    {"squares that overflow", [](Row &row) { row.normal(1e25f); }},
    {"squares that underflow", [](Row &row) { row.normal(1e-25f); }},
    {"3e6 and -3e6", [](Row &row) { row.fill([&](int64_t) { return row.bits() % 2 ? 3e6f : -3e6f; }); }},
    {"mean 1e4", [](Row &row) { row.normal(1, 1e4f); }},
    {"1 + 1e-6 noise", [](Row &row) { row.normal(1e-6f, 1); }},
    {"any exponent", [](Row &row) { row.fill([&](int64_t) { return std::bit_cast<float>((row.bits() & 0x807fffffu) | (64 + row.bits() % 128) << 23); }); }},
    {"both infinities", [](Row &row) { row.normal(), row.put(kInfinity), row.put(-kInfinity); }},
    {"one outlier", [](Row &row) { row.normal(), row.put(1e6f); }},
}};

} // namespace

int hostileKinds() { return static_cast<int>(kKinds.size()); }

std::string_view hostileName(int64_t row) { return kKinds[static_cast<size_t>(row) % kKinds.size()].name; }

Array hostileArray(DType dtype, int64_t rows, int64_t hidden, uint32_t seed, int64_t firstKind) {
  std::mt19937 engine(seed);
  std::vector<float> values(static_cast<size_t>(rows * hidden));
  for (int64_t r = 0; r < rows; ++r) {
    Row row(values.data() + r * hidden, hidden, engine);
    kKinds[static_cast<size_t>(r + firstKind) % kKinds.size()].make(row);
  }
  return test::makeArray(dtype, {rows, hidden}, values);
}

Array hostileWeight(DType dtype, int64_t hidden, uint32_t seed) {
  constexpr std::array<float, 6> special = {-0.0f, -1.0f, 1.0f, 1e-6f, 0.0f, 6e4f};
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  size_t i = 0;
  return test::makeArray(dtype, {hidden}, test::generate(hidden, [&] { return ++i % 5 ? normal(engine) : special[i / 5 % special.size()]; }));
}

Array hostileBias(DType dtype, int64_t hidden, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  size_t i = 0;
  return test::makeArray(dtype, {hidden}, test::generate(hidden, [&] { return ++i % 7 ? normal(engine) : -0.0f; }));
}

} // namespace normc::bits
