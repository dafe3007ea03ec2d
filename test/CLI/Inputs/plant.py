#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plant.py FROM TO: the one kernel of the cache FROM takes the place of the one of the cache TO."""
import os
import shutil
import sys

source, = os.listdir(sys.argv[1])
target, = os.listdir(sys.argv[2])
shutil.copy(os.path.join(sys.argv[1], source, "kernel.so"), os.path.join(sys.argv[2], target, "kernel.so"))
