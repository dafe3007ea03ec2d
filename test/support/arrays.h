// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays for tests.
#pragma once

#include "compiler/reference/interpreter.h"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace normc::test {

/// An array of `dtype` with the given values, each rounded to it. Their number is the product of `shape`.
Array makeArray(DType dtype, std::vector<int64_t> shape, const std::vector<float> &values);
/// Likewise, in f64.
Array makeArray(std::vector<int64_t> shape, const std::vector<double> &values);

/// `count` values of `next`.
std::vector<float> generate(int64_t count, const std::function<float()> &next);

/// Standard normal values. The seed belongs into the failure message of whoever uses it.
Array normalArray(DType dtype, std::vector<int64_t> shape, uint32_t seed);

/// The elements widened to float32; from f64, the nearest.
std::vector<float> floats(const Array &array);

/// The bits of a float32, all NaNs alike.
uint32_t canonicalBits(float value);

/// Interprets `kernel` on `inputs`; rows and hidden come from x.
std::map<std::string, Array> interpretOn(const Kernel &kernel, const std::map<std::string, Array> &inputs, const std::map<std::string, double> &scalars,
                                         Precision precision);

} // namespace normc::test
