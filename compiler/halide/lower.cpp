// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/halide/halide_backend.h"
#include "compiler/halide/pipeline.h"
#include "compiler/support/error.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace normc {
namespace {

/// A file that lives in memory: Halide writes its results to paths only.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw Error(DiagCode::CannotWrite, "cannot make a file in memory (memfd_create failed)");
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() { close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  std::string contents() const {
    std::string bytes;
    std::array<char, 65536> block;
    off_t offset = 0;
    for (ssize_t count; (count = pread(descriptor_, block.data(), block.size(), offset)) > 0; offset += count)
      bytes.append(block.data(), static_cast<size_t>(count));
    return bytes;
  }

private:
  int descriptor_;
};

std::string compileTo(Halide::OutputFileType form, const KernelPipeline &built, Target target, const std::string &function) {
  Halide::Pipeline pipeline = built.pipeline;
  Halide::Module module = pipeline.compile_to_module(built.arguments, function, halideTarget(target), Halide::LinkageType::External);
  MemoryFile file("normc-halide");
  module.compile({{form, file.path()}});
  return file.contents();
}

} // namespace

HalideBody lowerWithHalide(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const std::string &function) {
  KernelPipeline built = buildPipeline(kernel, plan, target, hidden);
  return HalideBody{compileTo(Halide::OutputFileType::bitcode, built, target, function), function, built.parameters, usesRowNumbers(kernel)};
}

std::string halideStatement(const Kernel &kernel, const Plan &plan, Target target, int64_t hidden, const std::string &function) {
  return compileTo(Halide::OutputFileType::stmt, buildPipeline(kernel, plan, target, hidden), target, function);
}

} // namespace normc
