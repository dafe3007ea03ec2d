// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing of things against each other on a machine that has other work too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace normc {

/// Seconds per call.
struct Timing {
  double median = 0, lowerQuartile = 0, upperQuartile = 0;
  int samples = 0;

  /// How far the middle half of the samples lies apart, as a part of the median.
  double spread() const { return (upperQuartile - lowerQuartile) / median; }
};

/// Times each of `calls`, interleaved: every round takes one sample of each, in an order drawn anew from `seed`, so that whatever else the machine does falls
/// on all alike. A sample is as many calls as take some 100 microseconds, after one that is not timed and brings the arrays back into the caches. At least 7
/// rounds; then until `seconds` have passed or there are 301. Throws Interrupted between samples.
std::vector<Timing> timeInterleaved(const std::vector<std::function<void()>> &calls, uint64_t seed, double seconds);

} // namespace normc
