// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/library/library.h"

#include "compiler/support/files.h"

namespace normc {

std::vector<std::string> writeLibrary(const Library &library, const std::string &directory) {
  return writeFiles(directory, {{"lib" + library.name + ".a", libraryArchive(library)},
                                {library.name + ".h", libraryHeader(library)},
                                {library.name + ".json", libraryManifest(library)}});
}

} // namespace normc
