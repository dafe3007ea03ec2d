// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/call.h"

#include "compiler/stages/norms.h"
#include "compiler/support/error.h"
#include "test/bits/compare.h"
#include "test/bits/hostile_rows.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include <xmmintrin.h>

namespace normc::bits {
namespace {

/// A plain parallel_for that counts.
struct Threads {
  int threads = 0;
  std::atomic<int64_t> tasks{0};

  static void run(void *context, int64_t tasks, void (*task)(void *, int64_t), void *taskContext) {
    auto *self = static_cast<Threads *>(context);
    self->tasks += tasks;
    std::atomic<int64_t> next{0};
    auto work = [&] {
      for (int64_t index = next++; index < tasks; index = next++)
        task(taskContext, index);
    };
    std::vector<std::thread> others;
    for (int64_t i = 1; i < std::min<int64_t>(self->threads, tasks); ++i)
      try {
        others.emplace_back(work);
      } catch (const std::system_error &) {
        break; // the system gives no more: those that there are do the work
      }
    work();
    for (std::thread &other : others)
      other.join();
  }
};

/// Rows first .. first + rows of an array (rows, hidden), or those elements of an array (rows).
Array rowsOf(const Array &array, int64_t first, int64_t rows) {
  const int64_t rowBytes = (array.shape.size() == 2 ? array.shape[1] : 1) * dtypeBytes(array.dtype);
  Array part{array.dtype, array.shape, {}};
  part.shape[0] = rows;
  part.bytes.assign(array.bytes.begin() + first * rowBytes, array.bytes.begin() + (first + rows) * rowBytes);
  return part;
}

/// One call: its memory, and the checks of it.
class Runner {
public:
  Runner(const Product &product, size_t index, const Problem &problem, const Call &call)
      : product_(product), index_(index), problem_(problem), call_(call), rows_(call.rows ? call.rows : problem.rows - call.firstRow) {
    layOut();
  }

  CallResult run() {
    for (auto &[role, buffer] : buffers_)
      buffer->remember();
    CallResult result;
    result.failure = call_.streaming ? runStreaming() : runEntry(result.tasks);
    if (result.failure.empty())
      result.failure = check();
    return result;
  }

private:
  bool hasRole(const std::string &role) const { return problem_.inputs.count(role) || problem_.expected.count(role); }
  bool wanted(const std::string &output) const {
    return problem_.expected.count(output) && (output != "mean" || call_.mean) && (output != "rstd" || call_.rstd);
  }

  /// The role whose memory a role uses.
  std::string holder(const std::string &role) const {
    const Sharing s = call_.sharing;
    if (role == "y")
      return s == Sharing::YIsX || s == Sharing::YIsXSumIsResidual ? "x" : s == Sharing::YIsResidual || s == Sharing::YIsResidualSumIsX ? "residual" : "y";
    if (role == "sum")
      return s == Sharing::SumIsX || s == Sharing::YIsResidualSumIsX          ? "x"
             : s == Sharing::SumIsResidual || s == Sharing::YIsXSumIsResidual ? "residual"
                                                                              : "sum";
    return role;
  }

  RowLayout rowLayout(int64_t multiple) const {
    RowLayout layout = RowLayout::contiguous(rows_, problem_.hidden);
    layout.stride += multiple * call_.gap;
    layout.innerRows = call_.innerRows ? call_.innerRows : rows_;
    const int64_t blocks = (rows_ + layout.innerRows - 1) / layout.innerRows;
    if (call_.interleaved) {
      layout.outer = layout.stride + multiple * call_.outerGap;
      layout.stride = blocks * layout.outer;
    } else {
      layout.outer = layout.innerRows * layout.stride + multiple * call_.outerGap;
    }
    layout.misalignment = call_.misalignment;
    layout.edge = call_.edge;
    return layout;
  }

  RowLayout vectorLayout(int64_t elements) const {
    RowLayout layout = RowLayout::contiguous(1, elements);
    layout.misalignment = call_.misalignment;
    layout.edge = call_.edge;
    return layout;
  }

  void layOut() {
    int64_t multiple = 0;
    for (const char *role : {"x", "residual", "y", "sum"}) {
      ++multiple;
      if (!hasRole(role) || holder(role) != role)
        continue;
      const bool input = problem_.inputs.count(role);
      const Array &array = input ? problem_.inputs.at(role) : problem_.expected.at(role);
      auto &buffer = buffers_[role] = std::make_unique<RowBuffer>(array.dtype, rowLayout(multiple));
      if (input)
        buffer->put(array, call_.firstRow);
      else
        buffer->spoil();
    }
    for (const char *role : {"weight", "bias"})
      if (problem_.inputs.count(role)) {
        const Array &array = problem_.inputs.at(role);
        auto &buffer = buffers_[role] = std::make_unique<RowBuffer>(array.dtype, vectorLayout(problem_.hidden));
        buffer->put(array, 0);
      }
    for (const char *role : {"mean", "rstd"})
      if (wanted(role)) {
        auto &buffer = buffers_[role] = std::make_unique<RowBuffer>(DType::F32, vectorLayout(rows_));
        buffer->spoil();
      }
  }

