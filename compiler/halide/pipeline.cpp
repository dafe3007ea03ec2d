// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/pipeline.h"

#include "compiler/halide/fold.h"
#include "compiler/halide/row_guards.h"
#include "compiler/halide/tail.h"
#include "compiler/halide/values_first.h"
#include "compiler/support/error.h"

#include <algorithm>

namespace normc {
namespace {

using Halide::Func;
using Halide::ImageParam;
using Halide::Var;
using HExpr = Halide::Expr;

/// Halide's complaints speak of Funcs that no user wrote: each is a bug of ours. Its own reporter prints warnings and throws through frames that end the
/// process.
class Reporter final : public Halide::CompileTimeErrorReporter {
public:
  void warning(const char *message) override { reportBug(std::string("Halide warned: ") + message); }
  [[noreturn]] void error(const char *message) override { reportBug(std::string("Halide refused: ") + message); }

  static void install() {
    static Reporter reporter;
    Halide::set_custom_compile_time_error_reporter(&reporter);
  }
};

bool hasHardwareF16(Target target) { return target != Target::X86_64_V2; }

class PipelineBuilder {
public:
  PipelineBuilder(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden) : kernel_(kernel), plan_(plan), hardwareF16_(hasHardwareF16(target)) {
    declareInputs(hidden);
    loop_ = {n_, Halide::LoopLevel(), &plan_, hidden, columns_};
  }

  KernelPipeline build() {
    auto loader = [this](const ExprNode &load, const Position &at) { return element(load, at); };
    auto stages = [this](int stage, const Position &at) { return stageFunc(stage, at); };
    auto scalars = [this](int scalar) { return HExpr(result_.scalars[scalar]); };
    HExpr hiddenValue = loop_.hidden > 0 ? Halide::Internal::make_const(Halide::Float(32), static_cast<double>(loop_.hidden)) : Halide::cast<float>(columns_);
    values_.emplace(kernel_, hiddenValue, Halide::cast<float>(rows_), hardwareF16_, loader, stages, scalars);
    tails_.emplace(kernel_, loop_, loader);

    lowerFolds();
    lowerRowMaps();
    std::vector<Func> outputs = storeOutputs();
    result_.pipeline = Halide::Pipeline(outputs);
    result_.pipeline.add_custom_lowering_pass(new RowGuards);
    if (const int values = outputs[0].outputs(); values > 1) {
      std::set<std::string> names;
      for (int i = 0; i < values; ++i)
        names.insert(outputs[0].name() + "." + std::to_string(i));
      result_.pipeline.add_custom_lowering_pass(new ValuesFirst(names)); // last: simplification would put the values back
    }
    return std::move(result_);
  }

private:
  void declareInputs(int64_t hidden) {
    for (const Input &in : kernel_.inputs()) {
      ImageParam param(storageType(in.dtype), in.rank, in.name);
      for (int d = 0; d < in.rank; ++d)
        param.dim(d).set_min(0);
      result_.inputs.push_back(param);
      result_.arguments.push_back(param);
      result_.parameters.push_back({HalideParameter::Kind::Buffer, in.name, in.rank, in.dtype, false});
    }
    for (const std::string &name : kernel_.scalars()) {
      Halide::Param<float> param(name);
      result_.scalars.push_back(param);
      result_.arguments.push_back(param);
      result_.parameters.push_back({HalideParameter::Kind::Float, name, 0, DType::F32, false});
    }
    int data = dataInput();
    columns_ = hidden > 0 ? HExpr(static_cast<int>(hidden)) : HExpr(result_.inputs[data].dim(0).extent());
    rows_ = result_.inputs[data].dim(1).extent();
    if (hidden > 0)
      result_.inputs[data].dim(0).set_extent(static_cast<int>(hidden));
  }

