// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/loaded_kernel.h"

#include "tools/normc/build_config.h"
#include "tools/normc/compile.h"
#include "tools/normc/installation.h"

#include "compiler/library/library.h"
#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <normc/status.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dlfcn.h>
#include <elf.h>
#include <emmintrin.h>
#include <unistd.h>

namespace normc {
namespace {

namespace fs = std::filesystem;

constexpr const char *kObjectName = "kernel.so";

std::string cacheKey(const KernelSpec &spec, const std::vector<Target> &targets) {
  std::string text = canonicalSpelling(spec) + "\n" + spec.name + "\n" + buildStamp();
  for (Target target : targets)
    text.append("\n").append(targetName(target));
  return spec.name + "-" + textHash(text);
}

/// The last lines of a tool's messages, as notes.
std::vector<std::string> lastLines(const std::string &file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  if (lines.size() > 5)
    lines.erase(lines.begin(), lines.end() - 5);
  return lines;
}

void linkShared(const std::string &folder, const std::string &name) {
  Job job;
  job.argv = requireCCompiler();
  const std::string compiler = job.argv[0];
  for (const std::string &argument : {std::string("-shared"), std::string("-o"), folder + "/" + kObjectName, std::string("-Wl,--whole-archive"),
                                      folder + "/lib" + name + ".a", std::string("-Wl,--no-whole-archive,-u,normc_dispatch_info"), requireRuntime(),
                                      std::string("-lm"), std::string("-ldl")})
    job.argv.push_back(argument);
  std::istringstream flags(NORMC_LINK_FLAGS);
  for (std::string flag; flags >> flag;)
    job.argv.push_back(flag);
  job.stdoutFile = folder + "/link.out";
  job.stderrFile = folder + "/link.err";
  if (!runJob(job).ok()) {
    std::vector<std::string> notes = lastLines(job.stderrFile);
    throw Error(DiagCode::ToolFailed, "'" + compiler + "' could not link the kernel", std::move(notes));
  }
}

/// Whether a file is a whole ELF file, whose last part is the table of its sections: loading one that was cut off would end the process.
bool isWhole(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char *>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  std::error_code problem;
  const uint64_t size = fs::file_size(path, problem);
  return !problem && size >= header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
}

/// Makes `place` hold kernel.so: built beside it and renamed, so that others see all or nothing.
void fill(const fs::path &place, const KernelSpec &spec, const std::vector<Target> &targets, int jobs) {
  // What linking needs is asked for before seconds of compiling.
  requireCCompiler();
  requireRuntime();
  std::error_code problem;
  fs::create_directories(place.parent_path(), problem);
  std::string building = place.string() + ".XXXXXX";
  errno = problem ? problem.value() : 0;
  if (problem || !mkdtemp(building.data()))
    throw Error(DiagCode::CannotWrite, "cannot write into the cache '" + place.parent_path().string() + "': " + std::strerror(errno),
                {"choose another one with --cache-dir"});
  try {
    const Library library{spec.name, compileKernels({spec}, targets, jobs, false), {"run"}};
    writeLibrary(library, building);
    linkShared(building, spec.name);
    checkInterrupted();
    if (!isWhole(place / kObjectName))
      fs::remove_all(place, problem);
    fs::rename(building, place, problem);
    // Another process may have been faster: its result is as good.
    if (problem && !isWhole(place / kObjectName))
      throw Error(DiagCode::CannotWrite, "cannot write into the cache '" + place.parent_path().string() + "': " + problem.message(),
                  {"choose another one with --cache-dir"});
  } catch (...) {
    fs::remove_all(building, problem);
    throw;
  }
  fs::remove_all(building, problem);
}

template <class T, class Map> T *pointer(const Map &arrays, const char *role) {
  const auto found = arrays.find(role);
  return found == arrays.end() ? nullptr : static_cast<T *>(found->second);
}

} // namespace

std::string defaultCacheDir() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache)
    return std::string(cache) + "/normc";
  if (home && *home)
    return std::string(home) + "/.cache/normc";
  throw Error(DiagCode::BadUsage, "there is no place for the cache: neither XDG_CACHE_HOME nor HOME is set", {"add --cache-dir DIR"});
}

LoadedKernel::LoadedKernel(const KernelSpec &asked, const std::vector<Target> &targets, const std::string &cacheDir, int jobs) {
  // Every call says its eps: kernels that differ in the header's default alone are one.
  KernelSpec spec = asked;
  spec.eps = KernelSpec().eps;
  if (std::none_of(targets.begin(), targets.end(), hostRuns))
    throw Error(DiagCode::UnsupportedCpu, "this machine's processor cannot run " + std::string(targetName(targets.at(0))),
                {"'normc list targets' says what it runs; 'normc build' compiles for any target"});
  const fs::path place = fs::path(cacheDir) / cacheKey(spec, targets);
  if (!isWhole(place / kObjectName))
    fill(place, spec, targets, jobs);
  library_ = dlopen((fs::absolute(place) / kObjectName).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_)
    throw Error(DiagCode::ToolFailed, std::string("the kernel that was built cannot be loaded: ") + dlerror(),
                {"remove '" + place.string() + "' and try again"});
  entry_ = dlsym(library_, spec.name.c_str());
  if (!entry_)
    reportBug("the kernel's shared object lacks '" + spec.name + "'");
  spec_ = spec;
}

