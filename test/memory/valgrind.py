# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted kernels under valgrind: no byte outside an array is touched, no result depends on a byte that is not initialized, nothing is allocated.

Valgrind has no AVX-512, so it sees the variants for x86-64-v2 and x86-64-v3. Their results must have the bits that x86-64-v2 gives without valgrind.
Exit status 77: not run, for a reason that is printed.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = "1,5,16,31,64,100,512,768,1000,1023,4099"
# Every role, element type and pair of types between them.
LIBRARIES = [
    ["layer_norm", "--hidden", WIDTHS, "--dtype", "f32"],
    ["layer_norm", "--hidden", WIDTHS, "--dtype", "bf16", "--param-dtype", "f32", "--weight", "required", "--bias", "required", "--residual",
     "--outputs", "y,sum,mean,rstd"],
    ["rms_norm", "--hidden", WIDTHS, "--dtype", "f16", "--weight", "required", "--residual", "--outputs", "y,sum,rstd"],
    ["layer_norm", "--hidden", "dynamic", "--dtype", "f16", "--weight", "required", "--bias", "required"],
    ["rms_norm", "--hidden", "dynamic", "--dtype", "f32,bf16", "--weight", "required", "--outputs", "y,rstd"],
    ["layer_norm", "--hidden", "dynamic", "--dtype", "bf16", "--y-dtype", "f32", "--weight", "off", "--bias", "off", "--residual", "--outputs", "y,sum"],
]
TARGETS = ["x86-64-v2", "x86-64-v3"]


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"$ {shlex.join(command)}\n{done.stdout[-4000:]}{done.stderr[-8000:]}exit status {done.returncode}")
    return done


def build(args, folder):
    names, archives = [], []
    for number, what in enumerate(LIBRARIES):
        out = os.path.join(folder, str(number))
        written = json.loads(run([args.normc, "build", *what, "--name", f"library{number}", "--target", ",".join(TARGETS), "-o", out, "--json"]).stdout)
        assert written, "normc build wrote nothing"
        with open(os.path.join(out, f"library{number}.json"), encoding="utf-8") as manifest:
            names += [kernel["name"] for kernel in json.load(manifest)["kernels"]]
        archives.append(os.path.join(out, f"liblibrary{number}.a"))
    source = os.path.join(folder, "kernels.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <normc/abi.h>\n" + "".join(f"extern const normc_kernel_t {name}_kernel;\n" for name in names))
        file.write("const normc_kernel_t *const kernels[] = {" + ", ".join(f"&{name}_kernel" for name in names) + "};\n")
        file.write(f"const int kernel_count = {len(names)};\n")
    program = os.path.join(folder, "every_kernel")
    run([args.cc, "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", args.include, os.path.join(HERE, "every_kernel.c"), source, *archives,
         args.runtime, "-lm", "-ldl", "-o", program])
    print(f"{len(names)} kernels")
    return program


def bits_of(output):
    """What every_kernel printed: the bits by call."""
    return dict(line.rsplit(": ", 1) for line in output.splitlines())


def main():
    parser = argparse.ArgumentParser()
    for name in ("normc", "runtime", "include", "cc"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    valgrind = shutil.which("valgrind")
    if not valgrind:
        print("skipped: valgrind is not installed (package valgrind)")
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="normc-") as folder:
        program = build(args, folder)
        plain = bits_of(run([program, "2"]).stdout)
        if len(plain) < 500 or not any("streaming 1" in call for call in plain):
            sys.exit(f"only {len(plain)} calls, or none of them streams: the program does not do its work")
        for isa, target in enumerate(TARGETS, start=2):
            # Red zones wider than any vector or unrolled step, so that whatever misses an array hits one.
            command = [valgrind, "--quiet", "--error-exitcode=9", "--redzone-size=4096", "--leak-check=full", "--errors-for-leak-kinds=all", program, str(isa)]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            got = bits_of(done.stdout)
            # Wider targets have streaming bodies for fewer widths.
            different = [call for call in plain if got.get(call, plain[call] if "streaming 1" in call else "no result") != plain[call]]
            streams = sum("streaming 1" in call for call in got)
            if done.returncode == 0 and not done.stderr and not different and streams:
                print(f"{target}: {len(got)} calls, {streams} of streaming bodies: no error, the bits of x86-64-v2 without valgrind")
                continue
            failures += 1
            print(f"FAIL: {target}: exit status {done.returncode}, {len(got)} calls, {streams} of streaming bodies, {len(different)} with other bits\n{done.stderr[:8000]}")
            for call in different[:5]:
                print(f"  {call}: expected {plain[call]}, got {got.get(call, 'no result')}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