  void *pointer(const std::string &role) {
    auto found = buffers_.find(holder(role));
    return found == buffers_.end() || !hasRole(role) ? nullptr : found->second->data();
  }

  /// The strides to pass: 0 where the default says the same.
  std::pair<int64_t, int64_t> strides(const std::string &role) const {
    auto found = buffers_.find(holder(role));
    if (found == buffers_.end() || !hasRole(role))
      return {0, 0};
    const RowLayout &layout = found->second->layout();
    const bool rowDefault = layout.stride == layout.hidden, blockDefault = layout.outer == layout.innerRows * layout.stride;
    return {rowDefault ? 0 : layout.stride, blockDefault ? 0 : layout.outer};
  }

  std::string runEntry(int64_t &tasks) {
    normc_forward_args_t args = {};
    args.struct_size = sizeof args;
    args.rows = rows_;
    args.inner_rows = call_.innerRows;
    args.hidden = problem_.spec.dynamic() || call_.throughSet ? problem_.hidden : 0;
    args.eps = problem_.eps;
    args.x = pointer("x");
    std::tie(args.x_stride, args.x_outer_stride) = strides("x");
    args.residual = pointer("residual");
    std::tie(args.residual_stride, args.residual_outer_stride) = strides("residual");
    args.weight = pointer("weight");
    args.bias = pointer("bias");
    args.y = pointer("y");
    std::tie(args.y_stride, args.y_outer_stride) = strides("y");
    args.sum = pointer("sum");
    std::tie(args.sum_stride, args.sum_outer_stride) = strides("sum");
    args.mean = static_cast<float *>(pointer("mean"));
    args.rstd = static_cast<float *>(pointer("rstd"));

    normc_diag_t diag = {};
    Threads threads;
    threads.threads = call_.threads;
    normc_exec_t exec = NORMC_EXEC_INIT;
    exec.max_isa = isaOf(call_.target);
    exec.diag = &diag;
    if (call_.threads > 0) {
      exec.parallel_for = Threads::run;
      exec.parallel_for_context = &threads;
      exec.threads = static_cast<uint32_t>(call_.threads);
    }
    product_.requireVariant(index_, call_.target, exec);
    Product::Entry entry = call_.throughSet ? product_.setEntry() : product_.entry(index_);
    const normc_status_t status = entry(&args, &exec);
    tasks = threads.tasks;
    return status == NORMC_STATUS_SUCCESS ? "" : std::string("the call failed: ") + diag.message;
  }

  std::string runStreaming() {
    const normc_variant_t &variant = product_.variant(index_, call_.target);
    normc_body_t body = variant.streaming[problem_.affine];
    if (!body)
      return "the variant has no streaming body";
    float unwanted = 0;
    normc_slice_t slice = {};
    slice.rows = rows_;
    slice.hidden = problem_.hidden;
    slice.eps = problem_.eps;
    auto stride = [&](const char *role) { return pointer(role) ? buffers_.at(holder(role))->layout().stride : 0; };
    slice.x = pointer("x"), slice.x_stride = stride("x");
    slice.residual = pointer("residual"), slice.residual_stride = stride("residual");
    slice.weight = pointer("weight");
    slice.bias = pointer("bias");
    slice.y = pointer("y"), slice.y_stride = stride("y");
    slice.sum = pointer("sum"), slice.sum_stride = stride("sum");
    slice.mean = pointer("mean") ? static_cast<float *>(pointer("mean")) : &unwanted, slice.mean_stride = pointer("mean") != nullptr;
    slice.rstd = pointer("rstd") ? static_cast<float *>(pointer("rstd")) : &unwanted, slice.rstd_stride = pointer("rstd") != nullptr;
    body(&slice);
    _mm_sfence();
    return "";
  }

  std::string check() {
    std::string failure;
    for (const auto &[role, expected] : problem_.expected) {
      if (!wanted(role))
        continue;
      Array part = rowsOf(expected, call_.firstRow, rows_);
      std::string difference = bits::difference(part, buffers_.at(holder(role))->take(part.shape), call_.firstRow);
      if (!difference.empty())
        failure += role + ": " + difference + "\n";
    }
    for (const auto &[role, buffer] : buffers_) {
      const bool written = problem_.expected.count(role) || (role == "x" && (holder("y") == "x" || holder("sum") == "x")) ||
                           (role == "residual" && (holder("y") == "residual" || holder("sum") == "residual"));
      if (!written && !buffer->isIntact())
        failure += role + " was written\n";
      if (written && !buffer->gapsAreIntact())
        failure += "bytes around the elements of " + role + " were written\n";
    }
    return failure;
  }

