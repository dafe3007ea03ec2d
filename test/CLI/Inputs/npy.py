#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write, damage and compare .npy files for tests. Python standard library only.

  npy.py write FILE DESCR SHAPE [VALUE]   an array of VALUE (default: i % 7 - 3.25 at element i); SHAPE such as 2,3 or "" for a scalar
  npy.py raw FILE TEXT                    a file with the header TEXT (a Python literal) and no data
  npy.py claim FILE BYTES                 a file of format 2 that claims to have a header of so many bytes, and ends within it
  npy.py cut FILE BYTES                   drops bytes from the end
  npy.py show FILE                        element type, shape and up to eight values
"""
import ast
import struct
import sys

FORMATS = {"<f4": "f", "<f8": "d", "<f2": "e", "<u2": "H", "<i8": "q"}


def with_header(text):
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1")


def write(path, descr, shape, value=None):
    dims = [int(d) for d in shape.split(",")] if shape else []
    count = 1
    for d in dims:
        count *= d
    shape = "(%s)" % "".join("%d, " % d for d in dims)
    values = [float(value) if value is not None else i % 7 - 3.25 for i in range(count)]
    if descr in ("<u2", "<i8"):
        values = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 if descr == "<u2" else int(v) for v in values]
    with open(path, "wb") as f:
        f.write(with_header("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)))
        f.write(struct.pack("<%d%s" % (count, FORMATS[descr]), *values))


def raw(path, text):
    with open(path, "wb") as f:
        f.write(with_header(text))


def claim(path, size):
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", int(size)) + b"{'descr': '<f4', ")


def cut(path, size):
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:len(data) - int(size)])


def show(path):
    with open(path, "rb") as f:
        data = f.read()
    (size,) = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + size].decode("latin1"))
    form = FORMATS[head["descr"]]
    values = [v[0] for v in struct.iter_unpack("<" + form, data[10 + size:])]
    if form == "H":
        values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    print(head["descr"], head["shape"], " ".join("%.4g" % v for v in values[:8]))


def main(argv):
    commands = {"write": write, "raw": raw, "claim": claim, "cut": cut, "show": show}
    if not argv or argv[0] not in commands:
        sys.exit(__doc__.strip())
    commands[argv[0]](*argv[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
