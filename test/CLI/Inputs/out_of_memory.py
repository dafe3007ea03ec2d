#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out_of_memory.py NORMC FILE: `normc run` on an array of 2^42 bytes, which a sparse file holds, says that memory does not suffice."""
import os
import subprocess
import sys

import npy

normc, path = sys.argv[1:]
with open(normc, "rb") as f:
    if b"__asan_init" in f.read():
        sys.exit(0)  # its allocator ends the process where others throw
npy.raw(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (68719476736, 16), }")
os.truncate(path, os.path.getsize(path) + (1 << 42))
done = subprocess.run([normc, "run", "layer_norm", "--input", "x=" + path, "--output", "y=" + path + ".y"], stderr=subprocess.PIPE, text=True, check=False)
os.remove(path)
assert done.returncode == 1 and done.stderr.startswith("error: not enough memory [NORMC3006]"), (done.returncode, done.stderr)
