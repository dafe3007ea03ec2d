// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the project that `normc init` writes.
#pragma once

#include "compiler/spec/kernel_spec.h"
#include "compiler/support/files.h"

#include <string>
#include <vector>

namespace normc {

/// What the project is about.
struct Starter {
  KernelSpec spec;                                           ///< with its name
  std::vector<std::pair<std::string, std::string>> keywords; ///< of normc_add_library, beside OP and NAME: "HIDDEN", "768"
};

/// CMakeLists.txt, main.c and README.md. Built and run, the program prints two rows and the kernel's results for them.
std::vector<OutputFile> starterFiles(const Starter &starter);

} // namespace normc
