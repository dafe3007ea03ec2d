#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cmake_config.py ROOT NORMC RUNTIME PREFIX: makes PREFIX a place where find_package(normc) finds this tool and this runtime library."""
import os
import sys

root, normc, runtime, prefix = map(os.path.abspath, sys.argv[1:])
folder = os.path.join(prefix, "lib/cmake/normc")
os.makedirs(folder)
with open(os.path.join(folder, "normcConfigVersion.cmake"), "w", encoding="utf-8") as f:
    f.write("set(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
with open(os.path.join(folder, "normcConfig.cmake"), "w", encoding="utf-8") as f:
    f.write("""add_executable(normc::normc IMPORTED)
set_target_properties(normc::normc PROPERTIES IMPORTED_LOCATION "{normc}")
add_library(normc::runtime STATIC IMPORTED)
set_target_properties(normc::runtime PROPERTIES IMPORTED_LOCATION "{runtime}" INTERFACE_INCLUDE_DIRECTORIES "{root}/include" INTERFACE_LINK_LIBRARIES "m;dl")
include("{root}/cmake/NormcHelpers.cmake")
""".format(root=root, normc=normc, runtime=runtime))
