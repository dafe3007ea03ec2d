#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the marked blocks of a page, in order, in one empty folder, with an installed normc.

usage: run_blocks.py PREFIX PAGE

A mark is a comment of its own line before a fenced block:
  <!-- run -->           bash runs the block; its exit status must be 0
  <!-- run: exit 2 -->   … must be 2
  <!-- file: app.c -->   the block is written to that file
  <!-- prints -->        the block is the end of what the last run printed, errors included

The folder holds x.npy (5 rows of 4 x 16 f32), w.npy (16 f32) and h.npy (3 x 32 bf16). PREFIX is where the compiler and pkg-config look as well, and $NORMC_PREFIX.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "CLI", "Inputs"))
sys.dont_write_bytecode = True
import npy

BLOCK = re.compile(r"^<!-- (run|file|prints)(?:: ([^\n]*))? -->\n```\w*\n(.*?)^```$", re.M | re.S)
MARK = re.compile(r"^<!-- (?:run|file|prints)\b.*$", re.M)


def environment(prefix, folder):
    libraries = next((root for root, _, files in os.walk(prefix) if "libnormc_runtime.a" in files), None)
    if libraries is None:
        sys.exit("run_blocks.py: expected an installed prefix, found no libnormc_runtime.a below " + prefix)
    return dict(os.environ, NORMC_PREFIX=prefix, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"], CPATH=os.path.join(prefix, "include"),
                LIBRARY_PATH=libraries, PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"), XDG_CACHE_HOME=os.path.join(folder, ".cache"))


def run_page(prefix, page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    blocks = list(BLOCK.finditer(text))
    if not blocks or len(blocks) != len(MARK.findall(text)):
        sys.exit("run_blocks.py: %s has %d marks, of which %d stand before a block" % (page, len(MARK.findall(text)), len(blocks)))
    printed, runs = "", 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        npy.write("x.npy", "<f4", "5,4,16")
        npy.write("w.npy", "<f4", "16", 1)
        npy.write("h.npy", "<u2", "3,32")
        for match in blocks:
            kind, argument, body = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if kind == "file":
                with open(argument, "w", encoding="utf-8") as f:
                    f.write(body)
            elif kind == "run":
                expected = int((argument or "exit 0").split()[1])
                done = subprocess.run(["bash", "-ec", body], env=environment(prefix, folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      timeout=300, check=False)
                printed = done.stdout
                runs += 1
                if done.returncode != expected:
                    sys.exit("%s:%d: the block ended with exit status %d, expected %d, and printed\n%s" % (page, line, done.returncode, expected, printed))
            elif not printed.endswith(body):
                sys.exit("%s:%d: the page says\n%sbut this was printed:\n%s" % (page, line, body, printed))
    if runs == 0:
        sys.exit("run_blocks.py: %s has no block to run" % page)
    print("%s: %d blocks, %d of them run" % (page, len(blocks), runs))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    run_page(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
