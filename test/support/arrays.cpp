// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/arrays.h"

#include "compiler/support/error.h"
#include "compiler/support/float_formats.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace normc::test {
namespace {

Array emptyArray(DType dtype, std::vector<int64_t> shape, size_t values) {
  Array array{dtype, std::move(shape), {}};
  if (array.size() != static_cast<int64_t>(values))
    reportBug("a test gives " + std::to_string(values) + " values for an array of " + std::to_string(array.size()));
  array.bytes.resize(values * dtypeBytes(dtype));
  return array;
}

} // namespace

Array makeArray(DType dtype, std::vector<int64_t> shape, const std::vector<float> &values) {
  Array array = emptyArray(dtype, std::move(shape), values.size());
  narrow(dtype, values.data(), static_cast<int64_t>(values.size()), array.bytes.data());
  return array;
}

Array makeArray(std::vector<int64_t> shape, const std::vector<double> &values) {
  Array array = emptyArray(DType::F64, std::move(shape), values.size());
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

std::vector<float> generate(int64_t count, const std::function<float()> &next) {
  std::vector<float> values(count);
  for (float &value : values)
    value = next();
  return values;
}

Array normalArray(DType dtype, std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return makeArray(dtype, std::move(shape), generate(count, [&] { return normal(engine); }));
}

std::vector<float> floats(const Array &array) {
  std::vector<float> values(array.size());
  widen(array.dtype, array.bytes.data(), 1, array.size(), values.data());
  return values;
}

uint32_t canonicalBits(float value) { return std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value); }

std::map<std::string, Array> interpretOn(const Kernel &kernel, const std::map<std::string, Array> &inputs, const std::map<std::string, double> &scalars,
                                         Precision precision) {
  Invocation invocation;
  invocation.rows = inputs.at("x").shape.at(0);
  invocation.hidden = inputs.at("x").shape.at(1);
  invocation.scalars = scalars;
  for (const auto &[role, array] : inputs)
    invocation.inputs[role] = array.view();
  return interpret(kernel, invocation, precision);
}

} // namespace normc::test
