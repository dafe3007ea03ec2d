// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are built, kept in a cache, loaded into this process and called.
#pragma once

#include "compiler/schedule/plan.h"
#include "compiler/spec/kernel_spec.h"
#include "tools/normc/kernel_call.h"
#include "tools/normc/thread_pool.h"

#include <normc/dispatch.h>
#include <normc/exec.h>

#include <string>
#include <vector>

namespace normc {

/// How it runs.
struct CallOptions {
  ThreadPool *pool = nullptr; ///< whose threads take part; null: the calling thread alone
  uint32_t maxIsa = 0;        ///< NORMC_ISA_*
};

/// A call that is ready to be made, as often as one likes. The kernel, the arrays and the pool outlive it.
class PreparedCall {
public:
  /// Throws RuntimeRefused or UnsupportedCpu with the runtime's message.
  void run();

private:
  friend class LoadedKernel;
  using Entry = normc_status_t (*)(const normc_forward_args_t *, const normc_exec_t *);

  normc_forward_args_t args_ = {};
  normc_exec_t exec_ = NORMC_EXEC_INIT;
  normc_diag_t diag_ = {};
  Entry entry_ = nullptr;
};

/// A kernel in a shared object of its own, with the runtime.
class LoadedKernel {
public:
  /// Loads the kernel from `cacheDir`, building it first where it is not there or is not whole: what the building leaves there is complete, whenever it
  /// is interrupted, but disks fill up and people delete files.
  /// Throws UnsupportedCpu where this machine runs none of the targets; MissingTool without a C compiler or runtime library; ToolFailed where linking fails.
  LoadedKernel(const KernelSpec &spec, const std::vector<Target> &targets, const std::string &cacheDir, int jobs);
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;
  ~LoadedKernel();

  PreparedCall prepare(const KernelCall &call, const CallOptions &options) const;

  /// Removes the limit that NORMC_MAX_ISA sets, for whoever says with each call what to run.
  void liftLimits() const;
  /// The variant that a call limited to `isa` runs. Throws UnsupportedCpu where that is another one than the variant for `isa`.
  const normc_variant_t &variant(uint32_t isa) const;
  /// Calls the streaming body itself, as the runtime does for arrays past the caches; y and sum start at multiples of 64 bytes. False where the variant has
  /// none for this width.
  bool stream(const KernelCall &call, uint32_t isa) const;

private:
  void *library_ = nullptr;
  template <class Function> Function symbol(const std::string &name) const;

  void *entry_ = nullptr;
  KernelSpec spec_;
};

/// The default cache: $XDG_CACHE_HOME/normc, or ~/.cache/normc. Throws BadUsage where neither variable is set.
std::string defaultCacheDir();

} // namespace normc
