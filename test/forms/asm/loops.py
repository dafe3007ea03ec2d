# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads `normc emit --as asm` on stdin and prints for each body how many innermost loops it has, how many instructions spill or reload a vector, and each call with
the depth of the loop that it stands in (0: outside all) and whether that loop is an innermost one."""

import re
import sys

from assembly import BLOCK, HEADER, INSIDE, functions


def report(name, lines):
    depth, header, label, innermost = 0, None, None, set()
    calls, spills = [], 0
    for line in lines:
        if start := BLOCK.match(line):
            depth, header, label = 0, None, start
        if match := HEADER.search(line):
            depth, header = int(match.group(2)), label.group(1)
            if match.group(1):
                innermost.add(header)
        elif match := INSIDE.search(line):
            depth, header = int(match.group(2)), match.group(1)
        if match := re.match(r"^\tcallq?\s+\*?([\w%]+)", line):
            calls.append((match.group(1), depth, header))
        spills += bool(re.search(r"(16|32|64)-byte (Folded )?(Spill|Reload)", line))
    print(f"{name}: {len(innermost)} innermost loops, {spills} spills")
    for callee, depth, header in calls:
        print(f"{name}: calls {callee} at depth {depth}{', innermost' if header in innermost else ''}")


if __name__ == "__main__":
    for function_name, function_lines in functions(sys.stdin):
        report(function_name, function_lines)
