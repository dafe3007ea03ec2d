# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of this folder share: their arguments, running tools, and counting what fails."""

import argparse
import subprocess
import sys
import tempfile


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--archive", required=True, help="libnormc_runtime.a")
    parser.add_argument("--include", required=True, help="folder that holds normc/")
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--sanitizer", default="")
    return parser.parse_args()


def output_of(*command):
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Checks:
    """Runs checks in a temporary folder and remembers which failed."""

    def __init__(self):
        self.failures = 0
        self.done = 0

    def expect(self, holds, message):
        self.done += 1
        if not holds:
            self.failures += 1
            print("FAIL:", message)

    def compiles(self, what, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        self.expect(done.returncode == 0, f"{what}: {' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.returncode == 0

    def finish(self):
        print(f"{self.done} checks, {self.failures} failed")
        sys.exit(1 if self.failures or not self.done else 0)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="normc-")
