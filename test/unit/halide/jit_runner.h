// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel as the Halide back end schedules it, in this process, so that kernels whose arrays the C interface does not name (worked kernels, toys) run too.
#pragma once

#include "compiler/reference/interpreter.h"
#include "compiler/schedule/plan.h"

namespace normc::test {

/// Compiles `kernel` by Halide's own code generator and runs it on contiguous arrays. `hidden` 0 compiles the dynamic form. Returns outputs by role.
std::map<std::string, Array> runWithHalide(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const Invocation &invocation);

} // namespace normc::test
