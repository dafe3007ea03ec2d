// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/halide/expect_bits.h"

#include "test/bits/compare.h"

namespace normc::test {
namespace {

Invocation invocationOf(int64_t rows, int64_t hidden, const Arrays &inputs, const Scalars &scalars) {
  Invocation invocation;
  invocation.rows = rows;
  invocation.hidden = hidden;
  invocation.scalars = scalars;
  for (const auto &[role, array] : inputs)
    invocation.inputs[role] = array.view();
  return invocation;
}

} // namespace

Plan planFor(Target target, int64_t hidden) {
  KernelSpec spec;
  spec.hidden = hidden;
  return choose(spec, target);
}

testing::AssertionResult givesReferenceBits(const Kernel &kernel, JitKernel &compiled, int64_t rows, int64_t hidden, const Arrays &inputs,
                                            const Scalars &scalars) {
  Invocation invocation = invocationOf(rows, hidden, inputs, scalars);
  std::string text = bits::difference(interpret(kernel, invocation, Precision::Float32), compiled.run(invocation));
  if (text.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << kernel.name() << ", " << rows << " x " << hidden << ":\n" << text;
}

testing::AssertionResult givesReferenceBits(const Kernel &kernel, Target target, bool dynamic, int64_t rows, int64_t hidden, const Arrays &inputs,
                                            const Scalars &scalars) {
  const int64_t built = dynamic ? 0 : hidden;
  JitKernel compiled(kernel, planFor(target, built), target, built);
  return givesReferenceBits(kernel, compiled, rows, hidden, inputs, scalars) << (dynamic ? "dynamic, " : "static, ") << targetName(target);
}

const std::vector<Target> &allTargets() {
  static const std::vector<Target> targets = {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4};
  return targets;
}

std::string targetTestName(const testing::TestParamInfo<Target> &info) { return targetSuffix(info.param); }

} // namespace normc::test
