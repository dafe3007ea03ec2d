# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many instructions the runtime spends on a call of one row, counted by valgrind: exact, on a busy machine too. Exit status 77: nothing was counted."""

import os
import re
import shutil
import subprocess
import sys

from toolcheck import Checks, parse_arguments, temporary_folder

# What a call has, letters for call_cost.c, and the most instructions that it may take. The limits leave room for other compilers.
KINDS = [
    ("x, y", "", 170),
    ("x, weight, bias, y", "p", 180),
    ("the same, of three variants two that this CPU lacks or does not need", "p2", 200),
    ("x, weight, bias, y in place of x", "pi", 200),
    ("x, weight, bias, y, strides given", "ps", 360),
    ("x, weight, bias, y, exec given", "pe", 360),
    ("x, weight, bias, y, mean, rstd", "po", 450),
    ("x, residual, weight, bias, y, sum, mean, rstd", "pro", 520),
    ("x, weight, bias, y, gaps between rows (the full checks)", "pg", 1200),
]


def instructions(program, calls, kind):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=normc_run_forward", program, str(calls), kind]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return int(found.group(1))


def main():
    args = parse_arguments()
    if args.sanitizer:
        print("skipped: sanitizers add instructions of their own")
        sys.exit(77)
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed (package valgrind)")
        sys.exit(77)
    checks = Checks()
    with temporary_folder() as folder:
        program = os.path.join(folder, "call_cost")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "call_cost.c")
        if checks.compiles("call_cost", args.cc, "-std=c11", "-O2", "-I", args.include, source, args.archive, "-lm", "-ldl", "-o", program):
            for what, kind, limit in KINDS:
                count = (instructions(program, 1001, kind) - instructions(program, 1, kind)) // 1000
                print(f"{count:5}  {what}")
                checks.expect(count <= limit, f"{what}: {count} instructions, expected at most {limit}")
    checks.finish()


if __name__ == "__main__":
    main()
