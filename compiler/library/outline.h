// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the archive, the header and the manifest must agree on.
#pragma once

#include "compiler/library/library.h"

#include <normc/abi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normc::library {

/// How a kernel takes an array.
enum class Use : uint8_t {
  Absent,   ///< the slot must be NULL
  Optional, ///< NULL or the array
  Required, ///< the array
};

/// One array of normc_forward_args_t, as a kernel takes it.
struct Argument {
  std::string_view name;
  uint32_t role; ///< NORMC_ROLE_*
  Use use;
  DType dtype;
  bool output;
  int rank;                       ///< 2: [rows, hidden]
  bool perRow;                    ///< rank 1: [rows] rather than [hidden]
  std::vector<std::string> mayBe; ///< inputs that an output may share its memory with, as the very same array
};

/// All eight, in the order of normc_forward_args_t.
std::vector<Argument> arguments(const KernelSpec &spec);

/// Kernels of a library that differ in hidden only: they share one entry that picks the width.
struct KernelSet {
  std::string name;
  std::vector<const LibraryKernel *> kernels; ///< static widths in ascending order, then at most one dynamic kernel
  KernelSpec spec;                            ///< what they have in common, as a dynamic kernel of the set's name
};

/// The sets of two kernels or more. One set has the library's name; several have it with what tells them apart.
std::vector<KernelSet> kernelSets(const Library &library);

/// Throws DuplicateName where two public symbols of the library are the same.
void checkNames(const Library &library);
/// Also throws InternalError where a kernel has no variant, or a variant lacks a body.
void checkLibrary(const Library &library);

/// The kernel's variants, widest first.
std::vector<const LibraryVariant *> variantsByIsa(const LibraryKernel &kernel);

/// NORMC_ISA_* of a target.
uint32_t isaOf(Target target);
/// NORMC_DTYPE_* of a storage type.
uint32_t dtypeCode(DType type);

/// The symbol of a variant: "ln768__x86_64_v4".
std::string variantSymbol(std::string_view kernel, Target target);

/// Whether the variant has streaming bodies.
bool streams(const LibraryVariant &variant, std::string_view kernel);

/// "LN768" for "ln768".
std::string upperCase(std::string text);

/// The macro that initializes the arguments of an entry: "LN768_ARGS_INIT".
std::string initializerMacro(const std::string &name);

/// "normc 0.1.0"
std::string producer();

/// The command as one line that a shell reads, without folders of the machine it ran on: of absolute paths the last part is kept.
std::string commandLine(const Library &library);

} // namespace normc::library
