// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/kernel_call.h"

#include "compiler/stages/norms.h"

namespace normc {

std::map<std::string, Array> interpretCall(const KernelSpec &spec, const KernelCall &call, const std::set<std::string> &wanted, Precision precision) {
  Invocation invocation{call.rows, call.hidden, {}, {{"eps", call.eps}}, wanted};
  for (const auto &[role, data] : call.inputs) {
    const bool perColumn = role == "weight" || role == "bias";
    const std::vector<int64_t> shape = perColumn ? std::vector<int64_t>{call.hidden} : std::vector<int64_t>{call.rows, call.hidden};
    invocation.inputs[role] = {perColumn ? spec.paramDtype : spec.dtype, shape, data, {}};
  }
  return interpret(normKernel(spec, {call.inputs.count("weight") != 0, call.inputs.count("bias") != 0}), invocation, precision);
}

} // namespace normc
