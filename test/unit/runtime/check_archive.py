# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libnormc_runtime.a promises to those who link it: the symbols it shows and needs, instructions that every x86-64 has, plain cc, shared objects."""

import os
import re
import subprocess

from toolcheck import Checks, output_of, parse_arguments, temporary_folder

# Everything that the headers declare, and nothing else.
EXPECTED = {
    "normc_abi_version", "normc_detected_isa", "normc_dispatch_info", "normc_isa_name", "normc_kernel_set_find", "normc_max_isa", "normc_run_dlpack",
    "normc_run_forward", "normc_run_forward_set", "normc_set_max_isa", "normc_status_description", "normc_status_name", "normc_version",
}
# C library functions of the runtime: none allocates, prints or ends the process.
C_LIBRARY = {"getenv", "memcpy", "memset", "snprintf", "strcmp", "vsnprintf", "__snprintf_chk", "__vsnprintf_chk", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}
# Mnemonics that start with v and are no VEX or EVEX instruction.
LEGACY_V = {"verr", "verw"}
# VEX instructions of BMI and BMI2, which do not start with v.
VEX_INTEGER = {"andn", "bextr", "blsi", "blsmsk", "blsr", "bzhi", "mulx", "pdep", "pext", "rorx", "sarx", "shlx", "shrx"}

PROGRAM = r"""
#include <normc/normc.h>
#include <stdio.h>
static void body(const normc_slice_t *slice) { *(float *)slice->y = *(const float *)slice->x + slice->eps; }
static const normc_variant_t variants[] = {{NORMC_ISA_X86_64_V2, 0, "k__x86_64_v2", "none", {body, 0, 0, 0}, {0, 0, 0, 0}}};
static const normc_kernel_t kernel = {sizeof(normc_kernel_t), NORMC_ABI_VERSION, "k", "toy", "toy", "0", "test",
                                      NORMC_ROLE_X | NORMC_ROLE_Y, NORMC_ROLE_X | NORMC_ROLE_Y,
                                      NORMC_DTYPE_F32, NORMC_DTYPE_F32, NORMC_DTYPE_F32, 1, 1, variants};
int run(void);
int run(void) {
  float x = 2, y = 0;
  normc_forward_args_t args = {0};
  args.struct_size = sizeof args;
  args.rows = 1;
  args.eps = 0.5f;
  args.x = &x;
  args.y = &y;
  normc_status_t status = normc_run_forward(&kernel, &args, NULL);
  if (status != NORMC_STATUS_SUCCESS) {
    puts(normc_status_description(status));
    return 1;
  }
  return y == 2.5f ? 0 : 2;
}
"""
MAIN = "int run(void); int main(void) { return run(); }\n"
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run)(void) = 0;
  if (library == NULL) {
    puts(dlerror());
    return 3;
  }
  *(void **)&run = dlsym(library, "run");
  return run();
}
"""


def check_symbols(checks, args):
    shown, needed, defined = set(), set(), set()
    for line in output_of("readelf", "-sW", args.archive).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit():
            continue
        bind, visibility, section, name = fields[4], fields[5], fields[6], fields[7]
        if bind not in ("GLOBAL", "WEAK"):
            continue
        if section == "UND":
            needed.add(name)
            continue
        defined.add(name)
        if visibility == "DEFAULT":
            shown.add(name)
    if not args.sanitizer:
        checks.expect(shown == EXPECTED, f"visible symbols: unexpected {sorted(shown - EXPECTED)}, missing {sorted(EXPECTED - shown)}")
        outside = needed - defined
        checks.expect(outside <= C_LIBRARY, f"undefined symbols that are not plain C: {sorted(outside - C_LIBRARY)}")
    own = re.compile(r"_ZN?K?5normc7runtime")
    stray = {name for name in defined - EXPECTED if not own.match(name)}
    checks.expect(args.sanitizer or not stray, f"definitions outside namespace normc::runtime: {sorted(stray)}")
    library = re.compile(r"_ZSt|_ZNSt|_ZNKSt|_Znw|_Zna|_Zdl|_Zda|__cxa_(throw|guard|begin|allocate)|__gxx_personality|_Unwind")
    forbidden = {name for name in needed if library.match(name)}
    checks.expect(not forbidden, f"libstdc++ is needed at link time: {sorted(forbidden)}")


def check_instructions(checks, args):
    mnemonics = set()
    for line in output_of("objdump", "-d", "--no-show-raw-insn", args.archive).splitlines():
        match = re.match(r"^\s*[0-9a-f]+:\s+(\S+)", line)
        if match:
            mnemonics.add(match.group(1))
    vex = {name for name in mnemonics if (name.startswith("v") and name not in LEGACY_V) or name in VEX_INTEGER}
    checks.expect(not vex, f"VEX or EVEX instructions in code that must run everywhere: {sorted(vex)}")
    checks.expect({"call", "ret", "cpuid"} <= mnemonics, "objdump's output was not understood")


def check_sections(checks, args):
    if args.sanitizer:
        return  # sanitizers add both
    headers = output_of("readelf", "-SW", args.archive)
    checks.expect(".init_array" not in headers and ".ctors" not in headers, "the runtime has static constructors")
    checks.expect(".tbss" not in headers and ".tdata" not in headers, "the runtime has thread-local state")


def check_linking(checks, args):
    sanitize = [f"-fsanitize={args.sanitizer}"] if args.sanitizer else []
    with temporary_folder() as folder:
        def file(name, text=None):
            path = os.path.join(folder, name)
            if text is not None:
                with open(path, "w") as out:
                    out.write(text)
            return path

        program, main_file, loader = file("program.c", PROGRAM), file("main.c", MAIN), file("loader.c", LOADER)
        library_folder, name = os.path.dirname(args.archive), "-l" + os.path.basename(args.archive)[3:-2]
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", *sanitize, "-I", args.include]
        link = ["-L", library_folder, name, "-lm", "-ldl"]
        app = file("app")
        if checks.compiles("plain cc", args.cc, *flags, program, main_file, *link, "-o", app):
            checks.expect(subprocess.run([app]).returncode == 0, "the program linked with plain cc failed")
            checks.expect(args.sanitizer or "libstdc++" not in output_of("readelf", "-d", app), "the program needs libstdc++")
        if not args.sanitizer:
            static = file("static")
            if checks.compiles("static program", args.cc, *flags, "-static", program, main_file, *link, "-o", static):
                checks.expect(subprocess.run([static]).returncode == 0, "the static program failed")
        shared = file("libshared.so")
        undefined = [] if args.sanitizer else ["-Wl,-z,defs"]
        if checks.compiles("shared object", args.cc, *flags, "-fPIC", "-shared", *undefined, program, *link, "-o", shared) and \
                checks.compiles("loader", args.cc, *flags, loader, "-ldl", "-o", file("loader")):
            checks.expect(subprocess.run([file("loader"), shared]).returncode == 0, "the shared object failed after dlopen")
            checks.expect("TEXTREL" not in output_of("readelf", "-d", shared), "the shared object has text relocations")
            exported = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", shared).splitlines()}
            unexpected = {symbol for symbol in exported if not symbol.startswith("normc_") and symbol != "run"}
            checks.expect(args.sanitizer or not unexpected, f"the shared object exports {sorted(unexpected)}")


def main():
    args = parse_arguments()
    checks = Checks()
    check_symbols(checks, args)
    check_instructions(checks, args)
    check_sections(checks, args)
    check_linking(checks, args)
    checks.finish()


if __name__ == "__main__":
    main()
