// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/test_rows.h"

#include "compiler/support/float_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace normc {
namespace {

/// SplitMix64: small, and the same everywhere, which the distributions of <random> are not.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}

  /// In (-1, 1).
  float uniform() { return static_cast<float>(static_cast<int32_t>(next() >> 32)) * 0x1p-31f; }
  /// Nearly standard normal: the sum of twelve uniform numbers, of variance 1/3 each, halved.
  float normal() {
    float sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum * 0.5f;
  }
  uint64_t below(uint64_t limit) { return next() % limit; }

private:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

constexpr int64_t kKinds = 12;
constexpr int64_t kElements = int64_t{1} << 17; ///< that one call has at least, memory and time permitting

/// The largest finite value of a storage type.
float largest(DType dtype) { return dtype == DType::F16 ? 65504.0f : std::numeric_limits<float>::max(); }

void fillRow(float *row, int64_t hidden, int64_t kind, DType dtype, Random &random) {
  for (int64_t i = 0; i < hidden; ++i) {
    const float z = random.normal();
    switch (kind) {
    case 3: row[i] = 1e4f + z; break;
    case 4: row[i] = 1.0f + 1e-6f * z; break;
    case 5: row[i] = 1000.1f; break;
    case 7: row[i] = largest(dtype) * 0.25f * std::clamp(z, -4.0f, 4.0f); break;
    case 8: row[i] = (dtype == DType::F16 ? 0x1p-24f : 0x1p-140f) * z * 8; break;
    case 9: row[i] = z < 0 ? -0.0f : 0.0f; break;
    default: row[i] = z; break;
    }
  }
  float &one = row[random.below(static_cast<uint64_t>(hidden))];
  if (kind == 6)
    one = 3e4f;
  if (kind == 10)
    one = one < 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  if (kind == 11)
    one = std::numeric_limits<float>::quiet_NaN();
}

std::vector<std::byte> stored(DType dtype, const std::vector<float> &values) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(dtypeBytes(dtype)));
  narrow(dtype, values.data(), static_cast<int64_t>(values.size()), bytes.data());
  return bytes;
}

} // namespace

int64_t testRowCount(int64_t hidden) { return std::clamp(kElements / hidden, kKinds, int64_t{600}); }

std::vector<std::byte> testRows(DType dtype, int64_t rows, int64_t hidden, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(rows * hidden));
  for (int64_t row = 0; row < rows; ++row)
    fillRow(values.data() + row * hidden, hidden, row % kKinds, dtype, random);
  return stored(dtype, values);
}

std::vector<std::byte> testParameters(DType dtype, int64_t hidden, float mean, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(hidden));
  for (float &value : values)
    value = mean + 0.25f * random.normal();
  return stored(dtype, values);
}

} // namespace normc
