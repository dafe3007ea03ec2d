# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a manifest as one line per value, `path.to[0].value: JSON`, after reading it as strict JSON: no duplicate key, no NaN."""

import json
import sys


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        sys.exit(f"read.py: a key is there twice: {keys}")
    return dict(pairs)


def show(path, value):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            show(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            show(f"{path}[{index}]", inner)
    else:
        print(f"{path}: {json.dumps(value)}")


def main():
    def refuse(word):
        sys.exit(f"read.py: {word} is not JSON")

    with open(sys.argv[1], encoding="utf-8") as file:
        show("", json.load(file, object_pairs_hook=unique, parse_constant=refuse))


if __name__ == "__main__":
    main()