  /// The input whose shape is (rows, hidden): the first that is read at (row, column).
  int dataInput() const {
    int found = -1;
    for (const Stage &stage : kernel_.stages())
      forEachNode(stage.expr, [&](const ExprNode &node) {
        if (node.op == Operator::Load && found < 0 && node.indices == std::vector<Index>{Index::row(), Index::column()})
          found = node.id;
      });
    if (found < 0)
      throw Error(DiagCode::ImpossibleCombination,
                  "kernel '" + kernel_.name() + "' reads no input at (row, column), expected at least one for the Halide back end");
    return found;
  }

  HExpr element(const ExprNode &load, const Position &at) {
    std::vector<HExpr> place;
    for (const Index &index : load.indices)
      place.insert(place.begin(), lowerIndex(index, at)); // Halide's first dimension is the innermost
    return result_.inputs[load.id](place);
  }

  /// Row stages are read from their Funcs; element and column stages are expanded in place.
  HExpr stageFunc(int stage, const Position &at) {
    if (kernel_.stages()[stage].domain != Domain::Row)
      return HExpr();
    return rowValues_.at(stage)(at.row);
  }

  void lowerFolds() {
    for (const std::vector<int> &group : sweeps(kernel_)) {
      if (kernel_.stages()[group[0]].domain == Domain::Column)
        throw Error(DiagCode::ImpossibleCombination, "the Halide back end does not fold over rows yet, as stage '" + kernel_.stages()[group[0]].name +
                                                         "' of kernel '" + kernel_.name() + "' does");
      // Row maps that the terms read come first in stage order; lowering them here keeps every Func defined before its use.
      lowerRowMapsBefore(group[0]);
      SweepTerms terms;
      for (int stage : group) {
        terms.name += (terms.name.empty() ? "" : "_") + kernel_.stages()[stage].name;
        terms.kinds.push_back(kernel_.stages()[stage].kind);
      }
      terms.at = [this, group](const HExpr &row, const HExpr &column) {
        Terms values;
        for (int stage : group)
          values.push_back(values_->at(kernel_.stages()[stage].expr, {row, column}));
        return values;
      };
      terms.tail = [this, group](const HExpr &row, const HExpr &lane) {
        Terms values;
        auto fromCopy = [this](const ExprNode &load, const Position &at) { return tails_->read(load, at); };
        for (int stage : group)
          values.push_back(values_->at(kernel_.stages()[stage].expr, {row, lane}, fromCopy));
        return values;
      };
      Func total = lowerSweep(terms, loop_);
      for (size_t k = 0; k < group.size(); ++k) {
        size_t count = group.size();
        rowValues_[group[k]] = [total, k, count](const HExpr &row) { return readValue(total, {row}, k, count); };
      }
    }
  }

  void lowerRowMaps() { lowerRowMapsBefore(static_cast<int>(kernel_.stages().size())); }

  void lowerRowMapsBefore(int end) {
    for (int s = 0; s < end; ++s) {
      const Stage &stage = kernel_.stages()[s];
      if (stage.domain != Domain::Row || stage.kind != StageKind::Map || rowValues_.count(s))
        continue;
      Func func(stage.name);
      func(n_) = values_->at(stage.expr, {n_, 0});
      func.compute_at(loop_.level).store_in(Halide::MemoryType::Stack).bound_storage(n_, 1);
      rowValues_[s] = [func](const HExpr &row) { return HExpr(func(row)); };
    }
  }

  /// All element outputs are values of one Func, stored in one sweep; row outputs ride on its loop over rows.
  std::vector<Func> storeOutputs() {
    std::vector<const Stage *> elements;
    std::vector<int> rowStages;
    for (int s = 0; s < static_cast<int>(kernel_.stages().size()); ++s) {
      const Stage &stage = kernel_.stages()[s];
      if (!stage.store)
        continue;
      if (stage.domain == Domain::Element)
        elements.push_back(&stage);
      else if (stage.domain == Domain::Row)
        rowStages.push_back(s);
      else
        throw Error(DiagCode::ImpossibleCombination,
                    "the Halide back end does not store column stages yet, such as '" + stage.name + "' of kernel '" + kernel_.name() + "'");
    }
    if (elements.empty())
      throw Error(DiagCode::ImpossibleCombination, "kernel '" + kernel_.name() + "' stores no element stage, expected at least one for the Halide back end");

    Func data = elementOutput(elements);
    std::vector<Func> outputs{data};
    for (int s : rowStages)
      outputs.push_back(rowOutput(s, data));
    return outputs;
  }

