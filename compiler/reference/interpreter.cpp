// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/interpreter.h"

#include "compiler/reference/evaluator.h"
#include "compiler/support/error.h"
#include "compiler/support/float_formats.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <xmmintrin.h>

namespace normc {
namespace {

using namespace reference;

/// Rounding to nearest, no flushing of subnormals, no traps, while it lives.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatingPoint() { _mm_setcsr(saved_); }
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
  unsigned saved_;
};

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

/// The caller's arrays in the order of the kernel's inputs, with strides.
std::vector<ArrayView> bindInputs(const Kernel &kernel, const Invocation &invocation) {
  std::vector<ArrayView> bound;
  for (const Input &input : kernel.inputs()) {
    const auto given = invocation.inputs.find(input.name);
    if (given == invocation.inputs.end())
      throw Error(DiagCode::MissingRole, "kernel '" + kernel.name() + "' reads '" + input.name + "', which was not given");
    ArrayView view = given->second;
    if (view.dtype != input.dtype)
      throw Error(DiagCode::DTypeMismatch, "'" + input.name + "' is " + std::string(dtypeName(view.dtype)) + ", expected " + std::string(dtypeName(input.dtype)));
    if (static_cast<int>(view.shape.size()) != input.rank)
      throw Error(DiagCode::ShapeMismatch, "'" + input.name + "' has shape " + shapeText(view.shape) + ", expected " + std::to_string(input.rank) +
                                               (input.rank == 1 ? " dimension" : " dimensions"));
    if (view.strides.empty()) {
      view.strides.resize(view.shape.size());
      int64_t stride = 1;
      for (size_t dimension = view.shape.size(); dimension-- > 0;) {
        view.strides[dimension] = stride;
        stride *= view.shape[dimension];
      }
    }
    if (view.strides.size() != view.shape.size())
      reportBug("'" + input.name + "' has " + std::to_string(view.strides.size()) + " strides for " + std::to_string(view.shape.size()) + " dimensions");
    bound.push_back(std::move(view));
  }
  return bound;
}

/// In which pass over the rows each stage is computed. A column stage is complete only after a pass, so what reads it along the rows waits for the next one. For
/// column stages: the pass after which it is complete, -1 where it needs none.
std::vector<int> assignPasses(const Kernel &kernel) {
  const std::vector<Stage> &stages = kernel.stages();
  std::vector<int> passes(stages.size());
  for (size_t s = 0; s < stages.size(); ++s) {
    const bool columnMap = stages[s].domain == Domain::Column && stages[s].kind == StageKind::Map;
    int pass = columnMap ? -1 : 0;
    forEachNode(stages[s].expr, [&](const ExprNode &node) {
      if (node.op == Operator::StageRef)
        pass = std::max(pass, passes[node.id] + (stages[node.id].domain == Domain::Column && !columnMap ? 1 : 0));
    });
    passes[s] = pass;
  }
  return passes;
}

template <class T> T add(T a, T b) { return a + b; }

template <class T> T combine(StageKind kind, T a, T b) { return kind == StageKind::SumFold ? a + b : order::maximum(a, b); }

/// What a fold over no terms gives.
template <class T> T emptyFold(StageKind kind) { return kind == StageKind::SumFold ? T(0) : -std::numeric_limits<T>::infinity(); }

/// A fold over rows, all columns at once.
template <class T> class ColumnFold {
public:
  ColumnFold(int stage, StageKind kind, size_t root, int64_t hidden) : stage(stage), root(root), kind_(kind), chunk_(hidden) {}

  const int stage;
  const size_t root; ///< of the element program: the terms

  void take(int64_t row, int64_t first, int64_t count, const T *terms) {
    if (row % order::kChunkRows == 0) {
      std::copy_n(terms, count, chunk_.begin() + first);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      chunk_[first + i] = combine(kind_, chunk_[first + i], terms[i]);
  }

  void endRow(int64_t row, int64_t rows) {
    if ((row + 1) % order::kChunkRows == 0 || row + 1 == rows)
      tree_.push(chunk_, [this](std::vector<T> &left, const std::vector<T> &right) { merge(left, right); });
  }

  std::vector<T> finish() {
    if (tree_.empty())
      return std::vector<T>(chunk_.size(), emptyFold<T>(kind_));
    std::vector<T> result = tree_.finish([this](std::vector<T> &left, const std::vector<T> &right) { merge(left, right); });
    if (kind_ == StageKind::SumFold)
      std::transform(result.begin(), result.end(), result.begin(), order::root<T>);
    return result;
  }

private:
  void merge(std::vector<T> &left, const std::vector<T> &right) const {
    for (size_t i = 0; i < left.size(); ++i)
      left[i] = combine(kind_, left[i], right[i]);
  }

  StageKind kind_;
  std::vector<T> chunk_;
  order::StreamingTree<std::vector<T>> tree_;
};

/// A program with its evaluator.
template <class T> struct Runner {
  Runner(const Environment<T> &environment, const std::vector<Expr> &roots, bool perColumn)
      : program(flatten(*environment.kernel, roots, std::is_same_v<T, double>, perColumn)), evaluator(program, environment) {}
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  Program program;
  Evaluator<T> evaluator;
};

template <class T> class Interpreter {
public:
  Interpreter(const Kernel &kernel, const Invocation &invocation) : kernel_(kernel), passes_(assignPasses(kernel)) {
    environment_.kernel = &kernel;
    environment_.rows = invocation.rows;
    environment_.hidden = invocation.hidden;
    environment_.inputs = bindInputs(kernel, invocation);
    for (const std::string &scalar : kernel.scalars()) {
      const auto given = invocation.scalars.find(scalar);
      if (given == invocation.scalars.end())
        throw Error(DiagCode::MissingRole, "kernel '" + kernel.name() + "' reads the scalar '" + scalar + "', which was not given");
      environment_.scalars.push_back(static_cast<T>(given->second));
    }
    segments_.resize(std::max<int64_t>(1, order::segmentCount(invocation.hidden)));
    declareOutputs(invocation.outputs);
    environment_.stageValues.resize(kernel.stages().size());
    for (size_t s = 0; s < kernel.stages().size(); ++s)
      if (kernel.stages()[s].domain != Domain::Element)
        environment_.stageValues[s].resize(kernel.stages()[s].domain == Domain::Row ? invocation.rows : invocation.hidden);
  }

  std::map<std::string, Array> run() {
    int last = -1;
    for (int pass : passes_)
      last = std::max(last, pass);
    for (int pass = -1; pass <= last; ++pass) {
      if (pass >= 0)
        sweepRows(pass);
      mapColumns(pass);
    }
    for (size_t s = 0; s < kernel_.stages().size(); ++s)
      if (const Stage &stage = kernel_.stages()[s]; stage.domain != Domain::Element && wanted(stage)) {
        const std::vector<T> &values = environment_.stageValues[s];
        write(stage, 0, values.data(), static_cast<int64_t>(values.size()));
      }
    return std::move(outputs_);
  }

private:
  bool wanted(const Stage &stage) const { return stage.store && outputs_.count(stage.store->output); }

  void declareOutputs(const std::set<std::string> &asked) {
    std::set<std::string> missing = asked;
    std::vector<std::string> stored;
    for (const Stage &stage : kernel_.stages()) {
      if (!stage.store)
        continue;
      stored.push_back(stage.store->output);
      missing.erase(stage.store->output);
      if (!asked.empty() && !asked.count(stage.store->output))
        continue;
      Array array;
      array.dtype = std::is_same_v<T, double> ? DType::F64 : stage.store->dtype;
      if (stage.domain != Domain::Column)
        array.shape.push_back(environment_.rows);
      if (stage.domain != Domain::Row)
        array.shape.push_back(environment_.hidden);
      array.bytes.resize(array.size() * dtypeBytes(array.dtype));
      outputs_.emplace(stage.store->output, std::move(array));
    }
    if (!missing.empty())
      throw Error(DiagCode::MissingRole, "kernel '" + kernel_.name() + "' has no output '" + *missing.begin() + "', it stores " + quotedList(stored, "and"));
  }

  void write(const Stage &stage, int64_t first, const T *values, int64_t count) {
    Array &array = outputs_.at(stage.store->output);
    std::byte *target = array.bytes.data() + first * dtypeBytes(array.dtype);
    if constexpr (std::is_same_v<T, double>)
      std::memcpy(target, values, count * sizeof(double));
    else
      narrow(array.dtype, values, count, target);
  }

  template <class F> void forEachBlock(F f) const {
    for (int64_t first = 0; first < environment_.hidden; first += kBlock)
      f(first, std::min(kBlock, environment_.hidden - first));
  }

  /// One pass over the rows: per row first the row stages in order, then everything that has a value per element.
  void sweepRows(int pass) {
    const std::vector<Stage> &stages = kernel_.stages();
    std::vector<std::pair<int, std::unique_ptr<Runner<T>>>> rowStages;
    std::vector<Expr> elementRoots;
    std::vector<std::pair<int, size_t>> stores;
    std::vector<ColumnFold<T>> columnFolds;
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
      const Stage &stage = stages[s];
      if (passes_[s] != pass)
        continue;
      if (stage.domain == Domain::Row)
        rowStages.emplace_back(s, std::make_unique<Runner<T>>(environment_, std::vector{stage.expr}, stage.kind != StageKind::Map));
      else if (stage.domain == Domain::Element && wanted(stage)) {
        stores.emplace_back(s, elementRoots.size());
        elementRoots.push_back(stage.expr);
      } else if (stage.domain == Domain::Column && stage.kind != StageKind::Map) {
        columnFolds.emplace_back(s, stage.kind, elementRoots.size(), environment_.hidden);
        elementRoots.push_back(stage.expr);
      }
    }
    Runner<T> elements(environment_, elementRoots, true);
    for (int64_t row = 0; row < environment_.rows; ++row) {
      for (auto &[s, runner] : rowStages)
        environment_.stageValues[s][row] = rowValue(stages[s].kind, runner->evaluator, row);
      if (elementRoots.empty())
        continue;
      elements.evaluator.beginRow(row);
      forEachBlock([&](int64_t first, int64_t count) {
        elements.evaluator.block(first, count);
        for (auto [s, root] : stores)
          write(stages[s], row * environment_.hidden + first, elements.evaluator.result(root), count);
        for (ColumnFold<T> &fold : columnFolds)
          fold.take(row, first, count, elements.evaluator.result(fold.root));
      });
      for (ColumnFold<T> &fold : columnFolds)
        fold.endRow(row, environment_.rows);
    }
    for (ColumnFold<T> &fold : columnFolds)
      environment_.stageValues[fold.stage] = fold.finish();
  }

  T rowValue(StageKind kind, Evaluator<T> &evaluator, int64_t row) {
    evaluator.beginRow(row);
    if (kind == StageKind::Map)
      return *evaluator.result(0);
    if (environment_.hidden == 0)
      return emptyFold<T>(kind);
    return kind == StageKind::SumFold ? order::root(foldRow(evaluator, add<T>)) : foldRow(evaluator, order::maximum<T>);
  }

  template <class F> T foldRow(Evaluator<T> &evaluator, F f) {
    forEachBlock([&](int64_t first, int64_t count) {
      evaluator.block(first, count);
      segments_[first / kBlock] = order::foldSegment(evaluator.result(0), count, f);
    });
    return order::foldTree(segments_.data(), order::segmentCount(environment_.hidden), f);
  }

  void mapColumns(int pass) {
    for (size_t s = 0; s < kernel_.stages().size(); ++s) {
      const Stage &stage = kernel_.stages()[s];
      if (passes_[s] != pass || stage.domain != Domain::Column || stage.kind != StageKind::Map)
        continue;
      Runner<T> runner(environment_, {stage.expr}, true);
      runner.evaluator.beginRow(0);
      forEachBlock([&](int64_t first, int64_t count) {
        runner.evaluator.block(first, count);
        std::copy_n(runner.evaluator.result(0), count, environment_.stageValues[s].begin() + first);
      });
    }
  }

  const Kernel &kernel_;
  std::vector<int> passes_;
  Environment<T> environment_;
  std::vector<T> segments_;
  std::map<std::string, Array> outputs_;
};

} // namespace

