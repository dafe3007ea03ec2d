// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/float_formats.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace normc {
namespace {

bool isNaN16(uint16_t bits, int exponentBits) {
  const uint16_t infinity = static_cast<uint16_t>(((1u << exponentBits) - 1) << (15 - exponentBits));
  return (bits & 0x7fff) > infinity;
}

/// The value of a 16-bit format from its definition, not from the code under test.
double decode(uint16_t bits, int exponentBits) {
  const int fractionBits = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = bits >> fractionBits & ((1 << exponentBits) - 1), fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = exponent == 0                             ? std::ldexp(fraction, 1 - bias - fractionBits)
                     : exponent == (1 << exponentBits) - 1     ? std::numeric_limits<double>::infinity()
                                                               : std::ldexp(fraction + (1 << fractionBits), exponent - bias - fractionBits);
  return bits & 0x8000 ? -magnitude : magnitude;
}

struct Format {
  uint16_t (*narrow)(float);
  float (*widen)(uint16_t);
  int exponentBits;
};

class SixteenBits : public testing::TestWithParam<Format> {};

TEST_P(SixteenBits, section2_EveryPatternWidensExactlyAndComesBack) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float wide = format.widen(half);
    if (isNaN16(half, format.exponentBits)) {
      ASSERT_TRUE(std::isnan(wide));
      ASSERT_TRUE(std::bit_cast<uint32_t>(wide) & 0x400000) << "not quiet";
      ASSERT_TRUE(isNaN16(format.narrow(wide), format.exponentBits));
    } else {
      ASSERT_EQ(wide, decode(half, format.exponentBits));
      ASSERT_EQ(std::signbit(wide), half >> 15 != 0);
      ASSERT_EQ(format.narrow(wide), half);
    }
  }
}

TEST_P(SixteenBits, section2_NarrowingGoesToTheNearestAndTiesToEven) {
  const Format &format = GetParam();
  const uint16_t infinity = static_cast<uint16_t>(((1u << format.exponentBits) - 1) << (15 - format.exponentBits));
  for (uint32_t bits = 0; bits < infinity; ++bits)
    for (uint16_t sign : {0, 0x8000}) {
      const uint16_t lower = static_cast<uint16_t>(bits | sign), upper = static_cast<uint16_t>(lower + 1);
      // As if the exponent went on: half way to it is where infinity begins.
      const double a = decode(lower, format.exponentBits);
      const double below = bits ? decode(static_cast<uint16_t>(lower - 1), format.exponentBits) : 0;
      const double b = upper - sign == infinity ? a + (a - below) : decode(upper, format.exponentBits);
      const float middle = static_cast<float>((a + b) / 2); // exact
      ASSERT_EQ(format.narrow(middle), bits & 1 ? upper : lower) << middle;
      ASSERT_EQ(format.narrow(std::nextafter(middle, static_cast<float>(a))), lower) << middle;
      ASSERT_EQ(format.narrow(std::nextafter(middle, static_cast<float>(2 * b - a))), upper) << middle;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, SixteenBits, testing::Values(Format{f16FromF32, f32FromF16, 5}, Format{bf16FromF32, f32FromBf16, 8}));

TEST(SixteenBits, NaNOfAnyPayloadStaysOne) {
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0x7f801fffu}) {
    const float nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(isNaN16(f16FromF32(nan), 5));
    EXPECT_TRUE(isNaN16(bf16FromF32(nan), 8));
  }
}

TEST(EightBits, section2_RoundEvenSaturateAndZeroForNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (int i = -40000; i <= 40000; ++i) {
    const float value = static_cast<float>(i) / 128;
    const double rounded = std::nearbyint(value);
    EXPECT_EQ(s8FromF32(value), std::min(127.0, std::max(-128.0, rounded))) << value;
    EXPECT_EQ(u8FromF32(value), std::min(255.0, std::max(0.0, rounded))) << value;
  }
  EXPECT_EQ(s8FromF32(nan), 0);
  EXPECT_EQ(u8FromF32(nan), 0);
  EXPECT_EQ(s8FromF32(-infinity), -128);
  EXPECT_EQ(s8FromF32(1e30f), 127);
  EXPECT_EQ(u8FromF32(infinity), 255);
  EXPECT_EQ(u8FromF32(-infinity), 0);
}

TEST(Arrays, WidenTakesStridesAndUnalignedData) {
  std::vector<char> storage(1 + 5 * 4);
  const std::vector<float> values{1, 2, 3, 4, 5};
  narrow(DType::F32, values.data(), 5, storage.data() + 1);
  std::vector<float> got(3);
  widen(DType::F32, storage.data() + 1, 2, 3, got.data());
  EXPECT_EQ(got, (std::vector<float>{1, 3, 5}));
  std::vector<double> backwards(2);
  widen(DType::F32, storage.data() + 1 + 16, -1, 2, backwards.data());
  EXPECT_EQ(backwards, (std::vector<double>{5, 4}));
}

} // namespace
} // namespace normc
