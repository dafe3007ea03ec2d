// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/thread_pool.h"

#include <system_error>

namespace normc {

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i)
    try {
      others_.emplace_back([this] { serve(); });
    } catch (const std::system_error &) {
      return; // the system gives no more: those that there are do the work
    }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread &other : others_)
    other.join();
}

void ThreadPool::takeTasks() {
  for (int64_t index = next_++; index < tasks_; index = next_++)
    task_(context_, index);
}

void ThreadPool::serve() {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_)
      return;
    seen = round_;
    lock.unlock();
    takeTasks();
    lock.lock();
    if (--busy_ == 0)
      end_.notify_one();
  }
}

void ThreadPool::run(int64_t tasks, Task task, void *context) {
  {
    const std::lock_guard lock(mutex_);
    tasks_ = tasks;
    tasksSoFar_ += tasks;
    task_ = task;
    context_ = context;
    next_ = 0;
    busy_ = others_.size();
    ++round_;
  }
  begin_.notify_all();
  takeTasks();
  std::unique_lock lock(mutex_);
  end_.wait(lock, [&] { return busy_ == 0; });
}

void ThreadPool::parallelFor(void *pool, int64_t tasks, Task task, void *context) { static_cast<ThreadPool *>(pool)->run(tasks, task, context); }

} // namespace normc
