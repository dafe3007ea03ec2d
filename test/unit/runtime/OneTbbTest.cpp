// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adapter for oneTBB: every row once, in the caller's arena or another, also below a cancelled task group.

#include "test/unit/runtime/FakeKernel.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <normc/adapters/onetbb.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <set>

namespace normc::runtime::test {
namespace {

class OneTbb : public testing::Test {
protected:
  OneTbb() {
    call.args.rows = 4001;
    call.args.hidden = 1024;
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(2);
  }

  void expectAllRowsOnce(size_t slices) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const BodyCall &body : bodyCalls)
      ranges.emplace_back((static_cast<const char *>(body.slice.x) - static_cast<const char *>(call.args.x)) / (4 * call.args.hidden), body.slice.rows);
    std::sort(ranges.begin(), ranges.end());
    int64_t next = 0;
    for (auto [begin, rows] : ranges) {
      EXPECT_EQ(begin, next);
      next += rows;
    }
    EXPECT_EQ(next, call.args.rows);
    EXPECT_EQ(bodyCalls.size(), slices);
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Call call;
};

TEST_F(OneTbb, CallersArena) {
  normc_onetbb_use(&call.exec, 7);
  EXPECT_EQ(call.exec.threads, 7u);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  expectAllRowsOnce(7);
}

TEST_F(OneTbb, ZeroThreadsAreThoseOfTheArena) {
  normc_onetbb_use(&call.exec, 0);
  EXPECT_EQ(call.exec.threads, uint32_t(tbb::this_task_arena::max_concurrency()));
  tbb::task_arena arena(3);
  normc_onetbb_use_arena(&call.exec, &arena, 0);
  EXPECT_EQ(call.exec.threads, 3u);
  EXPECT_EQ(call.exec.parallel_for_context, &arena);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  expectAllRowsOnce(3);
}

TEST_F(OneTbb, TasksRunInTheArena) {
  tbb::global_control enough(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(2);
  struct Seen {
    tbb::task_arena *arena;
    std::atomic<int> outside{0}, inside{0};
  } seen = {&arena};
  normc_exec_t exec = {};
  normc_onetbb_use_arena(&exec, &arena, 0);
  exec.parallel_for(
      exec.parallel_for_context, 100,
      [](void *context, int64_t) {
        Seen &seen = *static_cast<Seen *>(context);
        ++(tbb::this_task_arena::max_concurrency() == 2 ? seen.inside : seen.outside);
      },
      &seen);
  EXPECT_EQ(seen.inside, 100);
  EXPECT_EQ(seen.outside, 0);
}

TEST_F(OneTbb, CancelledGroupAroundIt) {
  normc_onetbb_use(&call.exec, 5);
  tbb::task_group group;
  bool ran = false;
  group.run_and_wait([&] {
    group.cancel();
    ran = call.run(fake) == NORMC_STATUS_SUCCESS;
  });
  EXPECT_TRUE(ran);
  expectAllRowsOnce(5);
}

TEST_F(OneTbb, CallsFromManyTasks) {
  normc_onetbb_use(&call.exec, 3);
  call.exec.diag = nullptr;
  std::atomic<int> succeeded{0};
  bodyCalls.clear();
  tbb::parallel_for(0, 20, [&](int) { succeeded += normc_run_forward(&fake.kernel, &call.args, &call.exec) == NORMC_STATUS_SUCCESS; });
  EXPECT_EQ(succeeded, 20);
  EXPECT_EQ(bodyCalls.size(), 60u);
}

} // namespace
} // namespace normc::runtime::test
