// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON file that lists the kernels of one library.
#pragma once

#include "compiler/spec/fields.h"

namespace normc {

/// What a file asks for. Each kernel may be a product of widths and types, as on the command line.
struct LibraryRequest {
  std::string name;                 ///< "" where the file gives none
  std::vector<std::string> targets; ///< empty where the file gives none
  std::vector<KernelRequest> kernels;
};

/// Reads
///
///     {"name": "norms", "targets": ["x86-64-v3"], "kernels": [{"op": "layer_norm", "hidden": [384, 768]}, {"op": "rms_norm", "hidden": "dynamic"}]}
///
/// or the list alone. The keys of a kernel are the `json` names of the field table (except targets and backend, which concern the whole library).
/// Throws BadJson (where it is no JSON, gives a key twice, or a value has the wrong type; with line and column, or the number of the kernel and the key),
/// UnknownField, and what the fields' own parsers throw, prefixed with `file` and the number of the kernel.
LibraryRequest parseLibraryRequest(std::string_view text, const std::string &file);

/// The kernels of `kernels[index]`, verified: what `expand` throws, prefixed in the same way and in the words of JSON.
std::vector<KernelSpec> expandKernel(const LibraryRequest &library, size_t index, const std::string &file);

} // namespace normc