int64_t Array::size() const { return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()); }

std::vector<double> Array::values() const {
  std::vector<double> result(size());
  widen(dtype, bytes.data(), 1, size(), result.data());
  return result;
}

std::map<std::string, Array> interpret(const Kernel &kernel, const Invocation &invocation, Precision precision) {
  if (invocation.rows < 0 || invocation.hidden < 0 || invocation.hidden > order::kMaxHidden)
    throw Error(DiagCode::BadNumber, "rows is " + std::to_string(invocation.rows) + " and hidden is " + std::to_string(invocation.hidden) +
                                         ", expected none below 0 and hidden at most " + std::to_string(order::kMaxHidden));
  if (precision == Precision::Float32) {
    for (const Input &input : kernel.inputs())
      if (input.dtype == DType::F64)
        reportBug("kernel '" + kernel.name() + "' reads f64, which float32 cannot hold: interpret it in double");
    for (const Stage &stage : kernel.stages())
      if (stage.store && stage.store->dtype == DType::F64)
        reportBug("kernel '" + kernel.name() + "' stores f64, which float32 cannot give: interpret it in double");
  }
  const DefaultFloatingPoint environment;
  return precision == Precision::Float32 ? Interpreter<float>(kernel, invocation).run() : Interpreter<double>(kernel, invocation).run();
}

} // namespace normc
