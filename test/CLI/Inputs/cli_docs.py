#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of docs/cli.md that normc itself knows.

  cli_docs.py check NORMC FILE    exit 1 where FILE differs from what it would be
  cli_docs.py update NORMC FILE   rewrites them
  cli_docs.py run NORMC FILE      runs the ```sh blocks, in order, in an empty folder with some .npy files
"""
import os
import re
import subprocess
import sys
import tempfile

import npy


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def field_table(normc):
    """The table of fields, from the options of `build`."""
    text = output(normc, "build", "--help")
    what = text[text.index("what to compute:\n"):text.index("\n\n", text.index("what to compute:"))].splitlines()[1:]
    rows = []
    for line in what:
        found = re.match(r"  --(\S+)(?: (\S+))? *(?:  (.*))?$", line)
        if found:
            rows.append([found.group(1), found.group(2) or "", found.group(3) or ""])
        else:
            rows[-1][2] += " " + line.strip()
    lines = ["| flag | JSON | CMake | meaning |", "| --- | --- | --- | --- |"]
    for flag, metavar, meaning in rows:
        value = " " + metavar.replace("|", "\\|") if metavar else ""
        lines.append("| `--%s%s` | `%s` | `%s` | %s |" % (flag, value, flag.replace("-", "_"), flag.replace("-", "_").upper(), meaning.strip()))
    return "\n".join(lines)


def renewed(normc, text):
    def block(match):
        head, command = match.group(1), match.group(2)
        body = field_table(normc) if head.startswith("fields") else "```text\n%s```" % output(normc, command, "--help")
        return "<!-- %s -->\n%s\n<!-- end -->" % (head, body)
    return re.sub(r"<!-- ((?:help (\w+))|(?:fields[^>]*?)) -->\n.*?<!-- end -->", block, text, flags=re.S)


def run(normc, text):
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    assert blocks
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        npy.write("x.npy", "<f4", "5,4,16")
        npy.write("w.npy", "<f4", "16", 1)
        npy.write("h.npy", "<u2", "3,32")
        environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(normc)) + os.pathsep + os.environ["PATH"], XDG_CACHE_HOME=folder + "/cache")
        for block in blocks:
            subprocess.run(["bash", "-ec", block], env=environment, stdout=subprocess.DEVNULL, check=True)


def main(argv):
    if len(argv) != 3 or argv[0] not in ("check", "update", "run"):
        sys.exit(__doc__.strip())
    what, normc, path = argv
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if what == "run":
        run(normc, text)
    elif what == "update":
        with open(path, "w", encoding="utf-8") as f:
            f.write(renewed(normc, text))
    elif renewed(normc, text) != text:
        sys.exit("%s is not what normc says: run %s update %s %s" % (path, sys.argv[0], normc, path))


if __name__ == "__main__":
    main(sys.argv[1:])
