// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage types: every pattern of the 16-bit ones and of 8-bit integers, and every float32 near a place where rounding changes its mind.
#include "compiler/support/float_formats.h"
#include "test/unit/halide/expect_bits.h"
#include "test/unit/require_target.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace normc::test {
namespace {

constexpr int64_t kColumns = 1000; // rows end in a masked vector

/// y = x, from one type to another.
Kernel copy(DType from, DType to) {
  Kernel kernel(std::string(dtypeName(from)) + "_to_" + std::string(dtypeName(to)));
  kernel.map("y", Domain::Element, kernel.load(kernel.input("x", from, 2)), Store{"y", to});
  return kernel;
}

/// y = the value of `to` nearest to x, as float32.
Kernel round(DType to) {
  Kernel kernel("round_to_" + std::string(dtypeName(to)));
  kernel.map("y", Domain::Element, ex::roundTo(to, kernel.load(kernel.input("x", DType::F32, 2))), Store{"y", DType::F32});
  return kernel;
}

/// The elements as an array of (rows, kColumns), the last row filled with the first element.
template <class T> Array asArray(DType dtype, std::vector<T> elements) {
  elements.resize((elements.size() + kColumns - 1) / kColumns * kColumns, elements.front());
  Array array{dtype, {static_cast<int64_t>(elements.size()) / kColumns, kColumns}, {}};
  array.bytes.resize(elements.size() * sizeof(T));
  std::memcpy(array.bytes.data(), elements.data(), array.bytes.size());
  return array;
}

template <class T> std::vector<T> allPatterns() {
  std::vector<T> patterns(size_t{1} << (8 * sizeof(T)));
  std::iota(patterns.begin(), patterns.end(), T(0));
  return patterns;
}

void addWithNeighbours(std::vector<uint32_t> &patterns, float value) {
  for (uint32_t sign : {0u, 0x80000000u})
    for (int step : {-2, -1, 0, 1, 2})
      patterns.push_back((std::bit_cast<uint32_t>(std::fabs(value)) + static_cast<uint32_t>(step)) ^ sign);
}

/// Every value of the 16-bit types and every half integer up to 300, and what lies half way to the next one, with neighbours; the ends of all ranges; a million
/// patterns at random.
const std::vector<uint32_t> &boundaryPatterns() {
  static const std::vector<uint32_t> patterns = [] {
    std::vector<uint32_t> all = {0, 0x80000000u, 1, 0x80000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u};
    // NaN: quiet and signalling, with bits that a careless rounding carries into the exponent or drops.
    for (uint32_t nan : {0x7fc00000u, 0x7f800001u, 0x7fbfffffu, 0x7fffffffu, 0x7f807fffu, 0x7f808000u, 0x7fff8000u, 0x7fffffffu, 0x7f801fffu, 0x7f802000u})
      all.insert(all.end(), {nan, nan | 0x80000000u});
    for (uint32_t half = 0; half < 0x7c00; ++half) {
      const float value = f32FromF16(static_cast<uint16_t>(half)), next = half == 0x7bff ? 65536.0f : f32FromF16(static_cast<uint16_t>(half + 1));
      addWithNeighbours(all, value);
      addWithNeighbours(all, 0.5f * (value + next));
    }
    for (uint32_t upper = 0; upper < 0x7f80; ++upper)
      for (uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
        all.insert(all.end(), {upper << 16 | lower, upper << 16 | lower | 0x80000000u});
    for (int half = 0; half <= 600; ++half)
      addWithNeighbours(all, 0.5f * static_cast<float>(half));
    std::mt19937 engine(1);
    for (int i = 0; i < 1000000; ++i)
      all.push_back(static_cast<uint32_t>(engine()));
    return all;
  }();
  return patterns;
}

class ConversionsTest : public testing::TestWithParam<Target> {
protected:
  void SetUp() override { NORMC_REQUIRE_TARGET(targetName(GetParam())); }

  void check(const Kernel &kernel, const Array &x) {
    EXPECT_TRUE(givesReferenceBits(kernel, GetParam(), /*dynamic=*/false, x.shape[0], kColumns, {{"x", x}}, {}));
  }
};

TEST_P(ConversionsTest, EveryF16Pattern) {
  Array x = asArray(DType::F16, allPatterns<uint16_t>());
  check(copy(DType::F16, DType::F32), x);
  check(copy(DType::F16, DType::F16), x);
  check(copy(DType::F16, DType::BF16), x);
}

TEST_P(ConversionsTest, EveryBF16Pattern) {
  Array x = asArray(DType::BF16, allPatterns<uint16_t>());
  check(copy(DType::BF16, DType::F32), x);
  check(copy(DType::BF16, DType::BF16), x);
  check(copy(DType::BF16, DType::F16), x);
}

TEST_P(ConversionsTest, EveryInteger) {
  check(copy(DType::S8, DType::F32), asArray(DType::S8, allPatterns<uint8_t>()));
  check(copy(DType::U8, DType::F32), asArray(DType::U8, allPatterns<uint8_t>()));
}

TEST_P(ConversionsTest, F32ToEveryTypeNearItsBoundaries) {
  Array x = asArray(DType::F32, boundaryPatterns());
  for (DType to : {DType::F32, DType::F16, DType::BF16, DType::S8, DType::U8}) {
    check(copy(DType::F32, to), x);
    check(round(to), x);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ConversionsTest, testing::ValuesIn(allTargets()), targetTestName);

// ---- Which NaN comes out is open, but it is a quiet one.

bool isQuiet(DType dtype, uint16_t bits) { return dtype == DType::F16 ? (bits & 0x7e00) == 0x7e00 : (bits & 0x7fc0) == 0x7fc0; }

TEST_P(ConversionsTest, NaNNarrowsToAQuietNaN_2) {
  std::vector<uint32_t> nans;
  for (uint32_t pattern : boundaryPatterns())
    if ((pattern & 0x7fffffffu) > 0x7f800000u)
      nans.push_back(pattern);
  ASSERT_GT(nans.size(), 1000u);
  Array x = asArray(DType::F32, nans);
  Invocation invocation;
  invocation.rows = x.shape[0];
  invocation.hidden = kColumns;
  invocation.inputs["x"] = x.view();
  for (DType to : {DType::F16, DType::BF16}) {
    Array y = runWithHalide(copy(DType::F32, to), planFor(GetParam(), kColumns), GetParam(), kColumns, invocation).at("y");
    for (int64_t i = 0; i < y.size(); ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, &y.bytes[2 * i], 2);
      ASSERT_TRUE(isQuiet(to, bits)) << dtypeName(to) << " " << std::hex << bits << " from " << nans[static_cast<size_t>(i) % nans.size()];
    }
  }
}

} // namespace
} // namespace normc::test
