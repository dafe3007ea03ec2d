#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which targets this machine runs code for.

usage: targets.py TARGET

Exits 0 where it runs TARGET; else 1 where the environment variable NORMC_REQUIRE_TARGETS names TARGET,
and 77 (for CTest: skipped) where it does not. CTest has an entry per target, so that a run says by name
and number which targets' tests were skipped.
"""
import os
import sys

SKIPPED = 77

# What code for a target needs beyond that for the one before: flags of /proc/cpuinfo.
FLAGS = {
    "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}


def runnable():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
        flags = next((set(line.split(":", 1)[1].split()) for line in cpuinfo if line.startswith("flags")), set())
    found = []
    for target, needed in FLAGS.items():
        if not flags.issuperset(needed.split()):
            break
        found.append(target)
    return found


def required():
    return [target for target in os.environ.get("NORMC_REQUIRE_TARGETS", "").split(",") if target]


def main(argv):
    if len(argv) != 1 or argv[0] not in FLAGS:
        sys.exit("targets.py: expected one of " + ", ".join(FLAGS))
    target = argv[0]
    if target in runnable():
        print(target + " runs here")
        return 0
    if target in required():
        print("NORMC_REQUIRE_TARGETS names %s, which this machine cannot run" % target)
        return 1
    print("this machine cannot run %s: its tests are skipped" % target)
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
