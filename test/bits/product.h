// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as a user gets them: compiled, put into an archive, linked by the C compiler with the runtime, and loaded into this process.
#pragma once

#include "compiler/schedule/plan.h"
#include "compiler/spec/kernel_spec.h"

#include <normc/normc.h>

#include <vector>

namespace normc::bits {

/// The targets that this machine can run; the others are skipped by name elsewhere (test/targets.py), and fail where NORMC_REQUIRE_TARGETS names them.
const std::vector<Target> &runnableTargets();

/// NORMC_ISA_* of a target.
uint32_t isaOf(Target target);

/// A library of one or more kernels for all runnable targets. Nothing is kept on disk beyond its life.
class Product {
public:
  using Entry = normc_status_t (*)(const normc_forward_args_t *, const normc_exec_t *);

  /// Specs without a name get one. Throws where a step fails.
  explicit Product(std::vector<KernelSpec> specs);
  Product(const Product &) = delete;
  Product &operator=(const Product &) = delete;
  ~Product();

  const std::vector<KernelSpec> &specs() const { return specs_; }
  /// NAME_kernel of a kernel.
  const normc_kernel_t &kernel(size_t index) const { return *kernels_.at(index); }
  /// NAME of a kernel.
  Entry entry(size_t index) const { return entries_.at(index); }
  /// The entry that picks the kernel by width, where the kernels differ in nothing else.
  Entry setEntry() const;
  /// The variant for a target, which a call limited to that target is certain to run.
  const normc_variant_t &variant(size_t index, Target target) const;
  /// Throws unless a call with `exec` runs the variant for `target`: a limit of the process, as NORMC_MAX_ISA sets one, would have a narrower one stand in.
  const normc_variant_t &requireVariant(size_t index, Target target, const normc_exec_t &exec) const;

private:
  void *symbol(const std::string &name) const;

  std::vector<KernelSpec> specs_;
  void *handle_ = nullptr;
  std::vector<const normc_kernel_t *> kernels_;
  std::vector<Entry> entries_;
};

} // namespace normc::bits
