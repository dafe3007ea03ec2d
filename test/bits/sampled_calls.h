// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few ways to call a kernel, drawn from all that are legal.
#pragma once

#include "test/bits/call.h"

namespace normc::bits {

/// The plain call, `count` others, and the streaming body where there is one that may run. The same for the same seed.
std::vector<Call> sampleCalls(const Product &product, size_t index, const Problem &problem, Target target, int count, uint32_t seed);

/// Every target and combination of parameters, at each of the widths (those of a static kernel: its own), with sampled calls.
void checkKernel(const Product &product, size_t index, const std::vector<int64_t> &dynamicWidths, int calls, uint32_t seed);

} // namespace normc::bits
