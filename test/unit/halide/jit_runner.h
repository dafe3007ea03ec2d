// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel as the Halide back end schedules it, in this process, so that kernels whose arrays the C interface does not name run too.
#pragma once

#include "compiler/reference/interpreter.h"
#include "compiler/schedule/plan.h"

#include <memory>

namespace normc::test {

/// A kernel that Halide's own code generator compiles when it first runs, once.
class JitKernel {
public:
  /// `hidden` 0: the dynamic form. The kernel must outlive this.
  JitKernel(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden);
  ~JitKernel();

  /// Runs it on contiguous arrays. Returns outputs by role.
  std::map<std::string, Array> run(const Invocation &invocation);

private:
  struct Compiled;
  const Kernel &kernel_;
  std::unique_ptr<Compiled> compiled_;
};

/// Compiles and runs once.
std::map<std::string, Array> runWithHalide(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const Invocation &invocation);

} // namespace normc::test
