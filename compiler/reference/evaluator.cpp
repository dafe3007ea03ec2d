// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/evaluator.h"

#include "compiler/support/error.h"
#include "compiler/support/float_formats.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

static_assert(FLT_EVAL_METHOD == 0, "float32 operations must not be computed in a wider type");

namespace normc::reference {
namespace {

/// To the nearest integral value, ties to even; the sign stays. Adding 2^(p-1) leaves no fraction bits.
template <class T> T roundEven(T a) {
  constexpr T shift = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  const T magnitude = std::abs(a);
  return magnitude < shift ? std::copysign((magnitude + shift) - shift, a) : a;
}

[[noreturn]] void outOfRange(const Input &input, size_t dimension, int64_t index, int64_t extent) {
  throw Error(DiagCode::ShapeMismatch, "the kernel reads element " + std::to_string(index) + " of dimension " + std::to_string(dimension) + " of '" + input.name +
                                           "', which has " + std::to_string(extent));
}

} // namespace

template <class T>
Evaluator<T>::Evaluator(const Program &program, const Environment<T> &environment)
    : program_(program), environment_(environment), arena_(new std::byte[program.steps.size() * kBlock * sizeof(double)]), indices_(kBlock) {}

template <class T> void Evaluator<T>::beginRow(int64_t row) {
  row_ = row;
  const int64_t widest = std::min(environment_.hidden, kBlock);
  for (int number = 0; number < static_cast<int>(program_.steps.size()); ++number) {
    const Step &step = program_.steps[number];
    if (step.rate == Rate::Block || (step.rate == Rate::Once && constantsDone_))
      continue;
    run(number, 0, 1);
    if (step.spread)
      spread(number, widest);
  }
  constantsDone_ = true;
}

template <class T> void Evaluator<T>::block(int64_t first, int64_t count) {
  for (int number = 0; number < static_cast<int>(program_.steps.size()); ++number)
    if (program_.steps[number].rate == Rate::Block)
      run(number, first, count);
}

template <class T> void Evaluator<T>::spread(int number, int64_t count) {
  switch (program_.steps[number].node->type) {
  case Type::F32: std::fill_n(values<T>(number), count, T(*values<T>(number))); return;
  case Type::U32: std::fill_n(values<uint32_t>(number), count, uint32_t(*values<uint32_t>(number))); return;
  case Type::Bool: std::fill_n(values<uint8_t>(number), count, uint8_t(*values<uint8_t>(number))); return;
  }
}

template <class T> template <class In, class Out, class F> void Evaluator<T>::unary(const Step &step, Out *out, int64_t count, F f) {
  const In *a = values<In>(step.operands[0]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<Out>(f(a[i]));
}

template <class T> template <class In, class Out, class F> void Evaluator<T>::binary(const Step &step, Out *out, int64_t count, F f) {
  const In *a = values<In>(step.operands[0]);
  const In *b = values<In>(step.operands[1]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<Out>(f(a[i], b[i]));
}

template <class T> template <class V> void Evaluator<T>::select(const Step &step, V *out, int64_t count) {
  const uint8_t *condition = values<uint8_t>(step.operands[0]);
  const V *a = values<V>(step.operands[1]);
  const V *b = values<V>(step.operands[2]);
  for (int64_t i = 0; i < count; ++i)
    out[i] = condition[i] ? a[i] : b[i];
}

template <class T> template <class V> void Evaluator<T>::logical(const Step &step, V *out, int64_t count) {
  switch (step.node->op) {
  case Operator::And: return binary<V>(step, out, count, [](V a, V b) { return a & b; });
  case Operator::Or: return binary<V>(step, out, count, [](V a, V b) { return a | b; });
  default: return unary<V>(step, out, count, [](V a) { return std::is_same_v<V, uint8_t> ? a ^ 1u : ~static_cast<uint32_t>(a); });
  }
}

template <class T> void Evaluator<T>::load(const ExprNode &node, T *out, int64_t first, int64_t count) {
  const ArrayView &array = environment_.inputs[node.id];
  const Input &input = environment_.kernel->inputs()[node.id];
  // The usual maps walk along the innermost dimension: the offset of the block's start, then one stride. Others are evaluated column by column.
  int64_t offset = 0, stride = 0;
  bool general = false;
  for (size_t dimension = 0; dimension < node.indices.size(); ++dimension) {
    const Index &index = node.indices[dimension];
    const bool walks = index.kind() == Index::Kind::Column;
    if (!walks && index.dependsOn(Index::Kind::Column)) {
      general = true;
      continue;
    }
    const int64_t begin = walks ? first : index.evaluate(row_, 0);
    const int64_t last = walks ? first + count - 1 : begin;
    if (begin < 0 || last >= array.shape[dimension])
      outOfRange(input, dimension, begin < 0 ? begin : last, array.shape[dimension]);
    offset += begin * array.strides[dimension];
    stride += walks ? array.strides[dimension] : 0;
  }
  const int64_t bytes = dtypeBytes(array.dtype);
  const char *data = static_cast<const char *>(array.data);
  if (!general)
    return widen(array.dtype, data + offset * bytes, stride, count, out);
  for (int64_t i = 0; i < count; ++i)
    indices_[i] = offset + i * stride;
  for (size_t dimension = 0; dimension < node.indices.size(); ++dimension) {
    const Index &index = node.indices[dimension];
    if (index.kind() == Index::Kind::Column || !index.dependsOn(Index::Kind::Column))
      continue;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = index.evaluate(row_, first + i);
      if (value < 0 || value >= array.shape[dimension])
        outOfRange(input, dimension, value, array.shape[dimension]);
      indices_[i] += value * array.strides[dimension];
    }
  }
  for (int64_t i = 0; i < count; ++i)
    widen(array.dtype, data + indices_[i] * bytes, 1, 1, out + i);
}

template <class T> void Evaluator<T>::run(int number, int64_t first, int64_t count) {
  const Step &step = program_.steps[number];
  const ExprNode &node = *step.node;
  T *out = values<T>(number);
  uint32_t *bits = values<uint32_t>(number);
  uint8_t *truth = values<uint8_t>(number);
  switch (node.op) {
  case Operator::ConstF: *out = node.f; return;
  case Operator::ConstU: *bits = node.u; return;
  case Operator::Hidden: *out = static_cast<T>(environment_.hidden); return;
  case Operator::Rows: *out = static_cast<T>(environment_.rows); return;
  case Operator::Scalar: *out = environment_.scalars[node.id]; return;
  case Operator::Load: return load(node, out, first, count);
  case Operator::StageRef: {
    const T *values = environment_.stageValues[node.id].data();
    if (step.rate == Rate::Row)
      *out = values[row_];
    else
      std::copy_n(values + first, count, out);
    return;
  }
  case Operator::Add: return binary<T>(step, out, count, [](T a, T b) { return a + b; });
  case Operator::Sub: return binary<T>(step, out, count, [](T a, T b) { return a - b; });
  case Operator::Mul: return binary<T>(step, out, count, [](T a, T b) { return a * b; });
  case Operator::Div: return binary<T>(step, out, count, [](T a, T b) { return a / b; });
  case Operator::Sqrt: return unary<T>(step, out, count, [](T a) { return std::sqrt(a); });
  case Operator::Neg: return unary<T>(step, out, count, [](T a) { return -a; });
  case Operator::Abs: return unary<T>(step, out, count, [](T a) { return std::abs(a); });
  case Operator::Max: return binary<T>(step, out, count, order::maximum<T>);
  case Operator::Min: return binary<T>(step, out, count, [](T a, T b) { return a < b || a != a ? a : b; });
  case Operator::RoundEven: return unary<T>(step, out, count, roundEven<T>);
  case Operator::RoundTo: return unary<T>(step, out, count, [&](T a) { return roundToStorage(node.dtype, static_cast<float>(a)); });
  case Operator::Lt: return binary<T>(step, truth, count, [](T a, T b) { return a < b; });
  case Operator::Le: return binary<T>(step, truth, count, [](T a, T b) { return a <= b; });
  case Operator::Eq: return binary<T>(step, truth, count, [](T a, T b) { return a == b; });
  case Operator::And:
  case Operator::Or:
  case Operator::Not: return node.type == Type::Bool ? logical(step, truth, count) : logical(step, bits, count);
  case Operator::Select:
    switch (node.type) {
    case Type::F32: return select(step, out, count);
    case Type::U32: return select(step, bits, count);
    case Type::Bool: return select(step, truth, count);
    }
    break;
  case Operator::BitsOf: return unary<T>(step, bits, count, [](T a) { return std::bit_cast<uint32_t>(static_cast<float>(a)); });
  case Operator::FromBits: return unary<uint32_t>(step, out, count, [](uint32_t a) { return std::bit_cast<float>(a); });
  case Operator::ShiftLeft: return binary<uint32_t>(step, bits, count, [](uint32_t a, uint32_t b) { return a << b; });
  case Operator::ShiftRight: return binary<uint32_t>(step, bits, count, [](uint32_t a, uint32_t b) { return a >> b; });
  case Operator::AddU: return binary<uint32_t>(step, bits, count, [](uint32_t a, uint32_t b) { return a + b; });
  case Operator::Call: return unary<T>(step, out, count, step.function);
  }
  reportBug("the reference meets an operator that it does not know");
}

template class Evaluator<float>;
template class Evaluator<double>;

} // namespace normc::reference
