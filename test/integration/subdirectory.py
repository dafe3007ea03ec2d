#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""subdirectory.py ROOT OUT OPTION...: a project that has normc as a subdirectory configures with these options and can build a kernel and a program with it."""
import os
import shutil
import subprocess
import sys

root, out, *options = sys.argv[1:]
shutil.rmtree(out, ignore_errors=True)
os.makedirs(out)
with open(os.path.join(out, "CMakeLists.txt"), "w", encoding="utf-8") as f:
    f.write("""cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C CXX)
add_subdirectory("%s" normc)
normc_add_library(ln768 OP layer_norm HIDDEN 768 TARGETS x86-64-v3)
add_executable(app app.c)
target_link_libraries(app PRIVATE ln768)
""" % root)
with open(os.path.join(out, "app.c"), "w", encoding="utf-8") as f:
    f.write('#include "ln768.h"\nint main(void) { return 0; }\n')
subprocess.run(["cmake", "-S", out, "-B", os.path.join(out, "build"), "-G", "Ninja", *options], check=True)
shown = subprocess.run(["ninja", "-C", os.path.join(out, "build"), "-n", "app"], stdout=subprocess.PIPE, text=True, check=True).stdout
# What the program needs is built first: the tool, the kernel by the tool, the runtime.
for wanted in ("ln768", "tools/normc/normc", "normc_runtime"):
    if wanted not in shown:
        sys.exit("subdirectory.py: building the program would not build " + wanted + ":\n" + shown)
helped = subprocess.run(["cmake", "--build", os.path.join(out, "build"), "--target", "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
# Tests of normc are not the consumer's.
if "SpecTest" in helped:
    sys.exit("subdirectory.py: normc's tests are among the targets")
