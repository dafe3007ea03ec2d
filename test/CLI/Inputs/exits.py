#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exits.py STATUS COMMAND...: runs the command and succeeds where it ends with exactly that status."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], check=False)
if done.returncode != int(sys.argv[1]):
    sys.exit("exit status %d, expected %s: %s" % (done.returncode, sys.argv[1], " ".join(sys.argv[2:])))