LoadedKernel::~LoadedKernel() {
  if (library_)
    dlclose(library_);
}

PreparedCall LoadedKernel::prepare(const KernelCall &call, const CallOptions &options) const {
  PreparedCall prepared;
  normc_forward_args_t &args = prepared.args_;
  args.struct_size = sizeof args;
  args.rows = call.rows;
  args.hidden = call.hidden;
  args.eps = static_cast<float>(call.eps);
  args.x = pointer<const void>(call.inputs, "x");
  args.residual = pointer<const void>(call.inputs, "residual");
  args.weight = pointer<const void>(call.inputs, "weight");
  args.bias = pointer<const void>(call.inputs, "bias");
  args.y = pointer<void>(call.outputs, "y");
  args.sum = pointer<void>(call.outputs, "sum");
  args.mean = pointer<float>(call.outputs, "mean");
  args.rstd = pointer<float>(call.outputs, "rstd");
  prepared.exec_.max_isa = options.maxIsa;
  if (options.pool && options.pool->threads() > 1) {
    prepared.exec_.parallel_for = ThreadPool::parallelFor;
    prepared.exec_.parallel_for_context = options.pool;
    prepared.exec_.threads = static_cast<uint32_t>(options.pool->threads());
  }
  prepared.entry_ = reinterpret_cast<PreparedCall::Entry>(entry_);
  return prepared;
}

template <class Function> Function LoadedKernel::symbol(const std::string &name) const {
  void *address = dlsym(library_, name.c_str());
  if (!address)
    reportBug("the kernel's shared object lacks '" + name + "'");
  return reinterpret_cast<Function>(address);
}

void LoadedKernel::liftLimits() const { symbol<decltype(&normc_set_max_isa)>("normc_set_max_isa")(NORMC_ISA_ANY); }

const normc_variant_t &LoadedKernel::variant(uint32_t isa) const {
  normc_diag_t diag = {};
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.max_isa = isa;
  exec.diag = &diag;
  normc_dispatch_report_t report = {};
  const normc_status_t status =
      symbol<decltype(&normc_dispatch_info)>("normc_dispatch_info")(symbol<const normc_kernel_t *>(spec_.name + "_kernel"), &exec, &report);
  if (status != NORMC_STATUS_SUCCESS || !report.chosen || report.chosen->isa != isa)
    throw Error(DiagCode::UnsupportedCpu, "a call of '" + spec_.name + "' runs another variant than the one asked for: " +
                                              std::string(*report.message ? report.message : diag.message));
  return *report.chosen;
}

bool LoadedKernel::stream(const KernelCall &call, uint32_t isa) const {
  const unsigned affine = (call.inputs.count("weight") ? unsigned{NORMC_AFFINE_WEIGHT} : 0u) | (call.inputs.count("bias") ? unsigned{NORMC_AFFINE_BIAS} : 0u);
  const normc_variant_t &chosen = variant(isa);
  const normc_body_t body = chosen.streaming[affine];
  auto fits = [&](DType type) { return call.hidden * dtypeBytes(type) % chosen.stream_alignment == 0; };
  if (!body || chosen.stream_alignment == 0 || !fits(spec_.yDtype) || (spec_.sum && !fits(spec_.dtype)))
    return false;
  float unwanted = 0;
  normc_slice_t slice = {};
  slice.rows = call.rows;
  slice.hidden = slice.x_stride = slice.residual_stride = slice.y_stride = slice.sum_stride = call.hidden;
  slice.eps = static_cast<float>(call.eps);
  slice.x = pointer<const void>(call.inputs, "x");
  slice.residual = pointer<const void>(call.inputs, "residual");
  slice.weight = pointer<const void>(call.inputs, "weight");
  slice.bias = pointer<const void>(call.inputs, "bias");
  slice.y = pointer<void>(call.outputs, "y");
  slice.sum = pointer<void>(call.outputs, "sum");
  float *mean = pointer<float>(call.outputs, "mean"), *rstd = pointer<float>(call.outputs, "rstd");
  slice.mean = mean ? mean : &unwanted;
  slice.mean_stride = mean != nullptr;
  slice.rstd = rstd ? rstd : &unwanted;
  slice.rstd_stride = rstd != nullptr;
  body(&slice);
  _mm_sfence();
  return true;
}

void PreparedCall::run() {
  exec_.diag = &diag_;
  const normc_status_t status = entry_(&args_, &exec_);
  if (status == NORMC_STATUS_SUCCESS)
    return;
  throw Error(status == NORMC_STATUS_UNSUPPORTED_CPU ? DiagCode::UnsupportedCpu : DiagCode::RuntimeRefused,
              "the runtime refused the call with status " + std::to_string(status) + ": " + diag_.message);
}

} // namespace normc
