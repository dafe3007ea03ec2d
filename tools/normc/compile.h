// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From specs to compiled variants. Each (kernel, target) is compiled in a worker process of its own: in parallel, with the same names whatever else is
// compiled, and a crash inside a library that the compiler uses becomes one error with a line that replays it.
#pragma once

#include "compiler/library/library.h"
#include "compiler/spec/fields.h"

#include <string>
#include <vector>

namespace normc {

/// One kernel for one target.
struct CompileTask {
  KernelSpec spec; ///< with its name
  Target target = Target::X86_64_V2;
};

/// The targets that `request` names; all where it names none. Throws UnknownTarget; BadValue where one comes twice, also by way of "host".
std::vector<Target> requestedTargets(const std::vector<std::string> &names);

/// Those of them that this machine runs; the others are named on stderr as skipped. Also throws UnsupportedCpu where none is left.
std::vector<Target> runnableTargets(const std::vector<std::string> &names);

/// Throws ImpossibleCombination where `backend` cannot build libraries, MissingBackend where this normc was made without it.
void requireBackend(const std::string &backend);

/// Most processes at once where the user does not say: the processors that this process may use.
int defaultJobs();

/// Compiles every kernel for every target, at most `jobs` at once. Shows progress on stderr unless `quiet`.
/// Throws what the worker threw, WorkerDied, or Interrupted; nothing is left behind.
std::vector<LibraryKernel> compileKernels(const std::vector<KernelSpec> &specs, const std::vector<Target> &targets, int jobs, bool quiet);

/// One form of a variant as text: "halide", "llvm" or "asm", of the body with all parameters that the kernel accepts. In a worker too.
std::string compiledForm(const CompileTask &task, const std::string &form);

/// What runs inside a worker: compiles and writes the result into `directory`. `form` is "object" or a form of compiledForm.
void runWorker(const CompileTask &task, const std::string &form, const std::string &directory);

} // namespace normc
