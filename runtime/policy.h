// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a call streams and into how many tasks it is cut. Neither changes a bit of the results.
#pragma once

#include <cstdint>

namespace normc::runtime {

/// No call of at most so many bytes streams.
constexpr uint64_t lowestStreamingThreshold = uint64_t(4) << 20;

/// Bytes of input and output from which on non-temporal stores pay. They save reading each line of y before it is overwritten, but push y out of the caches
/// where the next operator may look for it; measured, they cost up to 2.4 times on calls that fit a cache, break even near 10 MB with a 32 MiB last-level
/// cache, and save 20 to 40 % beyond. So: a third of the largest cache, within bounds that keep a wrong report of it harmless.
inline uint64_t streamingThreshold(uint64_t cacheBytes) {
  constexpr uint64_t unknownCache = uint64_t(10) << 20, highest = uint64_t(64) << 20;
  if (cacheBytes == 0)
    return unknownCache;
  uint64_t threshold = cacheBytes / 3;
  return threshold < lowestStreamingThreshold ? lowestStreamingThreshold : threshold > highest ? highest : threshold;
}

/// Bytes of input and output that a task must at least have. Handing a task to another thread and waiting for it costs 2 to 20 microseconds; one core
/// processes this much in about 10.
constexpr uint64_t minTaskBytes = uint64_t(128) << 10;

/// Tasks for a call: at most `threads`, at most one per row, and none smaller than minTaskBytes unless it is the only one.
inline int64_t taskCount(uint32_t threads, int64_t rows, uint64_t bytes) {
  uint64_t tasks = bytes / minTaskBytes;
  tasks = tasks < threads ? tasks : threads;
  tasks = tasks < uint64_t(rows) ? tasks : uint64_t(rows);
  return tasks == 0 ? 1 : int64_t(tasks);
}

/// First row of task `index`: tasks differ by one row at most. taskBegin(tasks) is `rows`.
inline int64_t taskBegin(int64_t rows, int64_t tasks, int64_t index) {
  int64_t base = rows / tasks, longer = rows % tasks;
  return index * base + (index < longer ? index : longer);
}

} // namespace normc::runtime
