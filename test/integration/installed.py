#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""normc as it is used from an installed prefix, away from its sources and its build folder.

usage: installed.py STEP OUT [BUILD]

  install   installs BUILD into OUT/prefix (by way of another folder, so that no path can be left of where it was installed to)
            and builds three libraries with the tool there. The other steps need it.
  tool      the installed tool finds runtime and headers beside itself and runs a test case
  headers   the emitted headers compile without a warning as C99 to C17 and C++17
  program   a C program with all three libraries; what the libraries define and need
  shared    the same in a shared object that another program loads, beside libHalide.so; which symbols it shows

CC, CXX and CFLAGS are honoured.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "cases")
LIBRARIES = {
    "layer_norm_f32": ["layer_norm", "--hidden", "768"],
    "rms_norm_bf16": ["rms_norm", "--hidden", "1024", "--dtype", "bf16"],
    "add_layer_norm_f16": ["layer_norm", "--hidden", "640", "--dtype", "f16", "--residual", "--outputs", "y,sum"],
}
CC = os.environ.get("CC", "cc")
CXX = os.environ.get("CXX", "c++")
CFLAGS = shlex.split(os.environ.get("CFLAGS", "-O2"))


def run(*command):
    """Runs a command that must succeed, shows it and returns what it prints."""
    print("$ " + shlex.join(command), flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    print(done.stdout + done.stderr, end="", flush=True)
    if done.returncode != 0:
        sys.exit("installed.py: exit status %d" % done.returncode)
    return done.stdout


def expect(holds, message):
    if not holds:
        sys.exit("installed.py: " + message)


class Out:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.prefix = self.path("prefix")
        self.normc = self.path("prefix", "bin", "normc")
        self.include = self.path("prefix", "include")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def file_named(self, name):
        """The only file of that name in the prefix."""
        found = [os.path.join(folder, name) for folder, _, files in os.walk(self.prefix) if name in files]
        expect(len(found) == 1, "expected one %s below %s, found %d" % (name, self.prefix, len(found)))
        return found[0]

    def includes(self):
        return ["-I" + self.include, "-I" + self.path("lib")]

    def link_line(self):
        """What follows the objects of a program, as the emitted headers say it."""
        libraries = [self.path("lib", "lib%s.a" % name) for name in LIBRARIES]
        return libraries + ["-L" + os.path.dirname(self.file_named("libnormc_runtime.a")), "-lnormc_runtime", "-lm", "-ldl"]


def install(out, build):
    shutil.rmtree(out.folder, ignore_errors=True)
    first = out.path("first")
    run("cmake", "--install", build, "--prefix", first)
    os.rename(first, out.prefix)
    for name, arguments in LIBRARIES.items():
        run(out.normc, "build", *arguments, "--name", name, "-o", out.path("lib"))


def tool(out):
    found = {row["what"]: row["found"] for row in json.loads(run(out.normc, "doctor", "--json"))}
    expect(found["runtime library"] == out.file_named("libnormc_runtime.a"), "doctor found another runtime library")
    expect(found["C headers"] == out.include, "doctor found other headers")
    os.environ["XDG_CACHE_HOME"] = out.path("cache")
    run(sys.executable, os.path.join(CASES, "run_cases.py"), "--only", "model/minilm_l5_output", out.normc)


def headers(out):
    for name in LIBRARIES:
        source = out.path("include_%s.c" % name)
        with open(source, "w", encoding="utf-8") as f:
            # Twice, and what it defines is used.
            f.write('#include "{0}.h"\n#include "{0}.h"\nsize_t size_of_{0}(void);\nsize_t size_of_{0}(void) {{ return sizeof({0}_args); }}\n'.format(name))
        for standard in ("c99", "c11", "c17"):
            run(CC, "-std=" + standard, "-Wall", "-Wextra", "-pedantic", "-Werror", *out.includes(), "-fsyntax-only", source)
        run(CXX, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", *out.includes(), "-fsyntax-only", source)


def documented():
    """The symbols that users may see: the entries of the libraries."""
    return {name + suffix for name in LIBRARIES for suffix in ("", "_kernel", "_workspace")}


def offered(out):
    """The functions that the runtime's headers offer."""
    names = set()
    for folder, _, files in os.walk(out.include):
        for file in files:
            with open(os.path.join(folder, file), encoding="utf-8") as f:
                names.update(re.findall(r"^NORMC_API [^()]*?(\w+)\(", f.read(), re.M))
    expect(len(names) > 5, "found hardly any NORMC_API function below " + out.include)
    return names


def symbols(*nm_arguments):
    # POSIX format: "name type …" for a symbol; lines with one word name a member of an archive.
    words = [line.split() for line in run("nm", "-P", *nm_arguments).splitlines()]
    return {line[0] for line in words if len(line) > 1}


def program(out):
    main = out.path("main.c")
    with open(main, "w", encoding="utf-8") as f:
        f.write("int three_libraries(void);\nint main(void) { return three_libraries(); }\n")
    binary = out.path("program")
    run(CC, *CFLAGS, "-std=c11", "-Wall", "-Wextra", "-Werror", *out.includes(), main, os.path.join(HERE, "three_libraries.c"), *out.link_line(), "-o", binary)
    run(binary)
    for name in LIBRARIES:
        archive = out.path("lib", "lib%s.a" % name)
        defined, undefined = symbols("-g", "--defined-only", archive), symbols("-u", archive)
        foreign = {symbol for symbol in defined if symbol not in documented() and not symbol.startswith(name + "__")}
        expect(not foreign, "%s defines %s" % (archive, sorted(foreign)))
        needed = undefined - defined
        expect(needed == {"normc_run_forward"}, "%s needs %s, expected normc_run_forward alone" % (archive, sorted(needed)))


def shared(out):
    library, loader = out.path("libthree.so"), out.path("loader")
    run(CC, *CFLAGS, "-std=c11", "-fPIC", "-shared", "-Wl,-z,defs" if "-fsanitize" not in " ".join(CFLAGS) else "-Wl,-z,now", *out.includes(),
        os.path.join(HERE, "three_libraries.c"), *out.link_line(), "-o", library)
    run(CC, *CFLAGS, "-std=c11", os.path.join(HERE, "loader.c"), "-ldl", "-o", loader)
    run(loader, library)
    run(loader, out.file_named("libHalide.so"), library)
    # Names with two leading underscores are those of compiler and sanitizers.
    visible = {symbol for symbol in symbols("-D", "--defined-only", library) if not symbol.startswith("__")}
    surplus = visible - documented() - offered(out) - {"three_libraries"}
    expect(not surplus, "%s shows %s" % (library, sorted(surplus)))
    absent = (documented() | {"three_libraries", "normc_run_forward"}) - visible
    expect(not absent, "%s does not show %s" % (library, sorted(absent)))


def main(argv):
    steps = {"install": install, "tool": tool, "headers": headers, "program": program, "shared": shared}
    if len(argv) < 2 or argv[0] not in steps or len(argv) != (3 if argv[0] == "install" else 2):
        sys.exit(__doc__.strip())
    steps[argv[0]](Out(argv[1]), *argv[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