  const Product &product_;
  size_t index_;
  const Problem &problem_;
  const Call &call_;
  int64_t rows_;
  std::map<std::string, std::unique_ptr<RowBuffer>> buffers_; ///< by the role that holds the memory
};

} // namespace

Problem makeProblem(const KernelSpec &spec, unsigned affine, int64_t rows, int64_t hidden, uint32_t seed, float eps) {
  Problem problem{spec, affine, rows, hidden, eps, {}, {}};
  problem.inputs["x"] = hostileArray(spec.dtype, rows, hidden, seed);
  if (spec.residual) // kinds of rows meet their own kind, or another
    problem.inputs["residual"] = hostileArray(spec.dtype, rows, hidden, seed + 1, seed % 2 ? 5 : 0);
  if (affine & NORMC_AFFINE_WEIGHT)
    problem.inputs["weight"] = hostileWeight(spec.paramDtype, hidden, seed + 2);
  if (affine & NORMC_AFFINE_BIAS)
    problem.inputs["bias"] = hostileBias(spec.paramDtype, hidden, seed + 3);
  Invocation invocation;
  invocation.rows = rows;
  invocation.hidden = hidden;
  invocation.scalars["eps"] = eps;
  for (const auto &[role, array] : problem.inputs)
    invocation.inputs[role] = array.view();
  Kernel kernel = normKernel(spec, {.weight = (affine & NORMC_AFFINE_WEIGHT) != 0, .bias = (affine & NORMC_AFFINE_BIAS) != 0});
  problem.expected = interpret(kernel, invocation, Precision::Float32);
  return problem;
}

std::string_view sharingName(Sharing sharing) {
  switch (sharing) {
  case Sharing::None: return "separate arrays";
  case Sharing::YIsX: return "y is x";
  case Sharing::YIsResidual: return "y is residual";
  case Sharing::SumIsX: return "sum is x";
  case Sharing::SumIsResidual: return "sum is residual";
  case Sharing::YIsXSumIsResidual: return "y is x, sum is residual";
  case Sharing::YIsResidualSumIsX: return "y is residual, sum is x";
  }
  reportBug("unknown sharing");
}

std::vector<Sharing> legalSharings(const KernelSpec &spec) {
  std::vector<Sharing> sharings = {Sharing::None};
  const bool sameType = spec.yDtype == spec.dtype;
  if (sameType)
    sharings.push_back(Sharing::YIsX);
  if (sameType && spec.residual)
    sharings.push_back(Sharing::YIsResidual);
  if (spec.sum)
    sharings.insert(sharings.end(), {Sharing::SumIsX, Sharing::SumIsResidual});
  if (sameType && spec.sum)
    sharings.insert(sharings.end(), {Sharing::YIsXSumIsResidual, Sharing::YIsResidualSumIsX});
  return sharings;
}

std::string describe(const Problem &problem, const Call &call) {
  std::string text = canonicalSpelling(problem.spec) + "\n  hidden " + std::to_string(problem.hidden) + ", eps " + std::to_string(problem.eps) +
                     ", parameters " + std::to_string(problem.affine) + ", rows " + std::to_string(call.firstRow) + " to " +
                     std::to_string(call.rows ? call.firstRow + call.rows : problem.rows) + ", " + std::string(targetName(call.target)) + ", " +
                     std::string(sharingName(call.sharing));
  auto add = [&](int64_t value, const char *what) { text += value ? ", " + std::string(what) + " " + std::to_string(value) : ""; };
  add(call.gap, "gap");
  add(call.innerRows, "inner rows");
  add(call.outerGap, "outer gap");
  add(call.misalignment, "misalignment");
  add(call.threads, "threads");
  text += call.interleaved ? ", interleaved" : "";
  text += call.edge == Edge::PageBefore ? ", at the begin of a page" : call.edge == Edge::PageAfter ? ", at the end of a page" : "";
  text += call.streaming ? ", streaming body" : "";
  return text;
}

CallResult run(const Product &product, size_t index, const Problem &problem, const Call &call) { return Runner(product, index, problem, call).run(); }

testing::AssertionResult givesReferenceBits(const Product &product, size_t index, const Problem &problem, const Call &call) {
  CallResult result = run(product, index, problem, call);
  if (result.failure.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << describe(problem, call) << "\n" << result.failure;
}

} // namespace normc::bits
