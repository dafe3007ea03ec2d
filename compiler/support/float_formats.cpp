// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/float_formats.h"

#include "compiler/support/error.h"

#include <bit>
#include <cstring>

namespace normc {
namespace {

constexpr uint32_t kSign = 0x80000000u;
constexpr uint32_t kInfinity = 0x7f800000u;
constexpr uint32_t kQuiet = 0x00400000u;

/// value / 2^shift to the nearest integer, ties to even. shift in 1..31.
uint32_t shiftRightNearestEven(uint32_t value, uint32_t shift) {
  const uint32_t quotient = value >> shift;
  const uint32_t rest = value & ((1u << shift) - 1);
  const uint32_t half = 1u << (shift - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/// The nearest integer to a value below 2^23 in magnitude, ties to even.
int32_t nearestInteger(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = bits >> 23 & 0xff;
  // Below 1/4 the shift would leave its range; the result is 0 anyway.
  if (exponent < 125)
    return 0;
  const int32_t magnitude = static_cast<int32_t>(shiftRightNearestEven((bits & 0x7fffff) | 0x800000, 150 - exponent));
  return bits & kSign ? -magnitude : magnitude;
}

bool isNaN(float value) { return (std::bit_cast<uint32_t>(value) & ~kSign) > kInfinity; }

template <class Element> Element elementAt(const void *array, int64_t index) {
  Element element;
  std::memcpy(&element, static_cast<const char *>(array) + index * static_cast<int64_t>(sizeof(Element)), sizeof(Element));
  return element;
}

template <class Element, class Out, class Convert> void widenWith(const void *array, int64_t stride, int64_t count, Out *out, Convert convert) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<Out>(convert(elementAt<Element>(array, i * stride)));
}

template <class Element, class Convert> void narrowWith(const float *values, int64_t count, void *array, Convert convert) {
  for (int64_t i = 0; i < count; ++i) {
    const Element element = convert(values[i]);
    std::memcpy(static_cast<char *>(array) + i * static_cast<int64_t>(sizeof(Element)), &element, sizeof(Element));
  }
}

template <class Out> void widenAny(DType dtype, const void *array, int64_t stride, int64_t count, Out *out) {
  const auto same = [](auto value) { return value; };
  switch (dtype) {
  case DType::F32: return widenWith<float>(array, stride, count, out, same);
  case DType::F16: return widenWith<uint16_t>(array, stride, count, out, f32FromF16);
  case DType::BF16: return widenWith<uint16_t>(array, stride, count, out, f32FromBf16);
  case DType::F64: return widenWith<double>(array, stride, count, out, same);
  case DType::S8: return widenWith<int8_t>(array, stride, count, out, same);
  case DType::U8: return widenWith<uint8_t>(array, stride, count, out, same);
  }
  reportBug("unknown element type");
}

} // namespace

uint16_t f16FromF32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits & kSign) >> 16;
  const uint32_t magnitude = bits & ~kSign;
  uint32_t result;
  if (magnitude > kInfinity)
    result = 0x7e00 | (magnitude >> 13 & 0x3ff);
  else if (magnitude >= 0x477ff000) // 65520: half way between the largest f16 and 2^16
    result = 0x7c00;
  else if (magnitude >= 0x38800000) // 2^-14: the smallest normal f16
    result = shiftRightNearestEven(magnitude - 0x38000000, 13);
  else if (magnitude >= 0x33000000) // 2^-25: half the smallest subnormal f16; the unit is 2^-24
    result = shiftRightNearestEven((magnitude & 0x7fffff) | 0x800000, 126 - (magnitude >> 23));
  else
    result = 0;
  return static_cast<uint16_t>(sign | result);
}

float f32FromF16(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = half >> 10 & 0x1f;
  const uint32_t fraction = half & 0x3ff;
  uint32_t result;
  if (exponent == 31)
    result = kInfinity | fraction << 13 | (fraction ? kQuiet : 0);
  else if (exponent != 0)
    result = (exponent + 112) << 23 | fraction << 13;
  else if (fraction != 0) {
    // fraction * 2^-24, its leading bit at position p: 2^(p - 24), so the exponent field is 127 - 24 + p.
    const uint32_t leading = 31 - static_cast<uint32_t>(std::countl_zero(fraction));
    result = (103 + leading) << 23 | (fraction << (23 - leading) & 0x7fffff);
  } else
    result = 0;
  return std::bit_cast<float>(sign | result);
}

uint16_t bf16FromF32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (isNaN(value))
    return static_cast<uint16_t>((bits | kQuiet) >> 16);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float f32FromBf16(uint16_t half) {
  const float value = std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
  return isNaN(value) ? std::bit_cast<float>(static_cast<uint32_t>(half) << 16 | kQuiet) : value;
}

int8_t s8FromF32(float value) {
  if (isNaN(value))
    return 0;
  return static_cast<int8_t>(value >= 127 ? 127 : value <= -128 ? -128 : nearestInteger(value));
}

uint8_t u8FromF32(float value) {
  if (isNaN(value))
    return 0;
  return static_cast<uint8_t>(value >= 255 ? 255 : value <= 0 ? 0 : nearestInteger(value));
}

float roundToStorage(DType dtype, float value) {
  switch (dtype) {
  case DType::F32: return value;
  case DType::F16: return f32FromF16(f16FromF32(value));
  case DType::BF16: return f32FromBf16(bf16FromF32(value));
  case DType::S8: return s8FromF32(value);
  case DType::U8: return u8FromF32(value);
  case DType::F64: break;
  }
  reportBug("a float32 value is rounded to f64");
}

void widen(DType dtype, const void *array, int64_t stride, int64_t count, float *out) { widenAny(dtype, array, stride, count, out); }

void widen(DType dtype, const void *array, int64_t stride, int64_t count, double *out) { widenAny(dtype, array, stride, count, out); }

void narrow(DType dtype, const float *values, int64_t count, void *array) {
  const auto same = [](float value) { return value; };
  switch (dtype) {
  case DType::F32: return narrowWith<float>(values, count, array, same);
  case DType::F16: return narrowWith<uint16_t>(values, count, array, f16FromF32);
  case DType::BF16: return narrowWith<uint16_t>(values, count, array, bf16FromF32);
  case DType::F64: return narrowWith<double>(values, count, array, same);
  case DType::S8: return narrowWith<int8_t>(values, count, array, s8FromF32);
  case DType::U8: return narrowWith<uint8_t>(values, count, array, u8FromF32);
  }
  reportBug("unknown element type");
}

} // namespace normc
