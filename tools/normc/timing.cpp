// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/timing.h"

#include "compiler/support/process.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace normc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 1e-4;
constexpr size_t kFewestRounds = 7, kMostRounds = 301;
constexpr int64_t kMostCalls = int64_t{1} << 20;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double secondsOf(const std::function<void()> &call, int64_t times) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < times; ++i)
    call();
  return secondsSince(start);
}

/// How many calls make a sample.
int64_t callsOf(const std::function<void()> &call) {
  call();
  int64_t calls = 1;
  while (calls < kMostCalls && secondsOf(call, calls) < kSampleSeconds)
    calls *= 2;
  return calls;
}

Timing timingOf(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  auto at = [&](double part) { return samples[static_cast<size_t>(part * static_cast<double>(samples.size() - 1) + 0.5)]; };
  return {at(0.5), at(0.25), at(0.75), static_cast<int>(samples.size())};
}

} // namespace

std::vector<Timing> timeInterleaved(const std::vector<std::function<void()>> &calls, uint64_t seed, double seconds) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> times;
  for (const std::function<void()> &call : calls)
    times.push_back(callsOf(call));
  std::vector<size_t> order(calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<std::vector<double>> samples(calls.size());
  const Clock::time_point start = Clock::now();
  for (size_t round = 0; round < kFewestRounds || (round < kMostRounds && secondsSince(start) < seconds); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i : order) {
      checkInterrupted();
      calls[i]();
      samples[i].push_back(secondsOf(calls[i], times[i]) / static_cast<double>(times[i]));
    }
  }
  std::vector<Timing> timings;
  for (std::vector<double> &each : samples)
    timings.push_back(timingOf(std::move(each)));
  return timings;
}

} // namespace normc
