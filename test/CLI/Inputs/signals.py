#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py WHAT COMMAND...: waits until the command has a child, sends a signal and prints the command's messages and exit status.

  interrupt   SIGINT to the command, as Ctrl-C does
  terminate   SIGTERM to the command
  abandon     SIGKILL to the command
  crash       SIGSEGV to the child
  kill        SIGKILL to the child

Exit 1 where a process that the command has started, or one that such a process has started, outlives it.
"""
import os
import signal
import subprocess
import sys
import time

MARK = "NORMC_TEST_SIGNALS"
SIGNALS = {"interrupt": signal.SIGINT, "terminate": signal.SIGTERM, "abandon": signal.SIGKILL, "crash": signal.SIGSEGV, "kill": signal.SIGKILL}


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def marked(mark):
    """The processes that have inherited the mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if mark in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass  # it has ended, or is somebody else's
    return found


what, command = sys.argv[1], sys.argv[2:]
# Whoever runs the tests in the background may have made them ignore SIGINT, which children inherit.
signal.signal(signal.SIGINT, signal.SIG_DFL)
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **{MARK: str(os.getpid())}))
found = []
while process.poll() is None and not found:
    found = children_of(process.pid)
    time.sleep(0.001)
if found:
    os.kill(found[0] if what in ("crash", "kill") else process.pid, SIGNALS[what])
_, messages = process.communicate(timeout=120)
print(messages, end="")
print("exit status", process.returncode)
# What the system ends together with its parent is gone a moment later.
mark = ("%s=%d" % (MARK, os.getpid())).encode()
for _ in range(100 if what == "abandon" else 1):
    left = marked(mark)
    if not left:
        break
    time.sleep(0.05)
assert found and not left, "still there: %s" % left
