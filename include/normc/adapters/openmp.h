/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/adapters/openmp.h: threads from OpenMP. Header only; compile and link the including file with -fopenmp.
 */
#ifndef NORMC_ADAPTERS_OPENMP_H
#define NORMC_ADAPTERS_OPENMP_H

#ifndef _OPENMP
#error "normc/adapters/openmp.h needs OpenMP: compile and link with -fopenmp"
#endif

#include <normc/exec.h>
#include <omp.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A normc_parallel_for_t on the caller's OpenMP team; `context` is not used. Inside a parallel region it follows OpenMP's rules for nesting. */
static inline void normc_openmp_parallel_for(void *context, int64_t tasks, void (*task)(void *task_context, int64_t index), void *task_context) {
  int64_t index;
  (void)context;
#pragma omp parallel for schedule(static, 1)
  for (index = 0; index < tasks; ++index)
    task(task_context, index);
}

/** Makes calls with `exec` run on OpenMP, split into at most `threads` tasks; 0 = omp_get_max_threads(). */
static inline void normc_openmp_use(normc_exec_t *exec, uint32_t threads) {
  exec->parallel_for = normc_openmp_parallel_for;
  exec->parallel_for_context = NULL;
  exec->threads = threads != 0 ? threads : (uint32_t)omp_get_max_threads();
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_ADAPTERS_OPENMP_H */
