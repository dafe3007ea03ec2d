/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/exec.h: how a call runs: threads, instruction set, messages, and what device entries need.
 */
#ifndef NORMC_EXEC_H
#define NORMC_EXEC_H

#include <normc/abi.h>
#include <normc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Runs task(task_context, i) exactly once for each i in 0 .. tasks - 1, on any threads and in any order, and returns after the last one has returned.
 * It may run some or all of them on the calling thread, and must not throw. `context` is normc_exec_t::parallel_for_context. */
typedef void (*normc_parallel_for_t)(void *context, int64_t tasks, void (*task)(void *task_context, int64_t index), void *task_context);

struct normc_cuda_driver; /* a table of driver functions */

/** How one call runs. NULL in its place and all zero both mean: on the calling thread, with the widest variant that the CPU has. The runtime reads it and
 * never writes it (only what diag points to), so that concurrent calls may share one with diag = NULL. The results have the same bits whatever is set here. */
typedef struct normc_exec {
  uint32_t struct_size;             /* 0 or sizeof(normc_exec_t) */
  uint32_t max_isa;                 /* normc_isa_t: widest variant that this call may run; NORMC_ISA_ANY = as the process allows */
  normc_diag_t *diag;               /* where a failing call writes its message; may be NULL */
  normc_parallel_for_t parallel_for; /* NULL = on the calling thread */
  void *parallel_for_context;       /* handed to parallel_for */
  uint32_t threads;                 /* most tasks that a call is split into; at least 1 with parallel_for, at most 1 without; small calls use fewer */
  uint32_t reserved;                /* 0 */
  void *workspace;                  /* for entries whose <name>_workspace is not 0; forward on a CPU needs none and ignores it */
  size_t workspace_bytes;
  void *cuda_stream;                /* CUstream; for <name>_cuda entries only, others ignore it */
  const struct normc_cuda_driver *cuda_driver; /* NULL = the system's driver; for <name>_cuda entries only, others ignore it */
} normc_exec_t;

/** Initializer: all zero but struct_size. */
#ifdef __cplusplus
#define NORMC_EXEC_INIT {sizeof(normc_exec_t), 0, nullptr, nullptr, nullptr, 0, 0, nullptr, 0, nullptr, nullptr}
#else
#define NORMC_EXEC_INIT {sizeof(normc_exec_t), 0, NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL}
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_EXEC_H */
