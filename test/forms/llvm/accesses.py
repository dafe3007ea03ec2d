# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads LLVM IR of a variant on stdin and prints one line per access to memory of each body: function, kind, the array it belongs to, type, alignment and, where the
instruction has it, `nontemporal`. The array is found through address arithmetic; scratch is `stack`, fields of the slice are `slice`. What it does not understand is an
error, so that no access is missed."""

import re
import sys

DEFINE = re.compile(r"^define .*@([\w.]+)\(ptr %slice\)")
ASSIGN = re.compile(r"^\s*(%[\w.$]+|%\"[^\"]+\") = (.*)$")
NAME = r"(%[\w.$]+|%\"[^\"]+\")"
ROLES = {"x", "residual", "weight", "bias", "y", "sum", "mean", "rstd"}


def address_operands(text):
    """The pointers that a pointer value is made from."""
    if text.startswith("getelementptr"):
        return [re.search(r"ptr " + NAME, text).group(1)]
    if text.startswith("phi ptr"):
        return re.findall(r"\[ " + NAME, text)
    if text.startswith("select"):
        return re.findall(r"ptr " + NAME, text)
    return None


def root(pointer, values, seen):
    if pointer == "%slice":
        return {"slice"}
    if pointer in seen:
        return set()
    seen.add(pointer)
    text = values.get(pointer)
    if text is None:
        sys.exit(f"accesses.py: {pointer} has no definition")
    if text.startswith("alloca"):
        return {"stack"}
    if text.startswith("load ptr"):
        name = pointer.lstrip("%").rstrip("0123456789")
        if name not in ROLES:
            sys.exit(f"accesses.py: the pointer {pointer} is loaded from memory, but is no array of the slice")
        return {name}
    operands = address_operands(text)
    if operands is None:
        sys.exit(f"accesses.py: the address {pointer} is computed by: {text}")
    return set().union(*(root(operand, values, seen) for operand in operands))


def report(name, body):
    values = {}
    for line in body:
        match = ASSIGN.match(line)
        if match:
            values[match.group(1)] = match.group(2)
    for line in body:
        load = re.match(r"\s*(?:%\S+|%\"[^\"]+\") = load (.+?), ptr " + NAME, line)
        store = re.match(r"\s*store (<[^>]+>|\w+) .*, ptr " + NAME + r", align", line)
        call = re.search(r"call .*@llvm\.(memcpy|memset|masked\.load|masked\.store)\b[^(]*\((.*)", line)
        if load or store:
            match = load or store
            kind, element, pointers = "load" if load else "store", match.group(1), [match.group(2)]
        elif call:
            kind, element, pointers = call.group(1), "", re.findall(r"ptr (?:[a-z_]+(?:\(\d+\)| \d+)? )*" + NAME, call.group(2))
        elif re.match(r"\s*(store |%\S+ = (load|atomicrmw|cmpxchg) )", line) or re.search(r"call .*\bptr\b", line):
            sys.exit(f"accesses.py: not understood: {line.strip()}")
        else:
            continue
        alignment = re.search(r", align (\d+)", line)
        roots = ["/".join(sorted(root(pointer, values, set()))) for pointer in pointers]
        words = [name, kind, *roots, element, f"align {alignment.group(1)}" if alignment else "", "nontemporal" if "!nontemporal" in line else ""]
        print(" ".join(word for word in words if word))


def main():
    name, body = None, []
    functions = 0
    for line in sys.stdin:
        define = DEFINE.match(line)
        if define:
            name, body = define.group(1), []
            functions += 1
        elif name and line.startswith("}"):
            report(name, body)
            name = None
        elif name:
            body.append(line.rstrip("\n"))
    if functions == 0:
        sys.exit("accesses.py: no function of a slice was found")


if __name__ == "__main__":
    main()
