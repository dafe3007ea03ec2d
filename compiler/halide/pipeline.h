// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as a scheduled Halide pipeline.
#pragma once

#include "compiler/halide/halide_backend.h"

#include <Halide.h>

namespace normc {

/// A scheduled pipeline with its arguments. `parameters` describes the arguments of the compiled function in order: inputs, scalars, outputs.
struct KernelPipeline {
  Halide::Pipeline pipeline;
  std::vector<Halide::ImageParam> inputs;       ///< one per input of the kernel
  std::vector<Halide::Param<float>> scalars;    ///< one per scalar
  std::vector<Halide::Argument> arguments;
  std::vector<HalideParameter> parameters;
};

/// Builds and schedules the pipeline; see lowerWithHalide.
KernelPipeline buildPipeline(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden);

/// Halide's name for a target, with the features that normc's code needs: strict floating point, no asserts, no bounds query, no runtime.
Halide::Target halideTarget(Target target);

} // namespace normc
