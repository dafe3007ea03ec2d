// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/library/descriptor.h"
#include "compiler/library/outline.h"
#include "compiler/support/error.h"

#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

namespace normc {

std::string libraryArchive(const Library &library) {
  library::checkLibrary(library);
  std::vector<std::pair<std::string, std::string>> objects; // name, contents
  for (const library::KernelSet &set : library::kernelSets(library))
    objects.emplace_back(set.name + ".o", library::setDescriptor(set));
  for (const LibraryKernel &kernel : library.kernels) {
    objects.emplace_back(kernel.spec.name + ".o", library::kernelDescriptor(kernel));
    for (const LibraryVariant *variant : library::variantsByIsa(kernel))
      objects.emplace_back(library::variantSymbol(kernel.spec.name, variant->target) + ".o", variant->code.object);
  }
  std::vector<llvm::NewArchiveMember> members;
  for (const auto &[name, contents] : objects)
    members.emplace_back(llvm::MemoryBufferRef(contents, name));
  // Deterministic: no dates, owners or permissions of this machine.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive = llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false, llvm::warnToStderr);
  if (!archive)
    reportBug("the archive cannot be built: " + llvm::toString(archive.takeError()));
  return (*archive)->getBuffer().str();
}

} // namespace normc
