// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between float32 and the storage types, in integer code: the same bits on every machine and under every rounding mode.
#pragma once

#include "compiler/support/dtype.h"

#include <cstdint>

namespace normc {

/// Nearest binary16, ties to even, subnormals kept; from 65520 on an infinity; NaN gives a quiet NaN.
uint16_t f16FromF32(float value);
/// Exact; NaN gives a quiet NaN.
float f32FromF16(uint16_t bits);
/// Nearest bfloat16, ties to even, subnormals kept; NaN gives a quiet NaN.
uint16_t bf16FromF32(float value);
/// Exact; NaN gives a quiet NaN.
float f32FromBf16(uint16_t bits);
/// Nearest integer, ties to even, saturated to [-128, 127]; NaN gives 0.
int8_t s8FromF32(float value);
/// Nearest integer, ties to even, saturated to [0, 255]; NaN gives 0.
uint8_t u8FromF32(float value);

/// `value` rounded to `dtype` and widened again: the operator RoundTo of the stage language. F64 throws InternalError.
float roundToStorage(DType dtype, float value);

/// Widens `count` elements of an array, `stride` elements apart, into `out`. `array` points at the first and needs no alignment. From F64, float gets the nearest.
void widen(DType dtype, const void *array, int64_t stride, int64_t count, float *out);
/// Likewise; exact for every type.
void widen(DType dtype, const void *array, int64_t stride, int64_t count, double *out);

/// Stores `count` values into consecutive elements of `array`, each rounded once. F64 is exact.
void narrow(DType dtype, const float *values, int64_t count, void *array);

} // namespace normc
