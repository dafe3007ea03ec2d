// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/product.h"

#include "compiler/library/library.h"
#include "compiler/pipeline/lowering.h"
#include "compiler/support/error.h"
#include "compiler/support/process.h"
#include "test/unit/require_target.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <dlfcn.h>

namespace normc::bits {
namespace {

constexpr const char *kLibrary = "bits";

std::string contents(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Names that a C program could use, different from each other.
void nameKernels(std::vector<KernelSpec> &specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name.empty())
      specs[i].name = "k" + std::to_string(i) + "_" + defaultName(specs[i]);
    verify(specs[i]);
  }
}

Library compile(const std::vector<KernelSpec> &specs) {
  Library library{kLibrary, {}, {"test"}};
  for (const KernelSpec &spec : specs) {
    LibraryKernel kernel{spec, {}};
    for (Target target : runnableTargets())
      kernel.variants.push_back({target, "halide", choose(spec, target), lowerToObject(spec, target)});
    library.kernels.push_back(std::move(kernel));
  }
  return library;
}

void link(const std::string &folder) {
  const char *named = std::getenv("CC");
  Job job;
  job.argv = {findProgram(named && *named ? named : "cc"), "-shared", "-o", folder + "/kernels.so", "-Wl,--whole-archive", folder + "/lib" + kLibrary + ".a",
              "-Wl,--no-whole-archive", "-Wl,-u,normc_dispatch_info", NORMC_RUNTIME_ARCHIVE, "-lm", "-ldl"};
  std::istringstream flags(NORMC_LINK_FLAGS);
  for (std::string flag; flags >> flag;)
    job.argv.push_back(flag);
  job.stdoutFile = folder + "/out";
  job.stderrFile = folder + "/err";
  if (job.argv[0].empty() || !runJob(job).ok())
    throw Error(DiagCode::ToolFailed, "the C compiler could not link the kernels: " + contents(job.stderrFile));
}

} // namespace

const std::vector<Target> &runnableTargets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> runnable;
    for (Target target : {Target::X86_64_V2, Target::X86_64_V3, Target::X86_64_V4}) {
      if (test::canRun(targetName(target)))
        runnable.push_back(target);
      else if (test::mustRun(targetName(target)))
        throw Error(DiagCode::UnsupportedCpu, "NORMC_REQUIRE_TARGETS names " + std::string(targetName(target)) + ", which this machine cannot run");
    }
    return runnable;
  }();
  return targets;
}

uint32_t isaOf(Target target) {
  return target == Target::X86_64_V4 ? NORMC_ISA_X86_64_V4 : target == Target::X86_64_V3 ? NORMC_ISA_X86_64_V3 : NORMC_ISA_X86_64_V2;
}

Product::Product(std::vector<KernelSpec> specs) : specs_(std::move(specs)) {
  nameKernels(specs_);
  TempDir folder;
  writeLibrary(compile(specs_), folder.path());
  link(folder.path());
  handle_ = dlopen((folder.path() + "/kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_)
    throw Error(DiagCode::ToolFailed, std::string("the kernels cannot be loaded: ") + dlerror());
  for (const KernelSpec &spec : specs_) {
    kernels_.push_back(static_cast<const normc_kernel_t *>(symbol(spec.name + "_kernel")));
    entries_.push_back(reinterpret_cast<Entry>(symbol(spec.name)));
  }
}

Product::~Product() {
  if (handle_)
    dlclose(handle_);
}

Product::Entry Product::setEntry() const { return reinterpret_cast<Entry>(symbol(kLibrary)); }

void *Product::symbol(const std::string &name) const {
  void *address = dlsym(handle_, name.c_str());
  if (!address)
    throw Error(DiagCode::ToolFailed, "the library does not define '" + name + "'");
  return address;
}

const normc_variant_t &Product::variant(size_t index, Target target) const {
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.max_isa = isaOf(target);
  return requireVariant(index, target, exec);
}

const normc_variant_t &Product::requireVariant(size_t index, Target target, const normc_exec_t &exec) const {
  auto dispatch = reinterpret_cast<decltype(&normc_dispatch_info)>(symbol("normc_dispatch_info"));
  normc_dispatch_report_t report = {};
  if (dispatch(kernels_.at(index), &exec, &report) != NORMC_STATUS_SUCCESS || !report.chosen || report.chosen->isa != isaOf(target))
    throw Error(DiagCode::ToolFailed, "a call limited to " + std::string(targetName(target)) + " runs another variant: " + report.message);
  return *report.chosen;
}

} // namespace normc::bits
