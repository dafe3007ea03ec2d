#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the mistakes that docs/getting-started.md lists, and compares the messages.

usage: mistakes.py PREFIX PAGE

In the section "Common mistakes" a first cell that is a command is run; messages of calls come from mistakes.c. "…" in a message stands for any text.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

from run_blocks import environment

HERE = os.path.dirname(os.path.abspath(__file__))


def tables(page):
    """The rows of the section, table by table, each a list of cells."""
    with open(page, encoding="utf-8") as f:
        section = f.read().split("\n## Common mistakes\n")[1].split("\n## ")[0]
    found = []
    for line in section.splitlines():
        if line.startswith("| --- "):
            found.append([])
        elif line.startswith("|") and found and not re.match(r"\| what (was|comes)", line):
            found[-1].append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def messages(cell):
    return re.findall(r"`([^`]+)`", cell)


def expect(message, output, where):
    pattern = ".*".join(re.escape(part) for part in message.split("…"))
    if not re.search("^" + pattern + "$", output, re.M):
        sys.exit("%s: the page says\n%s\nbut this was printed:\n%s" % (where, message, output))


def main(prefix, page):
    compiling, _, calling = tables(page)
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(prefix, folder)

        def run(*command, **changes):
            return subprocess.run(command, env=dict(variables, **changes), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                                  check=False)

        for command, answer in compiling:
            done = run(*shlex.split(messages(command)[0]))
            if done.returncode != 2:
                sys.exit("%s ended with exit status %d, expected 2:\n%s" % (command, done.returncode, done.stdout))
            for message in messages(answer):
                expect(message, done.stdout, command)

        output = ""
        for target in ("x86-64-v2", "x86-64-v3"):
            commands = [["normc", "build", "layer_norm", "--hidden", "768", "--name", "ln768", "--target", target, "-o", "."],
                        ["cc", os.path.join(HERE, "mistakes.c"), "-I.", "libln768.a", "-lnormc_runtime", "-lm", "-ldl", "-o", target]]
            for command in commands:
                done = run(*command)
                if done.returncode != 0:
                    sys.exit("%s failed:\n%s" % (shlex.join(command), done.stdout))
        # A limit stands for the machine that lacks the target; its message names the limit, and the machine's would name the features.
        output = run("./x86-64-v2").stdout + run("./x86-64-v2", NORMC_MAX_ISA="avx2").stdout + run("./x86-64-v3", NORMC_MAX_ISA="x86-64-v2").stdout
        for what, answer in calling:
            for message in messages(answer):
                expect(message, output, what)
    print("%d mistakes of commands, %d of calls" % (len(compiling), len(calling)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
