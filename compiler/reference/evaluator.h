// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program over a row, a block of columns at a time, in float or double.
#pragma once

#include "compiler/reference/program.h"
#include "compiler/reference/interpreter.h"
#include "compiler/support/canonical_order.h"

#include <memory>

namespace normc::reference {

/// The largest block: one segment of the order of additions.
inline constexpr int64_t kBlock = order::kSegment;

/// What programs read beside their own steps.
template <class T> struct Environment {
  const Kernel *kernel = nullptr;
  int64_t rows = 0, hidden = 0;
  std::vector<ArrayView> inputs;               ///< by input number, with strides
  std::vector<T> scalars;                      ///< by scalar number
  std::vector<std::vector<T>> stageValues;     ///< by stage number: one per row or column; empty for element stages
};

template <class T> class Evaluator {
public:
  /// `environment` and `program` must outlive the evaluator.
  Evaluator(const Program &program, const Environment<T> &environment);

  /// Computes what does not depend on the column.
  void beginRow(int64_t row);
  /// Computes columns [first, first + count) of the row; count is at most kBlock.
  void block(int64_t first, int64_t count);

  /// The result of root `number`: one value per column of the block where the program's roots are spread, else one value.
  const T *result(size_t number) const { return values<T>(program_.roots[number]); }

private:
  template <class V> V *values(int step) const { return reinterpret_cast<V *>(arena_.get() + static_cast<size_t>(step) * kBlock * sizeof(double)); }
  void run(int number, int64_t first, int64_t count);
  void load(const ExprNode &node, T *out, int64_t first, int64_t count);
  void spread(int number, int64_t count);
  template <class In, class Out, class F> void unary(const Step &step, Out *out, int64_t count, F f);
  template <class In, class Out, class F> void binary(const Step &step, Out *out, int64_t count, F f);
  template <class V> void select(const Step &step, V *out, int64_t count);
  template <class V> void logical(const Step &step, V *out, int64_t count);

  const Program &program_;
  const Environment<T> &environment_;
  std::unique_ptr<std::byte[]> arena_;
  std::vector<int64_t> indices_; ///< scratch for index maps
  int64_t row_ = 0;
  bool constantsDone_ = false;
};

extern template class Evaluator<float>;
extern template class Evaluator<double>;

} // namespace normc::reference
