# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads `normc emit --as asm` of a static kernel on stdin and prints for each body how many rows' bytes one pass of the loop over rows loads (rounded up) and
stores, scratch on the stack and constants aside. Inner loops count as often as they run. Give it f32 kernels without weight, bias, mean and rstd: then all loads are of x
and all stores of y. What it does not understand is an error."""

from fractions import Fraction
import math
import re
import sys

from assembly import BLOCK, HEADER, INSIDE, functions

REGISTERS = {}
for letter in "abcd":
    REGISTERS[f"e{letter}x"] = REGISTERS[f"r{letter}x"] = f"r{letter}x"
for name in ("si", "di", "bp", "sp"):
    REGISTERS["e" + name] = REGISTERS["r" + name] = "r" + name
for number in range(8, 16):
    REGISTERS[f"r{number}d"] = REGISTERS[f"r{number}"] = f"r{number}"

MEMORY = re.compile(r"(?:-?\w+)?\((%\w+)?(?:,(%\w+))?(?:,\d)?\)|[.\w]+\(%rip\)")
STEPS = {"addq": 1, "addl": 1, "incq": 1, "incl": 1, "subq": -1, "subl": -1, "decq": -1, "decl": -1}
FLOATS = re.compile(r"^v?(mov[ua]ps|movntps|movss|addps|subps|mulps|addss|subss|mulss)$")


class Block:
    def __init__(self, label):
        self.label, self.header, self.depth, self.inner, self.parents, self.code = label, None, 0, False, [], []


def fail(message):
    sys.exit("traffic.py: " + message)


def blocks_of(lines):
    blocks = [Block(None)]
    for line in lines:
        start = BLOCK.match(line)
        if start:
            blocks.append(Block(start.group(1)))
        block = blocks[-1]
        if match := HEADER.search(line):
            block.header, block.depth = block.label, int(match.group(2))
        elif match := INSIDE.search(line):
            block.header, block.depth = match.group(1), int(match.group(2))
        elif match := re.search(r"Parent Loop (BB\d+_\d+) Depth=(\d+)", line):
            block.parents.append((match.group(1), int(match.group(2))))
        if line.startswith("\t") and not line.startswith("\t."):
            block.code.append(line.split("#")[0].split())
    return blocks


def register(text):
    return REGISTERS.get(text.lstrip("%"))


def trip_count(header, blocks):
    """How often the loop runs: its counter starts and ends at constants."""
    inside = [block for block in blocks if block.header == header]
    code = [words for block in inside for words in block.code]
    latch = next((i for i, words in enumerate(code) if words[0] in ("jne", "jb", "jl", "jae", "jbe") and words[1] == ".L" + header), None)
    if latch is None:
        fail(f"loop {header} has no conditional jump back")
    test = code[latch - 1]
    if test[0] in ("cmpq", "cmpl") and test[1].startswith("$"):
        end, counter = int(test[1].strip("$,"), 0), register(test[2])
    elif test[0] in STEPS:
        end, counter = 0, register(test[-1])
    else:
        fail(f"loop {header} ends by {' '.join(test)}")
    steps = [words for words in code if words[0] in STEPS and register(words[-1]) == counter]
    if len(steps) != 1 or code[latch][0] != "jne":
        fail(f"loop {header}: no single step of its counter")
    step = STEPS[steps[0][0]] * (int(steps[0][1].strip("$,"), 0) if len(steps[0]) == 3 else 1)
    before = [words for block in blocks[: blocks.index(inside[0])] for words in block.code if len(words) > 1 and register(words[-1]) == counter]
    start = before[-1] if before else ["nothing"]
    if start[0] in ("movq", "movl", "movabsq") and start[1].startswith("$"):
        first = int(start[1].strip("$,"), 0)
    elif start[0] in ("xorl", "xorq") and register(start[1].strip(",")) == counter:
        first = 0
    else:
        fail(f"loop {header} starts by {' '.join(start)}")
    if (end - first) % step or (end - first) // step <= 0:
        fail(f"loop {header} from {first} to {end} by {step}")
    return (end - first) // step


def operand_bytes(words):
    if "ss" in words[0]:
        return 4
    for name, size in (("%zmm", 64), ("%ymm", 32), ("%xmm", 16)):
        if any(name in word for word in words):
            return size
    fail(f"no vector register: {' '.join(words)}")


def report(name, lines):
    blocks = blocks_of(lines)
    parents = {block.label: block.parents for block in blocks if block.parents}
    loads = stores = 0
    for block in blocks:
        if block.depth == 0:
            continue
        loops = [header for header, depth in parents.get(block.header, []) if depth >= 2] + ([block.header] if block.depth >= 2 else [])
        times = 1
        for header in loops:
            times *= trip_count(header, blocks)
        for words in block.code:
            memory = MEMORY.search(" ".join(words[1:]))
            if not memory or "(%rip)" in memory.group(0) or memory.group(1) == "%rsp" or not any("mm" in word for word in words[1:]):
                continue
            if not FLOATS.match(words[0]):
                fail(f"{name}: {' '.join(words)}")
            if "(" in words[-1]:
                stores += times * operand_bytes(words)
            else:
                loads += times * operand_bytes(words)
    row = 4 * int(re.search(r"_f32_h(\d+)_", name).group(1))
    print(f"{name}: {math.ceil(Fraction(loads, row))} loaded, {Fraction(stores, row)} stored")


if __name__ == "__main__":
    for function_name, function_lines in functions(sys.stdin):
        report(function_name, function_lines)
