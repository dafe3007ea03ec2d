// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failing with a message.
#pragma once

#include <normc/exec.h>
#include <normc/status.h>

namespace normc::runtime {

/// Fills exec->diag, where there is one, and returns `status`. `argument` has static storage. Out of line and cold: checks that pass must not pay for it.
__attribute__((noinline, cold, format(printf, 5, 6))) normc_status_t fail(const normc_exec_t *exec, normc_status_t status, uint32_t role, const char *argument,
                                                                          const char *format, ...);

/// "x", "residual", … for one NORMC_ROLE_* bit; "array" for anything else.
const char *roleName(uint32_t role);

/// Checks all of `exec` (not NULL); SUCCESS or the status, with a message where the structs allow one.
normc_status_t checkExec(const normc_exec_t *exec);

/// Checks what every use of a kernel relies on: not NULL, ABI version, size, variants, types.
normc_status_t checkKernel(const normc_kernel_t *kernel, const normc_exec_t *exec);

} // namespace normc::runtime
