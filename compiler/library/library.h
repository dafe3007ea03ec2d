// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From compiled variants to what a user gets: a static archive, a C header and a manifest. No LLVM type appears here.
#pragma once

#include "compiler/codegen/body.h"
#include "compiler/schedule/plan.h"
#include "compiler/spec/kernel_spec.h"

#include <string>
#include <vector>

namespace normc {

/// A kernel compiled for one target.
struct LibraryVariant {
  Target target = Target::X86_64_V2;
  std::string backend; ///< "halide"
  Plan plan;
  VariantObject code; ///< defines bodySymbol(name, target, affine) for every combination that affineCombinations gives, and streaming versions of all or none
};

struct LibraryKernel {
  KernelSpec spec;                      ///< with its name
  std::vector<LibraryVariant> variants; ///< in any order, each target once
};

struct Library {
  std::string name;                   ///< of the files: libNAME.a, NAME.h, NAME.json
  std::vector<LibraryKernel> kernels; ///< in the order of the header
  std::vector<std::string> command;   ///< what the user typed, without the program's path, for the header and the manifest
};

/// The combinations of optional parameters (bits NORMC_AFFINE_*) that calls of a kernel may have, in ascending order: one body each.
std::vector<unsigned> affineCombinations(const KernelSpec &spec);

/// The three files as text or bytes: the same for the same library, wherever and whenever they are made.
/// Each throws DuplicateName where two symbols of the library would be the same, and InternalError where a variant lacks a body. The header needs no variants.
std::string libraryArchive(const Library &library);
std::string libraryHeader(const Library &library);
std::string libraryManifest(const Library &library);

/// Writes libNAME.a, NAME.h and NAME.json into `directory` and returns their paths. Throws CannotWrite, leaving nothing half-written.
std::vector<std::string> writeLibrary(const Library &library, const std::string &directory);

} // namespace normc