  Func elementOutput(const std::vector<const Stage *> &stages) {
    Terms stored;
    std::string name;
    for (const Stage *stage : stages) {
      stored.push_back(narrow(stage->store->dtype, values_->at(stage->expr, {n_, h_}), hardwareF16_));
      name += (name.empty() ? "" : "_") + stage->store->output;
      result_.parameters.push_back({HalideParameter::Kind::Buffer, stage->store->output, 2, stage->store->dtype, false});
    }
    Func data(name);
    if (stored.size() == 1)
      data(h_, n_) = stored[0];
    else
      data(h_, n_) = Halide::Tuple(stored);
    Halide::OutputImageParam buffer = data.output_buffers()[0]; // the others have its bounds
    buffer.dim(0).set_min(0);
    buffer.dim(1).set_min(0);
    if (loop_.hidden > 0)
      buffer.dim(0).set_extent(static_cast<int>(loop_.hidden));
    scheduleElementOutput(data);
    loop_.level.set(Halide::LoopLevel(data, n_));
    return data;
  }

  void scheduleElementOutput(Func data) const {
    int lanes = plan_.vectorLanes, unroll = plan_.storeUnroll;
    if (loop_.hidden > 0) {
      while (lanes > loop_.hidden && lanes > 1)
        lanes /= 2;
      unroll = static_cast<int>(std::min<int64_t>(unroll, std::max<int64_t>(1, loop_.hidden / lanes)));
    }
    Var outer("ho"), inner("hi"), vectors("hv"), lane("hl");
    data.split(h_, outer, inner, lanes * unroll, Halide::TailStrategy::Predicate).split(inner, vectors, lane, lanes).vectorize(lane).unroll(vectors);
  }

  Func rowOutput(int stage, Func data) {
    const Store &store = *kernel_.stages()[stage].store;
    Func func(store.output + "_out");
    func(n_) = narrow(store.dtype, rowValues_.at(stage)(n_), hardwareF16_);
    Halide::OutputImageParam rows = data.output_buffers()[0];
    // The runtime passes stride 0 with a dummy of one element where the caller does not want this output.
    func.output_buffer().dim(0).set_stride(HExpr());
    func.output_buffer().dim(0).set_bounds(rows.dim(1).min(), rows.dim(1).extent());
    func.compute_with(data, n_);
    result_.parameters.push_back({HalideParameter::Kind::Buffer, store.output, 1, store.dtype, true});
    return func;
  }

  const Kernel &kernel_;
  const Plan &plan_;
  bool hardwareF16_;
  Var h_{"h"}, n_{"n"};
  HExpr columns_, rows_;
  RowLoop loop_;
  KernelPipeline result_;
  std::optional<Values> values_;
  std::optional<TailCopies> tails_;
  std::map<int, std::function<HExpr(const HExpr &row)>> rowValues_;
};

} // namespace

KernelPipeline buildPipeline(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden) {
  Reporter::install();
  return PipelineBuilder(kernel, plan, target, hidden).build();
}

Halide::Target halideTarget(Target target) {
  Halide::Target result(Halide::Target::Linux, Halide::Target::X86, 64, {Halide::Target::SSE41});
  for (auto feature : {Halide::Target::StrictFloat, Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery, Halide::Target::NoRuntime})
    result.set_feature(feature);
  if (target != Target::X86_64_V2)
    for (auto feature : {Halide::Target::AVX, Halide::Target::AVX2, Halide::Target::F16C})
      result.set_feature(feature);
  if (target == Target::X86_64_V4)
    for (auto feature : {Halide::Target::AVX512, Halide::Target::AVX512_Skylake})
      result.set_feature(feature);
  return result;
}

} // namespace normc
