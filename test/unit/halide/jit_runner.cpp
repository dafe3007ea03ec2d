// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit_runner.h"

#include "compiler/halide/pipeline.h"
#include "compiler/halide/values.h"

namespace normc::test {
namespace {

/// A Halide buffer over an array in C order: Halide's first dimension is the innermost.
Halide::Buffer<> bufferOver(DType dtype, const std::vector<int64_t> &shape, const void *data) {
  std::vector<int> extents(shape.rbegin(), shape.rend());
  return Halide::Buffer<>(storageType(dtype), const_cast<void *>(data), extents);
}

} // namespace

struct JitKernel::Compiled {
  KernelPipeline pipeline;
  Halide::Target target;
};

JitKernel::JitKernel(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden)
    : kernel_(kernel), compiled_(new Compiled{buildPipeline(kernel, plan, target, hidden),
                                              halideTarget(target).without_feature(Halide::Target::NoRuntime).with_feature(Halide::Target::JIT)}) {}

JitKernel::~JitKernel() = default;

std::map<std::string, Array> JitKernel::run(const Invocation &invocation) {
  KernelPipeline &built = compiled_->pipeline;
  for (size_t i = 0; i < kernel_.inputs().size(); ++i) {
    const ArrayView &view = invocation.inputs.at(kernel_.inputs()[i].name);
    built.inputs[i].set(bufferOver(view.dtype, view.shape, view.data));
  }
  for (size_t i = 0; i < kernel_.scalars().size(); ++i)
    built.scalars[i].set(static_cast<float>(invocation.scalars.at(kernel_.scalars()[i])));

  std::map<std::string, Array> outputs;
  std::vector<Halide::Buffer<>> buffers;
  for (size_t i = built.inputs.size() + built.scalars.size(); i < built.parameters.size(); ++i) {
    const HalideParameter &parameter = built.parameters[i];
    Array &array = outputs[parameter.role];
    array.dtype = parameter.dtype;
    array.shape = parameter.dimensions == 2 ? std::vector<int64_t>{invocation.rows, invocation.hidden} : std::vector<int64_t>{invocation.rows};
    array.bytes.resize(static_cast<size_t>(array.size() * dtypeBytes(array.dtype)));
    buffers.push_back(bufferOver(array.dtype, array.shape, array.bytes.data()));
  }
  built.pipeline.realize(Halide::Realization(buffers), compiled_->target);
  return outputs;
}

std::map<std::string, Array> runWithHalide(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const Invocation &invocation) {
  return JitKernel(kernel, plan, target, hidden).run(invocation);
}

} // namespace normc::test
