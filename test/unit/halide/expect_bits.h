// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel through the Halide back end, against the reference.
#pragma once

#include "test/unit/halide/jit_runner.h"

#include <gtest/gtest.h>

namespace normc::test {

using Arrays = std::map<std::string, Array>;
using Scalars = std::map<std::string, double>;

/// The plan of a product of that width on the target; the stages of a kernel do not enter into it.
Plan planFor(Target target, int64_t hidden);

/// Success where the compiled kernel gives the bits of the reference, on contiguous inputs of (rows, hidden).
testing::AssertionResult givesReferenceBits(const Kernel &kernel, JitKernel &compiled, int64_t rows, int64_t hidden, const Arrays &inputs,
                                            const Scalars &scalars);

/// Likewise, compiled for `target`; `dynamic`: for any width.
testing::AssertionResult givesReferenceBits(const Kernel &kernel, Target target, bool dynamic, int64_t rows, int64_t hidden, const Arrays &inputs,
                                            const Scalars &scalars);

/// Tests over all targets take one as their parameter: `INSTANTIATE_TEST_SUITE_P(Targets, Suite, testing::ValuesIn(allTargets()), targetTestName)`.
const std::vector<Target> &allTargets();
std::string targetTestName(const testing::TestParamInfo<Target> &info);

} // namespace normc::test
