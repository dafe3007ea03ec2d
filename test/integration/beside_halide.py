#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three emitted libraries and a Halide pipeline of the user's own, with Halide's runtime, in one program, in both orders on the command line.

usage: beside_halide.py OUT PIPELINE INCLUDE

OUT is what installed.py made; PIPELINE the program that writes the pipeline's library; INCLUDE the folder with HalideRuntime.h.
CC and CFLAGS are honoured.
"""
import os
import sys

from installed import CC, CFLAGS, HERE, Out, expect, run, symbols


def main(argv):
    if len(argv) != 3:
        sys.exit(__doc__.strip())
    out, pipeline, include = Out(argv[0]), argv[1], argv[2]
    folder = out.path("beside_halide")
    os.makedirs(folder, exist_ok=True)
    run(pipeline, folder)
    theirs = os.path.join(folder, "user_pipeline.a")
    expect("halide_error" in symbols("-g", "--defined-only", theirs), theirs + " holds no Halide runtime")
    sources = [os.path.join(HERE, name) for name in ("beside_halide.c", "three_libraries.c")]
    for order, archives in {"before": [theirs, *out.link_line()], "after": [*out.link_line(), theirs]}.items():
        binary = os.path.join(folder, order)
        run(CC, *CFLAGS, "-std=c11", "-Wall", "-Wextra", "-I" + folder, "-I" + include, *out.includes(), *sources, *archives, "-lpthread", "-lm", "-ldl",
            "-o", binary)
        run(binary)


if __name__ == "__main__":
    main(sys.argv[1:])
