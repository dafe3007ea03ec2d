# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fat library on CPUs that this machine is not: each runs its widest usable variant and all give the same bits, in whatever order targets were named.

The CPUs are emulated by qemu-user, which stops a program at an instruction that the CPU does not have. Exit status 77: not run, for a reason that is printed.
"""
import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = {
    "layer_norm": ["layer_norm", "--hidden", "768", "--weight", "required", "--bias", "required"],
    "add_rms_norm": ["rms_norm", "--hidden", "dynamic", "--dtype", "bf16", "--weight", "required", "--residual", "--outputs", "y,sum"],
    "narrow_layer_norm": ["layer_norm", "--hidden", "100", "--dtype", "f16", "--weight", "off", "--bias", "off"],
}
ORDERS = ["x86-64-v4,x86-64-v3,x86-64-v2", "x86-64-v2,x86-64-v3,x86-64-v4", "x86-64-v3,x86-64-v2,x86-64-v4"]
# CPU models of qemu and the level that each has. Penryn has SSE4.1 but neither SSE4.2 nor POPCNT; IvyBridge has AVX and F16C but not AVX2.
# Skylake-Server would have AVX-512, which qemu cannot run and therefore does not announce.
MODELS = {"Penryn": "any", "Nehalem": "x86-64-v2", "IvyBridge": "x86-64-v2", "Haswell": "x86-64-v3", "Skylake-Server": "x86-64-v3"}
AVX = 'int main(void) { __asm__ volatile("vxorps %%ymm0, %%ymm0, %%ymm0" ::: "xmm0"); return 0; }\n'


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"$ {shlex.join(command)}\n{done.stdout}{done.stderr}exit status {done.returncode}")
    return done.stdout


class Checks:
    failures = 0

    def expect(self, holds, message):
        if not holds:
            self.failures += 1
            print("FAIL:", message)


def build(args, folder, targets):
    out = os.path.join(folder, targets)
    for name, what in LIBRARIES.items():
        run([args.normc, "build", *what, "--name", name, "--target", targets, "-o", out])
    program = os.path.join(out, "old_cpu")
    run([args.cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", out, "-I", args.include, os.path.join(HERE, "old_cpu.c"),
         *(os.path.join(out, f"lib{name}.a") for name in LIBRARIES), args.runtime, "-lm", "-ldl", "-o", program])
    return program


def lines_of(text, word):
    return [line.split(" ", 1)[1] for line in text.splitlines() if line.startswith(word + " ")]


def check_model(checks, qemu, program, model, level, expected_bits):
    done = subprocess.run([qemu, "-cpu", model, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    shown = f"on {model}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    checks.expect(lines_of(done.stdout, "detected") == [level], f"expected {level}, {shown}")
    if level == "any":
        refused = lines_of(done.stdout, "refused")
        checks.expect(done.returncode == 1 and len(refused) == len(LIBRARIES) and
                      all("NORMC_STATUS_UNSUPPORTED_CPU" in line and "below x86-64-v2" in line for line in refused), f"expected refusals, {shown}")
        return
    ran = [name + "__" + level.replace("-", "_") for name in LIBRARIES]
    checks.expect(done.returncode == 0 and lines_of(done.stdout, "ran") == ran, f"expected {', '.join(ran)}, {shown}")
    checks.expect(lines_of(done.stdout, "bits") == expected_bits, f"expected the bits of this machine, {expected_bits}, {shown}")
    print(f"{model}: {level}, {len(ran)} kernels, the bits of this machine")


def main():
    parser = argparse.ArgumentParser()
    for name in ("normc", "runtime", "include", "cc"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    qemu = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    if not qemu:
        print("skipped: qemu-x86_64 is not installed (package qemu-user)")
        sys.exit(77)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="normc-") as folder:
        source, avx = os.path.join(folder, "avx.c"), os.path.join(folder, "avx")
        with open(source, "w", encoding="utf-8") as file:
            file.write(AVX)
        run([args.cc, source, "-o", avx])
        stopped = subprocess.run([qemu, "-cpu", "Nehalem", avx], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).returncode
        checks.expect(stopped in (-signal.SIGILL, 128 + signal.SIGILL), f"an AVX instruction on Nehalem gave {stopped}: this emulator would let wrong variants pass")
        programs = {targets: build(args, folder, targets) for targets in ORDERS}
        native = {targets: run([program]) for targets, program in programs.items()}
        bits = lines_of(native[ORDERS[0]], "bits")
        checks.expect(len(bits) == len(LIBRARIES), f"the program does not print bits: {native[ORDERS[0]]}")
        for targets, text in native.items():
            checks.expect(text == native[ORDERS[0]], f"targets {targets} here: {text}\nand {ORDERS[0]}: {native[ORDERS[0]]}")
        for model, level in MODELS.items():
            check_model(checks, qemu, programs[ORDERS[0]], model, level, bits)
        for targets in ORDERS[1:]:
            check_model(checks, qemu, programs[targets], "Nehalem", "x86-64-v2", bits)
    sys.exit(1 if checks.failures else 0)


if __name__ == "__main__":
    main()
