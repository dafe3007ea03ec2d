// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace normc {

/// Threads that wait for work, the calling one among them.
class ThreadPool {
public:
  using Task = void (*)(void *context, int64_t index);

  /// `threads` is at least 1; there are fewer where the system starts no more.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool();

  /// Tasks of all calls of run so far.
  int64_t tasksSoFar() const { return tasksSoFar_; }

  int threads() const { return static_cast<int>(others_.size()) + 1; }

  /// Runs task(context, i) once for each i below `tasks`; threads take them in turn. From one thread at a time.
  void run(int64_t tasks, Task task, void *context);

  /// The same as a normc_parallel_for_t, with the pool as its context.
  static void parallelFor(void *pool, int64_t tasks, Task task, void *context);

private:
  void serve();
  void takeTasks();

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  uint64_t round_ = 0; ///< counts the calls of run
  size_t busy_ = 0;    ///< other threads that have not finished this round
  bool stop_ = false;
  int64_t tasks_ = 0, tasksSoFar_ = 0;
  Task task_ = nullptr;
  void *context_ = nullptr;
  std::atomic<int64_t> next_{0};
  std::vector<std::thread> others_;
};

} // namespace normc
