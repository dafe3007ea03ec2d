#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the first session of README.md as it is printed there and compares what its last command prints.

usage: readme_session.py README BUILD

The session is the first ```sh block below the heading "First session", its output the ```text block
after it. It is typed into a shell in an empty folder that stands for the root of the project: include/
is there, and build/release is BUILD.
"""
import os
import re
import subprocess
import sys
import tempfile


def session_of(readme):
    """Returns (commands, output)."""
    with open(readme, encoding="utf-8") as f:
        text = f.read()
    found = re.search(r"^## First session$.*?^```sh\n(.*?)^```$.*?^```text\n(.*?)^```$", text, re.M | re.S)
    if not found or re.search(r"^## ", text[found.start() + 3:found.end()], re.M):
        sys.exit("readme_session.py: %s has no section 'First session' with a block ```sh and a block ```text" % readme)
    return found.group(1), found.group(2)


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__.strip())
    readme, build = map(os.path.abspath, argv)
    commands, expected = session_of(readme)
    lines = commands.count("\n")
    if lines > 12:
        sys.exit("readme_session.py: the session has %d lines, more than the 12 that README promises" % lines)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(os.path.dirname(readme), "include"), os.path.join(folder, "include"))
        os.mkdir(os.path.join(folder, "build"))
        os.symlink(build, os.path.join(folder, "build", "release"))
        done = subprocess.run(["bash", "-e"], input=commands, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, timeout=300, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit("readme_session.py: the session ended with exit status %d" % done.returncode)
    if not done.stdout.endswith(expected):
        sys.exit("readme_session.py: README says that the output ends with:\n" + expected)


if __name__ == "__main__":
    main(sys.argv[1:])
