// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest of a library that was built, read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normc {

/// An array that a kernel takes.
struct ManifestArgument {
  std::string name, direction, dtype; ///< direction: "in" or "out"
  std::vector<std::string> shape;     ///< of "rows", "hidden"
  bool optional = false;              ///< a call may pass NULL
  std::vector<std::string> mayBe;     ///< inputs that this output may be in place of
};

/// A kernel's code for one target.
struct ManifestVariant {
  std::string isa, symbol, backend, plan, reason;
  int64_t codeBytes = 0;
  std::vector<std::string> bodies;
};

struct ManifestKernel {
  std::string name, op, spec, specHash;
  int64_t hidden = 0; ///< 0: any
  double eps = 0;
  std::vector<ManifestArgument> arguments;
  std::vector<ManifestVariant> variants;
};

/// An entry that picks one of several kernels by the width of the call.
struct ManifestSet {
  std::string name;
  std::vector<std::string> kernels;
};

/// What compiler/library/manifest.cpp writes, as far as `normc inspect` shows it.
struct Manifest {
  int64_t version = 0, abi = 0;
  std::string normc, llvm, halide; ///< who made it; halide is "" where it had no part
  std::string name, archive, command;
  std::vector<ManifestKernel> kernels;
  std::vector<ManifestSet> sets;
  std::string text; ///< all of it
};

/// Reads a manifest. Throws CannotRead; BadJson where it is none, or one of a later normc, with the place.
Manifest readManifest(const std::string &path);

/// Throws WrongManifest where the archive is not the one that the manifest describes: symbols, sizes of code and kernels' specs are compared. CannotRead where
/// it cannot be read.
void checkArchive(const Manifest &manifest, const std::string &archive);

} // namespace normc
