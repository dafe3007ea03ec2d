#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""few_threads.py COMMAND...: runs it where the address space holds the stacks of a few threads only, and requires success."""
import resource
import subprocess
import sys

with open(sys.argv[1], "rb") as f:
    program = f.read()
if b"__asan_init" in program or b"__tsan_init" in program:
    sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)  # these reserve more addresses than any limit leaves


def limit():
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 26, 1 << 26))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


sys.exit(subprocess.run(sys.argv[1:], preexec_fn=limit, check=False).returncode)
