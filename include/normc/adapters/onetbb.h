/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/adapters/onetbb.h: threads from oneTBB. Header only, C++17; link the including file with tbb.
 */
#ifndef NORMC_ADAPTERS_ONETBB_H
#define NORMC_ADAPTERS_ONETBB_H

#ifndef __cplusplus
#error "normc/adapters/onetbb.h is C++, as oneTBB is: set the fields of normc_exec_t in a C++ file, or use normc/adapters/function.h"
#endif
#if defined(__has_include)
#if !__has_include(<oneapi/tbb/parallel_for.h>)
#error "normc/adapters/onetbb.h needs oneTBB (package libtbb-dev)"
#endif
#endif

#include <normc/exec.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

/** A normc_parallel_for_t on the arena that `context`, a tbb::task_arena, names; NULL = that of the caller. Every task runs, even where an enclosing task group
 * is cancelled, and a thread that waits here takes no task from elsewhere. Where oneTBB throws, which it does for lack of memory, the program ends. */
inline void normc_onetbb_parallel_for(void *context, int64_t tasks, void (*task)(void *task_context, int64_t index), void *task_context) noexcept {
  auto run = [=] {
    tbb::this_task_arena::isolate([=] {
      tbb::task_group_context group(tbb::task_group_context::isolated);
      tbb::parallel_for(int64_t(0), tasks, [=](int64_t index) { task(task_context, index); }, tbb::simple_partitioner(), group);
    });
  };
  if (context != nullptr)
    static_cast<tbb::task_arena *>(context)->execute(run);
  else
    run();
}

/** Makes calls with `exec` run on oneTBB, in the arena of the calling thread, split into at most `threads` tasks; 0 = as many as that arena has threads. */
inline void normc_onetbb_use(normc_exec_t *exec, uint32_t threads) {
  exec->parallel_for = normc_onetbb_parallel_for;
  exec->parallel_for_context = nullptr;
  exec->threads = threads != 0 ? threads : uint32_t(tbb::this_task_arena::max_concurrency());
}

/** The same in `arena`, which is kept by address and must outlive the calls. */
inline void normc_onetbb_use_arena(normc_exec_t *exec, tbb::task_arena *arena, uint32_t threads) {
  exec->parallel_for = normc_onetbb_parallel_for;
  exec->parallel_for_context = arena;
  exec->threads = threads != 0 ? threads : uint32_t(arena->max_concurrency());
}

#endif /* NORMC_ADAPTERS_ONETBB_H */
