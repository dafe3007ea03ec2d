# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How LLVM marks blocks and loops in the assembly that it prints."""

import re
import sys

BLOCK = re.compile(r"^(?:\.L(BB\d+_\d+):|# %bb\.\d+:)")
HEADER = re.compile(r"This (Inner )?Loop Header: Depth=(\d+)")
INSIDE = re.compile(r"in Loop: Header=(BB\d+_\d+) Depth=(\d+)")


def functions(source):
    """The name and the lines of each function, in order. Ends the program where there is none."""
    name, lines, found = None, [], False
    for line in source:
        if match := re.match(r"^(\w+):\s+# @", line):
            name, lines, found = match.group(1), [], True
        elif name and line.startswith(".Lfunc_end"):
            yield name, lines
            name = None
        elif name:
            lines.append(line.rstrip("\n"))
    if not found:
        sys.exit(f"{sys.argv[0]}: no function was found")
