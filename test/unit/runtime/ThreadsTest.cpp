// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel_for hook, its adapters, and the floating-point state on every thread.

#include "runtime/mxcsr.h"
#include "runtime/policy.h"
#include "test/unit/runtime/FakeKernel.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <normc/adapters/function.h>
#ifdef _OPENMP
#include <normc/adapters/openmp.h>
#endif
#include <thread>

namespace normc::runtime::test {
namespace {

/// Runs tasks on a thread each, last one first, and counts.
struct Pool {
  int calls = 0;
  int64_t tasks = 0;
  uint32_t workerMxcsr = defaultMxcsr;
  std::atomic<int> disturbed{0}; // tasks that did not give MXCSR back as it was

  static void run(void *context, int64_t tasks, void (*task)(void *, int64_t), void *taskContext) {
    Pool &pool = *static_cast<Pool *>(context);
    ++pool.calls;
    pool.tasks = tasks;
    std::vector<std::thread> threads;
    for (int64_t i = tasks - 1; i >= 0; --i)
      threads.emplace_back([&pool, task, taskContext, i] {
        _mm_setcsr(pool.workerMxcsr);
        task(taskContext, i);
        if (_mm_getcsr() != pool.workerMxcsr)
          ++pool.disturbed;
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};

class Threads : public testing::Test {
protected:
  Threads() {
    call.args.rows = 1001;
    call.args.hidden = 1024;
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(2);
    call.args.mean = static_cast<float *>(fakeAddress(3));
    call.exec.parallel_for = Pool::run;
    call.exec.parallel_for_context = &pool;
  }

  /// Every row exactly once, whatever the order of the calls.
  void expectAllRowsOnce() {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const BodyCall &body : bodyCalls) {
      int64_t begin = (static_cast<const char *>(body.slice.x) - static_cast<const char *>(call.args.x)) / (4 * call.args.hidden);
      ranges.emplace_back(begin, body.slice.rows);
      EXPECT_EQ(static_cast<char *>(body.slice.y), static_cast<char *>(call.args.y) + begin * 4 * call.args.hidden);
      EXPECT_EQ(body.slice.mean, call.args.mean + begin);
    }
    std::sort(ranges.begin(), ranges.end());
    int64_t next = 0;
    for (auto [begin, rows] : ranges) {
      EXPECT_EQ(begin, next);
      next += rows;
    }
    EXPECT_EQ(next, call.args.rows);
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Call call;
  Pool pool;
};

TEST_F(Threads, RowsAreSplitEvenly) {
  for (uint32_t threads : {2u, 3u, 8u}) {
    call.exec.threads = threads;
    ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
    EXPECT_EQ(pool.tasks, int64_t(threads));
    EXPECT_EQ(bodyCalls.size(), size_t(threads));
    expectAllRowsOnce();
    for (const BodyCall &body : bodyCalls) {
      EXPECT_GE(body.slice.rows, 1001 / threads);
      EXPECT_LE(body.slice.rows, 1001 / threads + 1);
    }
  }
}

TEST_F(Threads, OneThreadNeverCallsTheHook) {
  call.exec.threads = 1;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(pool.calls, 0);
  expectAllRowsOnce();
}

TEST_F(Threads, SmallCallsStaySerial) {
  call.exec.threads = 8;
  call.args.rows = 31; // 31 * 8 KiB of x and y: one task of 128 KiB and a rest
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(pool.calls, 0);
  call.args.rows = 32;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(pool.calls, 1);
  EXPECT_EQ(pool.tasks, 2);
  expectAllRowsOnce();
}

TEST_F(Threads, NoMoreTasksThanRows) {
  call.exec.threads = 8;
  call.args.rows = 3;
  call.args.hidden = 1 << 20;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(pool.tasks, 3);
  expectAllRowsOnce();
}

TEST_F(Threads, TasksCrossBlocks) {
  call.exec.threads = 3;
  call.args.inner_rows = 100;
  call.args.x_outer_stride = 100 * 1024 + 16;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  int64_t rows = 0;
  for (const BodyCall &body : bodyCalls) {
    EXPECT_LE(body.slice.rows, 100);
    rows += body.slice.rows;
  }
  EXPECT_EQ(rows, 1001);
  EXPECT_EQ(bodyCalls.size(), 13u) << "11 blocks, two of them cut by a task boundary";
}

TEST_F(Threads, FailuresNeverReachTheHook) {
  call.exec.threads = 8;
  call.args.y = nullptr;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_EQ(pool.calls, 0);
}

TEST_F(Threads, IndicesOutsideTheTasksRunNothing) {
  call.exec.threads = 2;
  call.exec.parallel_for = [](void *, int64_t tasks, void (*task)(void *, int64_t), void *context) {
    for (int64_t i = -1; i <= tasks; ++i)
      task(context, i);
  };
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  expectAllRowsOnce();
}

TEST_F(Threads, CAdapter) {
  static int64_t seen;
  normc_function_t function = [](int64_t tasks, void (*task)(void *, int64_t), void *context) {
    seen = tasks;
    for (int64_t i = 0; i < tasks; ++i)
      task(context, i);
  };
  normc_function_use(&call.exec, &function, 4);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(seen, 4);
  expectAllRowsOnce();
}

TEST_F(Threads, CallableAdapter) {
  int64_t seen = 0;
  auto callable = [&seen](int64_t tasks, auto body) {
    seen = tasks;
    for (int64_t i = tasks; i-- > 0;)
      body(i);
  };
  normc::useParallelFor(call.exec, callable, 5);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(seen, 5);
  expectAllRowsOnce();
}

#ifdef _OPENMP
TEST_F(Threads, OpenMpAdapter) {
  normc_openmp_use(&call.exec, 0);
  EXPECT_EQ(call.exec.threads, uint32_t(omp_get_max_threads()));
  normc_openmp_use(&call.exec, 6);
  EXPECT_EQ(call.exec.threads, 6u);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(bodyCalls.size(), 6u);
  expectAllRowsOnce();
}
#endif

TEST_F(Threads, ConcurrentCallsShareAnExec) {
  call.exec.diag = nullptr;
  call.exec.threads = 2;
  call.exec.parallel_for = [](void *, int64_t tasks, void (*task)(void *, int64_t), void *context) {
    for (int64_t i = 0; i < tasks; ++i)
      task(context, i);
  };
  bodyCalls.clear();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        if (normc_run_forward(&fake.kernel, &call.args, &call.exec) != NORMC_STATUS_SUCCESS)
          ++failures;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(bodyCalls.size(), size_t(4 * 50 * 2));
}

TEST(TaskCount, Limits) {
  EXPECT_EQ(taskCount(8, 100, 0), 1);
  EXPECT_EQ(taskCount(8, 100, minTaskBytes * 2 - 1), 1);
  EXPECT_EQ(taskCount(8, 100, minTaskBytes * 2), 2);
  EXPECT_EQ(taskCount(8, 100, minTaskBytes * 100), 8);
  EXPECT_EQ(taskCount(8, 1, minTaskBytes * 100), 1);
  EXPECT_EQ(taskCount(0xFFFFFFFFu, int64_t(1) << 62, ~uint64_t(0)),
            int64_t(~uint64_t(0) / minTaskBytes < 0xFFFFFFFFu ? ~uint64_t(0) / minTaskBytes : 0xFFFFFFFFu));
}

TEST(TaskBegin, CoversAllRowsOfHugeCalls) {
  const int64_t rows = (int64_t(1) << 62) + 3;
  EXPECT_EQ(taskBegin(rows, 7, 0), 0);
  EXPECT_EQ(taskBegin(rows, 7, 7), rows);
  for (int64_t i = 0; i < 7; ++i) {
    int64_t size = taskBegin(rows, 7, i + 1) - taskBegin(rows, 7, i);
    EXPECT_GE(size, rows / 7);
    EXPECT_LE(size, rows / 7 + 1);
  }
}

/// Puts MXCSR back for the tests that follow.
class Mxcsr : public Threads {
protected:
  ~Mxcsr() override { _mm_setcsr(defaultMxcsr); }
};

TEST_F(Mxcsr, BodiesSeeTheDefaultAndTheCallerGetsItsOwnBack) {
  const uint32_t flushToZero = 0x8000, denormalsAreZero = 0x40, roundUp = 0x4000, roundDown = 0x2000, roundToZero = 0x6000, unmaskDivide = 0x200,
                 someFlags = 0x21;
  call.exec.threads = 1;
  for (uint32_t state : {defaultMxcsr | flushToZero, defaultMxcsr | denormalsAreZero, defaultMxcsr | roundUp, defaultMxcsr | roundDown,
                         defaultMxcsr | roundToZero, defaultMxcsr & ~unmaskDivide, defaultMxcsr | flushToZero | someFlags}) {
    _mm_setcsr(state);
    normc_status_t status = call.run(fake);
    uint32_t after = _mm_getcsr();
    _mm_setcsr(defaultMxcsr);
    ASSERT_EQ(status, NORMC_STATUS_SUCCESS) << call.diag.message;
    EXPECT_EQ(after, state);
    ASSERT_EQ(bodyCalls.size(), 1u);
    EXPECT_EQ(bodyCalls[0].mxcsr, defaultMxcsr);
  }
}

TEST_F(Mxcsr, DefaultWithFlagsIsLeftAlone) {
  const uint32_t inexact = 0x20;
  call.exec.threads = 1;
  _mm_setcsr(defaultMxcsr | inexact);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(_mm_getcsr() & inexact, inexact);
  EXPECT_EQ(bodyCalls[0].mxcsr, defaultMxcsr | inexact) << "flags do not change results, and setting MXCSR is slow";
}

TEST_F(Mxcsr, EachWorkerHasItsOwn) {
  call.exec.threads = 4;
  pool.workerMxcsr = defaultMxcsr | 0x8040 | 0x6000;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(pool.disturbed, 0);
  ASSERT_EQ(bodyCalls.size(), 4u);
  for (const BodyCall &body : bodyCalls)
    EXPECT_EQ(body.mxcsr, defaultMxcsr);
}

TEST_F(Mxcsr, SlicesOfOneCallToo) {
  call.args.inner_rows = 100;
  call.args.x_outer_stride = 100 * 1024 + 16;
  call.exec.threads = 1;
  _mm_setcsr(defaultMxcsr | 0x8000);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(_mm_getcsr(), defaultMxcsr | 0x8000u);
  _mm_setcsr(defaultMxcsr);
  EXPECT_EQ(bodyCalls.size(), 11u);
  for (const BodyCall &body : bodyCalls)
    EXPECT_EQ(body.mxcsr, defaultMxcsr);
}

} // namespace
} // namespace normc::runtime::test
