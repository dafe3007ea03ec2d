#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""in_terminal.py COMMAND...: runs the command in a terminal of its own and prints each line that it shows as Python spells it, with \\x1b for Escape."""
import os
import pty
import sys

os.environ["TERM"] = "xterm"
shown = b""
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
os.waitpid(pid, 0)
for line in shown.decode().splitlines():
    print("%s%s%s" % ("'" if "\x1b" in line else '"', line.replace("\x1b", "\\x1b"), "'" if "\x1b" in line else '"'))
