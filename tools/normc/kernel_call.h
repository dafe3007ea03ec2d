// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of a kernel, and what the reference makes of it.
#pragma once

#include "compiler/reference/interpreter.h"
#include "compiler/spec/kernel_spec.h"

#include <map>
#include <set>
#include <string>

namespace normc {

/// One call: pointers by role, all contiguous.
struct KernelCall {
  int64_t rows = 0;
  int64_t hidden = 0;
  double eps = 0;
  std::map<std::string, const void *> inputs;
  std::map<std::string, void *> outputs;
};

/// The same call by the reference: the outputs `wanted` by role.
std::map<std::string, Array> interpretCall(const KernelSpec &spec, const KernelCall &call, const std::set<std::string> &wanted, Precision precision);

} // namespace normc
