// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that run emitted code ask here whether this machine can.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace normc::test {

/// Whether this machine runs code for "x86-64-v2", "x86-64-v3" or "x86-64-v4".
inline bool canRun(std::string_view target) {
  if (target == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2");
  if (target == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  return target == "x86-64-v4" && __builtin_cpu_supports("x86-64-v4");
}

/// Whether the environment variable NORMC_REQUIRE_TARGETS (a comma-separated list, set by .ci/run) demands that `target` runs.
inline bool mustRun(std::string_view target) {
  const char *list = std::getenv("NORMC_REQUIRE_TARGETS");
  return ("," + std::string(list ? list : "") + ",").find("," + std::string(target) + ",") != std::string::npos;
}

} // namespace normc::test

/// Skips the test, by name, where this machine cannot run `target`; fails it where NORMC_REQUIRE_TARGETS demands that it does.
#define NORMC_REQUIRE_TARGET(target)                                                                                                                           \
  do {                                                                                                                                                         \
    if (!::normc::test::canRun(target)) {                                                                                                                      \
      if (::normc::test::mustRun(target))                                                                                                                      \
        FAIL() << "NORMC_REQUIRE_TARGETS names " << (target) << ", which this machine cannot run";                                                             \
      GTEST_SKIP() << "this machine cannot run " << (target);                                                                                                  \
    }                                                                                                                                                          \
  } while (false)
