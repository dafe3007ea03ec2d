# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public header compiles on its own, twice in a row, as C99, C11, C17, C++17 and C++20, without a warning, with every compiler that is there.

A declaration follows the includes, since ISO C does not take macros alone (export.h) for a translation unit.
"""

import os
import shutil
import subprocess

from toolcheck import Checks, parse_arguments, temporary_folder

FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Werror", "-Wshadow", "-Wundef", "-Wstrict-prototypes", "-Wconversion", "-fsyntax-only"]
CXX_FLAGS = [flag for flag in FLAGS if flag != "-Wstrict-prototypes"]
C_STANDARDS = ["c99", "c11", "c17"]
CXX_STANDARDS = ["c++17", "c++20"]


def headers_of(include):
    root = os.path.join(include, "normc")
    found = []
    for folder, _, names in os.walk(root):
        found += [os.path.relpath(os.path.join(folder, name), include) for name in names if name.endswith(".h")]
    return sorted(found)


def compilers(first, others):
    """The configured compiler and others of the same language that are installed."""
    paths = [shutil.which(name) for name in [first, *others]]
    return list(dict.fromkeys(path for path in paths if path))


def main():
    args = parse_arguments()
    checks = Checks()
    headers = headers_of(args.include)
    checks.expect("normc/normc.h" in headers and "normc/adapters/openmp.h" in headers, f"public headers not found: {headers}")
    c_compilers, cxx_compilers = compilers(args.cc, ["gcc", "clang"]), compilers(args.cxx, ["g++", "clang++"])
    languages = [("c", C_STANDARDS, c_compilers, FLAGS), ("cpp", CXX_STANDARDS, cxx_compilers, CXX_FLAGS)]
    with temporary_folder() as folder:
        for header in headers:
            body = f"#include <{header}>\n#include <{header}>\ntypedef int used_by_no_one;\n"
            for suffix, standards, tools, flags in languages:
                source = os.path.join(folder, "include." + suffix)
                with open(source, "w") as file:
                    file.write(body)
                for tool in tools:
                    for standard in standards:
                        openmp = ["-fopenmp"] if "openmp" in header else []
                        checks.compiles(header, tool, f"-std={standard}", *flags, *openmp, "-I", args.include, source)
        source = os.path.join(folder, "use.c")
        with open(source, "w") as file:
            file.write("#include <normc/normc.h>\nnormc_status_t use(void); normc_status_t use(void) {\n"
                       "  normc_exec_t exec = NORMC_EXEC_INIT;\n"
                       "  return exec.struct_size == sizeof exec ? NORMC_STATUS_SUCCESS : NORMC_STATUS_ABI_MISMATCH;\n}\n")
        for tool in c_compilers:
            for standard in C_STANDARDS:
                checks.compiles("NORMC_EXEC_INIT", tool, f"-std={standard}", *FLAGS, "-I", args.include, source)
        source = os.path.join(folder, "use.cpp")
        with open(source, "w") as file:
            file.write("#include <normc/normc.h>\nnormc_exec_t use();\nnormc_exec_t use() {\n  normc_exec_t exec = NORMC_EXEC_INIT;\n  return exec;\n}\n")
        for tool in cxx_compilers:
            for standard in CXX_STANDARDS:
                checks.compiles("NORMC_EXEC_INIT", tool, f"-std={standard}", *CXX_FLAGS, "-I", args.include, source)
        source = os.path.join(folder, "without_openmp.c")
        with open(source, "w") as file:
            file.write("#include <normc/adapters/openmp.h>\n")
        refused = subprocess.run([c_compilers[0], "-fsyntax-only", "-I", args.include, source], capture_output=True, text=True)
        checks.expect(refused.returncode != 0 and "compile and link with -fopenmp" in refused.stderr, "openmp.h without -fopenmp must say what to do")
    print("compilers:", *c_compilers, *cxx_compilers)
    checks.finish()


if __name__ == "__main__":
    main()
