// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object that makes bodies a kernel: its description for the runtime, and its C entry.
#pragma once

#include "compiler/library/outline.h"

namespace normc::library {

/// An ELF object that defines `NAME` (the entry, which hands NAME_kernel to normc_run_forward), `NAME_kernel` and `NAME_workspace`. It runs on any x86-64.
std::string kernelDescriptor(const LibraryKernel &kernel);

/// Likewise for a set: `NAME` hands `NAME_kernel_set` to normc_run_forward_set.
std::string setDescriptor(const KernelSet &set);

} // namespace normc::library
