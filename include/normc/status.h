/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/status.h: how calls end, and where their messages go.
 */
#ifndef NORMC_STATUS_H
#define NORMC_STATUS_H

#include <normc/abi.h>
#include <normc/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a call ended. Values are pinned: they never change and are never reused. Whatever is not success was decided before the first store, so that every
 * output still holds what it held before. Values from 32 on belong to device entries. */
typedef enum normc_status {
  /** Done; all outputs are written. rows = 0 is success too. */
  NORMC_STATUS_SUCCESS = 0,
  /** A value is out of its range: a count, a flag, a limit, NORMC_MAX_ISA. Correct the value that the message names. */
  NORMC_STATUS_INVALID_ARGUMENT = 1,
  /** A pointer that the kernel needs is NULL. Pass that array, or build the kernel with it as optional. */
  NORMC_STATUS_MISSING_ARGUMENT = 2,
  /** An array was given that the kernel was not built for. Pass NULL, or build the kernel with that role. */
  NORMC_STATUS_UNSUPPORTED_ARGUMENT = 3,
  /** hidden differs from the built width or widths. Correct it, or build that width or a dynamic kernel. */
  NORMC_STATUS_HIDDEN_MISMATCH = 4,
  /** A stride is negative, or lets rows of one array overlap. Strides count elements, not bytes. */
  NORMC_STATUS_INVALID_STRIDE = 5,
  /** A pointer is not a multiple of its element size. Align it to its element; more is never needed. */
  NORMC_STATUS_MISALIGNED = 6,
  /** An output shares memory with another array in a way that is not allowed. Pass a separate buffer, or exactly the same one where the header allows it. */
  NORMC_STATUS_OVERLAP = 7,
  /** hidden, a stride or an array is beyond what normc addresses (hidden 2^24, stride 2^31 - 1 elements, array 2^62 bytes). Split the call. */
  NORMC_STATUS_TOO_LARGE = 8,
  /** Kernel, caller and runtime were built against different versions of normc. Rebuild against one version. */
  NORMC_STATUS_ABI_MISMATCH = 9,
  /** No variant of the kernel runs on this CPU, or below the limit that is set. Build for the target that the message names, or raise the limit. */
  NORMC_STATUS_UNSUPPORTED_CPU = 10
} normc_status_t;

/** "NORMC_STATUS_OVERLAP" for NORMC_STATUS_OVERLAP; "unknown normc status" for a value that this version does not have. Static storage. */
NORMC_API const char *normc_status_name(normc_status_t status);

/** One sentence: what went wrong and what to do. Never NULL. Static storage. */
NORMC_API const char *normc_status_description(normc_status_t status);

/** Where a failing call says why. Owned by the caller, all zero is valid, reached through normc_exec_t::diag; calls that run at the same time need one each.
 * Written only by a call that fails. */
typedef struct normc_diag {
  uint32_t struct_size; /* in: 0 or sizeof(normc_diag_t) */
  uint32_t code;        /* out: the status that the call returned */
  uint32_t role;        /* out: NORMC_ROLE_* of the array at fault, 0 where it is none */
  uint32_t reserved;    /* out: 0 */
  const char *argument; /* out: name of the field at fault, such as "x_stride" or "exec->threads"; static storage, never NULL */
  char message[256];    /* out: what was found, what was expected, what to do; ends with a NUL */
} normc_diag_t;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_STATUS_H */
