// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that appear whole or not at all.
#pragma once

#include <string>
#include <vector>

namespace normc {

/// A file to write.
struct OutputFile {
  std::string name; ///< without a folder, or a path
  std::string contents;
};

/// Writes `files` into `directory`, which is made where it does not exist. All are written under temporary names first and renamed then, so that a reader sees
/// each file as it was or as it is to be, and a failure to write one leaves all as they were. Should the renaming itself fail
/// halfway, those before are new and the others old, each of them whole. A link stays one: what it points to is replaced. Returns the paths, in order.
/// Throws CannotWrite with the system's reason, or where something that is no regular file has one of the names.
std::vector<std::string> writeFiles(const std::string &directory, const std::vector<OutputFile> &files);

/// The same for files in any folders that exist: `name` is a path.
std::vector<std::string> writeFiles(const std::vector<OutputFile> &files);

} // namespace normc
