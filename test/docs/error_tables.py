#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/errors.md: codes from compiler/support/diagnostics.def, statuses from normc/status.h, exit statuses from compiler/support/error.h.

  error_tables.py check ROOT    exit 1 where docs/errors.md differs from what it would be, or a row has no advice
  error_tables.py update ROOT   rewrites the tables

A table lies between <!-- codes … -->, <!-- statuses … --> or <!-- exits … --> and <!-- end -->. Its last column is written by hand and is kept.
"""
import os
import re
import sys


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


def exit_statuses(root):
    listed = re.search(r"enum class ExitStatus : int \{(.*?)\}", read(root, "compiler/support/error.h"), re.S).group(1)
    return {name: number for name, number in re.findall(r"(\w+) = (\d+)", listed)}


def codes(root):
    exits = exit_statuses(root)
    found = re.findall(r'^NORMC_DIAGNOSTIC\((\w+), (\d+), (\w+), "(.*)"\)$', read(root, "compiler/support/diagnostics.def"), re.M)
    return ["code", "exit", "what it means", "what to do"], [["`NORMC%s`" % number, exits[status], meaning] for _, number, status, meaning in found]


def statuses(root):
    listed = re.search(r"typedef enum normc_status \{(.*?)\} normc_status_t;", read(root, "include/normc/status.h"), re.S).group(1)
    found = re.findall(r"/\*\* (.*?) \*/\s*(NORMC_STATUS_\w+) = (\d+)", listed)
    return ["value", "status", "what it means", "for example"], [[number, "`%s`" % name, meaning] for meaning, name, number in found]


def exits(root):
    return ["exit", "name", "when"], [[number, "`%s`" % name] for name, number in exit_statuses(root).items()]


TABLES = {"codes": codes, "statuses": statuses, "exits": exits}


def table(root, kind, old):
    head, rows = TABLES[kind](root)
    if len(rows) < 5:
        sys.exit("error_tables.py: found hardly any " + kind)
    kept = {}
    for line in old.splitlines():
        cells = re.split(r"(?<=\s)\|(?=\s)", " " + line.strip().strip("|") + " ")
        kept[cells[0].strip()] = cells[-1].strip() if len(cells) == len(head) else ""
    lacking = [row[0] for row in rows if not kept.get(row[0])]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(row + [kept.get(row[0], "")]) + " |" for row in rows]
    return "\n".join(lines) + "\n", lacking


def main(argv):
    if len(argv) != 2 or argv[0] not in ("check", "update"):
        sys.exit(__doc__.strip())
    what, root = argv
    path = os.path.join(root, "docs", "errors.md")
    text, lacking, seen = read(path), [], []

    def block(match):
        body, without = table(root, match.group(2), match.group(4))
        lacking.extend(without)
        seen.append(match.group(2))
        return match.group(1) + body + match.group(5)

    renewed = re.sub(r"(<!-- (%s)([^\n]*) -->\n)(.*?)(<!-- end -->)" % "|".join(TABLES), block, text, flags=re.S)
    if sorted(seen) != sorted(TABLES):
        sys.exit("%s has tables %s, expected %s" % (path, seen, sorted(TABLES)))
    if what == "update":
        with open(path, "w", encoding="utf-8") as f:
            f.write(renewed)
    elif renewed != text:
        sys.exit("%s is not what the sources say: run %s update %s" % (path, sys.argv[0], root))
    if lacking:
        sys.exit("%s: the last column is empty for %s" % (path, ", ".join(lacking)))


if __name__ == "__main__":
    main(sys.argv[1:])
