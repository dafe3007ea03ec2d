# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the global symbols of an archive or a shared object, one a line: `visible NAME`, `hidden NAME` (defined, but for the same library only) or `undefined NAME` (to be
found outside of the file)."""

import subprocess
import sys


def main():
    text = subprocess.run(["readelf", "-sW", *sys.argv[1:]], stdout=subprocess.PIPE, text=True, check=True).stdout
    kinds = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[4] not in ("GLOBAL", "WEAK"):
            continue
        name = fields[7].split("@")[0]
        if fields[6] != "UND":
            kinds[name] = "hidden" if fields[5] in ("HIDDEN", "INTERNAL") else "visible"
        else:
            kinds.setdefault(name, "undefined")
    if not kinds:
        sys.exit("symbols.py: no global symbol was found")
    for name, kind in sorted(kinds.items(), key=lambda item: (item[1], item[0])):
        print(kind, name)


if __name__ == "__main__":
    main()
