#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""codes_tested.py ROOT: every code of diagnostics.def occurs in a test."""
import os
import re
import sys

root = sys.argv[1]
with open(os.path.join(root, "compiler/support/diagnostics.def"), encoding="utf-8") as f:
    codes = re.findall(r"^NORMC_DIAGNOSTIC\((\w+), (\d+)", f.read(), re.M)
assert codes
tests = ""
for folder, _, names in os.walk(os.path.join(root, "test")):
    for name in names:
        if name.endswith((".test", ".cpp", ".py")):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                tests += f.read()
lacking = [name for name, number in codes if "NORMC" + number not in tests and not re.search(r"DiagCode::%s\b" % name, tests)]
if lacking:
    sys.exit("no test for " + ", ".join(lacking))
