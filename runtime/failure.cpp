// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/failure.h"

#include <cstdarg>
#include <cstdio>

namespace normc::runtime {

normc_status_t fail(const normc_exec_t *exec, normc_status_t status, uint32_t role, const char *argument, const char *format, ...) {
  normc_diag_t *diag = exec != nullptr ? exec->diag : nullptr;
  if (diag == nullptr)
    return status;
  diag->code = status;
  diag->role = role;
  diag->reserved = 0;
  diag->argument = argument;
  va_list values;
  va_start(values, format);
  std::vsnprintf(diag->message, sizeof diag->message, format, values);
  va_end(values);
  return status;
}

const char *roleName(uint32_t role) {
  switch (role) {
  case NORMC_ROLE_X:
    return "x";
  case NORMC_ROLE_RESIDUAL:
    return "residual";
  case NORMC_ROLE_WEIGHT:
    return "weight";
  case NORMC_ROLE_BIAS:
    return "bias";
  case NORMC_ROLE_Y:
    return "y";
  case NORMC_ROLE_SUM:
    return "sum";
  case NORMC_ROLE_MEAN:
    return "mean";
  case NORMC_ROLE_RSTD:
    return "rstd";
  default:
    return "array";
  }
}

normc_status_t checkExec(const normc_exec_t *exec) {
  if (exec->struct_size != 0 && exec->struct_size != sizeof(normc_exec_t))
    return NORMC_STATUS_ABI_MISMATCH; // diag may lie elsewhere in that version's struct, so no message can be written
  if (exec->diag != nullptr && exec->diag->struct_size != 0 && exec->diag->struct_size != sizeof(normc_diag_t))
    return NORMC_STATUS_ABI_MISMATCH;
  if (exec->reserved != 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->reserved", "exec->reserved is %u, expected 0: initialize the struct with NORMC_EXEC_INIT",
                exec->reserved);
  if (exec->max_isa != NORMC_ISA_ANY && (exec->max_isa < NORMC_ISA_X86_64_V2 || exec->max_isa > NORMC_ISA_X86_64_V4))
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->max_isa",
                "exec->max_isa is %u, expected 0 (no limit), 2 (x86-64-v2), 3 (x86-64-v3) or 4 (x86-64-v4)", exec->max_isa);
  if (exec->parallel_for == nullptr && exec->threads > 1)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->threads",
                "exec->threads is %u but exec->parallel_for is NULL: set parallel_for (normc/adapters), or threads to 0 or 1", exec->threads);
  if (exec->parallel_for != nullptr && exec->threads == 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->threads",
                "exec->threads is 0 but exec->parallel_for is set: set threads to the number of tasks that a call may be split into");
  return NORMC_STATUS_SUCCESS;
}

normc_status_t checkKernel(const normc_kernel_t *kernel, const normc_exec_t *exec) {
  if (kernel == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "kernel", "kernel is NULL, expected the <name>_kernel of an emitted header");
  if (kernel->abi_version != NORMC_ABI_VERSION || kernel->struct_size != sizeof(normc_kernel_t))
    return fail(
        exec, NORMC_STATUS_ABI_MISMATCH, 0, "kernel",
        "the kernel was emitted for normc ABI %u (%u bytes), this runtime has ABI %u (%u bytes): build the kernel with the normc that the runtime is from",
        kernel->abi_version, kernel->struct_size, unsigned(NORMC_ABI_VERSION), unsigned(sizeof(normc_kernel_t)));
  if (kernel->variant_count == 0 || kernel->variant_count > NORMC_VARIANT_MAX || kernel->variants == nullptr)
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, 0, "kernel", "%.64s: the kernel has %u variants, expected 1 to %d: emit it again", kernel->name,
                kernel->variant_count, int(NORMC_VARIANT_MAX));
  return NORMC_STATUS_SUCCESS;
}

} // namespace normc::runtime
