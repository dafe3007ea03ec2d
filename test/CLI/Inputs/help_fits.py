#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""help_fits.py NORMC COMMAND...: each command's --help has an example in its third line and at most 40 lines of at most 80 columns."""
import subprocess
import sys

for command in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = text.splitlines()
    assert lines[2].startswith("  example: normc " + command), lines[2]
    assert len(lines) <= 40, "%s: %d lines" % (command, len(lines))
    assert max(map(len, lines)) <= 80, "%s: %d columns" % (command, max(map(len, lines)))
    assert all(line == line.rstrip() for line in lines), command
