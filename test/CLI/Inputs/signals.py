#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py interrupt|crash COMMAND...: once the command has a child, sends SIGINT to the command, or SIGSEGV to the child. Prints its messages and exit status."""
import os
import signal
import subprocess
import sys
import time


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


what, command = sys.argv[1], sys.argv[2:]
# Whoever runs the tests in the background may have made them ignore SIGINT, which children inherit.
signal.signal(signal.SIGINT, signal.SIG_DFL)
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
found = []
while process.poll() is None and not found:
    found = children_of(process.pid)
    time.sleep(0.001)
if found:
    os.kill(process.pid if what == "interrupt" else found[0], signal.SIGINT if what == "interrupt" else signal.SIGSEGV)
_, messages = process.communicate(timeout=120)
print(messages, end="")
print("exit status", process.returncode)
for child in found:
    assert not os.path.exists("/proc/%d" % child), "the child is still there"
