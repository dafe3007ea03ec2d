/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/adapters/function.h: threads from a function of the application's own. Header only.
 * C: a function in the spirit of parallel_for(tasks, task, task_context), without a context of its own.
 * C++: also any callable object f(int64_t tasks, body), where body(int64_t index) runs one task.
 */
#ifndef NORMC_ADAPTERS_FUNCTION_H
#define NORMC_ADAPTERS_FUNCTION_H

#include <normc/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A plain function that runs task(task_context, i) exactly once for each i in 0 .. tasks - 1 and returns after the last. */
typedef void (*normc_function_t)(int64_t tasks, void (*task)(void *task_context, int64_t index), void *task_context);

/** A normc_parallel_for_t; `context` points to a normc_function_t. */
static inline void normc_function_parallel_for(void *context, int64_t tasks, void (*task)(void *task_context, int64_t index), void *task_context) {
  (*(const normc_function_t *)context)(tasks, task, task_context);
}

/** Makes calls with `exec` run through `*function`, split into at most `threads` >= 1 tasks. `function` is kept by address and must outlive the calls. */
static inline void normc_function_use(normc_exec_t *exec, normc_function_t *function, uint32_t threads) {
  exec->parallel_for = normc_function_parallel_for;
  exec->parallel_for_context = (void *)function;
  exec->threads = threads;
}

#ifdef __cplusplus
} /* extern "C" */

namespace normc {

/// Makes calls with `exec` run through `callable(tasks, body)`, split into at most `threads` >= 1 tasks. `callable` is kept by address and must outlive the
/// calls; it must not throw.
template <class Callable>
inline void useParallelFor(normc_exec_t &exec, Callable &callable, uint32_t threads) {
  exec.parallel_for = [](void *context, int64_t tasks, void (*task)(void *, int64_t), void *taskContext) {
    (*static_cast<Callable *>(context))(tasks, [task, taskContext](int64_t index) { task(taskContext, index); });
  };
  exec.parallel_for_context = &callable;
  exec.threads = threads;
}

} // namespace normc
#endif

#endif /* NORMC_ADAPTERS_FUNCTION_H */
