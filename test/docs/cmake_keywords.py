#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/cmake.md explains exactly the keywords that normc_add_library takes, with the number of values that each takes.

usage: cmake_keywords.py ROOT
"""
import os
import re
import sys


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


def main(root):
    listed = re.search(r"set\(NORMC_FIELDS\n(.*?)\n\)", read(root, "cmake/NormcFields.cmake"), re.S).group(1)
    expected = {"FILE": "one", "OUTPUT_DIRECTORY": "one"}
    for keyword, kind in re.findall(r'"(\w+) \S+ (\w+)"', listed):
        expected[keyword] = "none" if kind == "Switch" else "list" if kind.endswith("List") else "one"
    helpers = read(root, "cmake/NormcHelpers.cmake")
    if "set(values FILE OUTPUT_DIRECTORY)" not in helpers:
        sys.exit("cmake_keywords.py: the keywords that NormcHelpers.cmake adds to the fields are no longer FILE and OUTPUT_DIRECTORY")
    table = read(root, "docs/cmake.md").split("\n| keyword | values | meaning |\n")[1].split("\n\n")[0]
    explained = dict(re.findall(r"^\| `(\w+)` \| (\w+) \| .+ \|$", table, re.M))
    if explained != expected:
        differing = sorted(set(explained.items()) ^ set(expected.items()))
        sys.exit("docs/cmake.md and normc_add_library differ in " + ", ".join("%s (%s)" % pair for pair in differing))
    print("%d keywords" % len(expected))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
