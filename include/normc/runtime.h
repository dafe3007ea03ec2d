/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/runtime.h: what emitted entries call. Applications call the typed entries of emitted headers; these generic functions serve code that handles any
 * kernel.
 *
 * Rules for the arguments of every forward call. Where one is broken the call returns a status, writes a message into exec->diag and touches no output.
 * - rows >= 0; with rows = 0 all pointers may be NULL and nothing is written. hidden is 1 .. 2^24, and the built width where the kernel has one.
 * - Row r of an array starts at element (r / inner_rows) * outer_stride + (r mod inner_rows) * stride; inner_rows 0 means rows; the last block may be partial.
 *   A stride is 0 (then hidden) or hidden .. 2^31 - 1. An outer stride is 0 (then inner_rows * stride) or positive. Rows of one array never overlap: with more
 *   than one block, either blocks follow each other (outer_stride >= (inner_rows - 1) * stride + hidden) or they interleave
 *   (outer_stride >= hidden and stride >= (blocks - 1) * outer_stride + hidden). This holds for inputs too. Strides of absent arrays are ignored.
 * - Pointers are aligned to their element. eps may be any float; results follow the formula.
 * - y may be x or residual, and sum may be x or residual, as the very same array: equal pointer, element type and strides. All other sharing of memory between
 *   an output and another array is refused. Arrays that interleave in memory (heads of one packed tensor) are told apart where their strides are equal in
 *   bytes; with different strides they must lie in separate ranges.
 * - The kernel's mask says which arrays must be and may be given; mean and rstd are [rows] float32, contiguous.
 */
#ifndef NORMC_RUNTIME_H
#define NORMC_RUNTIME_H

#include <normc/abi.h>
#include <normc/exec.h>
#include <normc/export.h>
#include <normc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Checks `args`, picks the variant and runs it over all rows. `exec` may be NULL. */
NORMC_API normc_status_t normc_run_forward(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec);

/** The same for a set: the kernel of exactly args->hidden where there is one, else the dynamic one, else NORMC_STATUS_HIDDEN_MISMATCH. args->hidden must be
 * given. */
NORMC_API normc_status_t normc_run_forward_set(const normc_kernel_set_t *set, const normc_forward_args_t *args, const normc_exec_t *exec);

/** The kernel that normc_run_forward_set runs for `hidden`; NULL where the set is NULL, has another ABI version or has no kernel for that width. */
NORMC_API const normc_kernel_t *normc_kernel_set_find(const normc_kernel_set_t *set, int64_t hidden);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_RUNTIME_H */
