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


# As DLPack's own header has it.
DLPACK = """#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stddef.h>
#include <stdint.h>
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLBfloat = 4U } DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset; } DLTensor;
typedef struct DLManagedTensor { DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self); } DLManagedTensor;
#endif
"""


def check_dlpack(checks, include, folder, c_compilers, cxx_compilers):
    """The user's dlpack.h wins: where it came first, and where it can be found."""
    found = os.path.join(folder, "found", "dlpack")
    os.makedirs(found)
    for path in (os.path.join(found, "dlpack.h"), os.path.join(folder, "theirs.h")):
        with open(path, "w") as file:
            file.write(DLPACK)
    use = ("#ifdef NORMC_DLPACK_OWN\n#error the other header should have won\n#endif\n"
           "int use(const DLManagedTensor *tensor); int use(const DLManagedTensor *tensor) {\n"
           "  normc_dlpack_args_t args = NORMC_DLPACK_ARGS_INIT;\n  args.x = &tensor->dl_tensor;\n  return (int)normc_run_dlpack(NULL, &args, NULL);\n}\n")
    cases = {"first": ('#include "theirs.h"\n#include <normc/dlpack.h>\n', []), "found": ("#include <normc/dlpack.h>\n", ["-I", os.path.dirname(found)]),
             "after": ("#include <normc/dlpack.h>\n#include <dlpack/dlpack.h>\n", ["-I", os.path.dirname(found)])}
    for name, (text, extra) in cases.items():
        for suffix, standard, tools, flags in (("c", "c99", c_compilers, FLAGS), ("cpp", "c++17", cxx_compilers, CXX_FLAGS)):
            source = os.path.join(folder, f"dlpack_{name}.{suffix}")
            with open(source, "w") as file:
                file.write(text + use)
            for tool in tools:
                checks.compiles(f"dlpack.h, the user's {name}", tool, f"-std={standard}", *flags, "-I", include, "-I", folder, *extra, source)


def check_onetbb(checks, include, folder, c_compilers, cxx_compilers):
    """C++ only, and only where oneTBB is."""
    for suffix in ("c", "cpp"):
        with open(os.path.join(folder, "onetbb." + suffix), "w") as file:
            file.write("#include <normc/adapters/onetbb.h>\n#include <normc/adapters/onetbb.h>\nnormc_exec_t used_by_no_one();\n")
    refused = subprocess.run([c_compilers[0], "-fsyntax-only", "-I", include, os.path.join(folder, "onetbb.c")], capture_output=True, text=True)
    checks.expect(refused.returncode != 0 and "onetbb.h is C++" in refused.stderr, "onetbb.h in C must say that it is C++")
    source = os.path.join(folder, "onetbb.cpp")
    for tool in cxx_compilers:
        done = subprocess.run([tool, "-std=c++17", "-fsyntax-only", "-I", include, source], capture_output=True, text=True)
        if "needs oneTBB (package libtbb-dev)" in done.stderr:
            print(f"normc/adapters/onetbb.h: not compiled with {tool}: oneTBB is not installed")
            continue
        for standard in CXX_STANDARDS:
            checks.compiles("onetbb.h", tool, f"-std={standard}", *CXX_FLAGS, "-I", include, source)


def main():
    args = parse_arguments()
    checks = Checks()
    headers = headers_of(args.include)
    checks.expect("normc/normc.h" in headers and "normc/adapters/openmp.h" in headers, f"public headers not found: {headers}")
    c_compilers, cxx_compilers = compilers(args.cc, ["gcc", "clang"]), compilers(args.cxx, ["g++", "clang++"])
    languages = [("c", C_STANDARDS, c_compilers, FLAGS), ("cpp", CXX_STANDARDS, cxx_compilers, CXX_FLAGS)]
    with temporary_folder() as folder:
        for header in headers:
            if "onetbb" in header:
                check_onetbb(checks, args.include, folder, c_compilers, cxx_compilers)
                continue
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
        check_dlpack(checks, args.include, folder, c_compilers, cxx_compilers)
        source = os.path.join(folder, "without_openmp.c")
        with open(source, "w") as file:
            file.write("#include <normc/adapters/openmp.h>\n")
        refused = subprocess.run([c_compilers[0], "-fsyntax-only", "-I", args.include, source], capture_output=True, text=True)
        checks.expect(refused.returncode != 0 and "compile and link with -fopenmp" in refused.stderr, "openmp.h without -fopenmp must say what to do")
    print("compilers:", *c_compilers, *cxx_compilers)
    checks.finish()


if __name__ == "__main__":
    main()
