# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How LLVM marks blocks and loops in the assembly that it prints."""

import re

BLOCK = re.compile(r"^(?:\.L(BB\d+_\d+):|# %bb\.\d+:)")
HEADER = re.compile(r"This (Inner )?Loop Header: Depth=(\d+)")
INSIDE = re.compile(r"in Loop: Header=(BB\d+_\d+) Depth=(\d+)")
