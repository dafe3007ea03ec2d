#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the forward part of the test cases through `normc run` and check what comes out.

usage: run_cases.py [options] NORMC [-- OPTION...]

Every case of INDEX.tsv is run and its outputs y, mean, rstd and sum are compared by
check_case.py; f64 cases are run by the reference. Every combination in
torch/rejected.json must be refused with exit status 2. OPTION... goes to each
`normc run` that builds a kernel, for example --hidden dynamic or --target x86-64-v3.
Exits 0 when all required cases pass, 1 when one does not, 2 for unusable arguments.

  --only TEXT      run the cases whose path contains TEXT
  --jobs N         cases at once (default: the number of CPUs)
  --keep DIR       keep the produced arrays in DIR/KIND/NAME
  --verbose        print the command and the checker's lines of every case
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FORWARD = ("y", "mean", "rstd", "sum")
DEFAULT_EPS = 1e-5  # of `normc run`
TIMEOUT = 300  # seconds for one case
SHOWN = 20  # cases whose output is shown where they fail; beyond that, paths only


def arguments_of(case, case_dir, out_dir):
    """The arguments of `normc run` for a case, and the roles that it writes."""
    args = [case["op"]]
    for role, entry in case["inputs"].items():
        if role != "dy":
            args += ["--input", "%s:%s=%s" % (role, entry["dtype"], os.path.join(case_dir, entry["file"]))]
    roles = [role for role in FORWARD if role in case["outputs"]]
    for role in roles:
        entry = case["outputs"][role]
        # mean and rstd have one type only, which `run` knows.
        dtype = ":" + entry["dtype"] if role in ("y", "sum") else ""
        args += ["--output", "%s%s=%s" % (role, dtype, os.path.join(out_dir, entry["file"]))]
    if case.get("epsilon_given", True) or case["epsilon"] != DEFAULT_EPS:
        args += ["--eps", repr(case["epsilon"])]
    if case.get("axis_given", False):
        args += ["--axis", str(case["axis"])]
    elif len(case["normalized_shape"]) > 1:
        args += ["--normalized-shape", ",".join(map(str, case["normalized_shape"]))]
    return args, roles


def execute(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, "no end after %d s\n" % TIMEOUT


def run_case(normc, path, extra, out_root):
    """Returns (passed, text)."""
    case_dir = os.path.join(HERE, path)
    with open(os.path.join(case_dir, "case.json"), encoding="utf-8") as f:
        case = json.load(f)
    out_dir = os.path.join(out_root, path)
    os.makedirs(out_dir, exist_ok=True)
    args, roles = arguments_of(case, case_dir, out_dir)
    command = [normc, "run"] + args + (["--backend", "reference"] if case["dtype"] == "f64" else extra)
    text = "$ " + shlex.join(command) + "\n"
    status, out = execute(command)
    text += out
    if status != 0:
        return False, text + "exit status %d\n" % status
    status, out = execute([sys.executable, os.path.join(HERE, "check_case.py"), "--only", ",".join(roles), case_dir, out_dir])
    return status == 0, text + out


def write_zeros(path, shape):
    dims = "(%s)" % "".join("%d," % d for d in shape)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % dims
    header += " " * (-(len(header) + 11) % 64) + "\n"
    count = 1
    for d in shape:
        count *= d
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1") + bytes(4 * count))


def run_rejected(normc, index, case, extra, out_root):
    """Returns (passed, text): the combination must be refused, with a message and without output."""
    out_dir = os.path.join(out_root, "rejected", str(index))
    os.makedirs(out_dir, exist_ok=True)
    x, y = os.path.join(out_dir, "x.npy"), os.path.join(out_dir, "y.npy")
    write_zeros(x, case["shape"])
    command = [normc, "run", case["op"], "--input", "x=" + x, "--output", "y=" + y,
               "--normalized-shape=" + ",".join(map(str, case["normalized_shape"]))] + extra
    if "weight_shape" in case:
        weight = os.path.join(out_dir, "weight.npy")
        write_zeros(weight, case["weight_shape"])
        command += ["--input", "weight=" + weight]
    status, out = execute(command)
    text = "$ " + shlex.join(command) + "\n" + out
    if status != 2:
        return False, text + "exit status %d, expected 2: %s\n" % (status, case["reason"])
    if "error:" not in out or os.path.exists(y):
        return False, text + "expected an error message and no output\n"
    return True, text


def index_rows():
    with open(os.path.join(HERE, "INDEX.tsv"), encoding="utf-8") as f:
        names = f.readline().rstrip("\n").split("\t")
        return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in f]


def main(argv):
    extra = []
    if "--" in argv:
        at = argv.index("--")
        argv, extra = argv[:at], argv[at + 1:]
    if "-h" in argv or "--help" in argv:
        print(__doc__.strip())
        return 0
    p = argparse.ArgumentParser(usage="run_cases.py [options] NORMC [-- OPTION...]", add_help=False)
    p.add_argument("normc")
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument("--keep")
    p.add_argument("--verbose", action="store_true")
    opt = p.parse_args(argv)
    if not os.access(opt.normc, os.X_OK) or opt.jobs < 1:
        print("run_cases.py: %s" % ("--jobs must be at least 1" if opt.jobs < 1 else "not an executable file: " + opt.normc), file=sys.stderr)
        return 2
    with open(os.path.join(HERE, "torch", "rejected.json"), encoding="utf-8") as f:
        rejected = json.load(f)["cases"]

    shown = 0
    counts = {"passed": 0, "failed": 0, "not required and not met": 0}
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(opt.jobs) as pool:
        out_root = opt.keep or temporary
        runs = [(row["path"], row["required"] == "yes", pool.submit(run_case, opt.normc, row["path"], extra, out_root))
                for row in index_rows() if opt.only in row["path"]]
        runs += [("torch/rejected.json[%d]" % i, True, pool.submit(run_rejected, opt.normc, i, case, extra, out_root))
                 for i, case in enumerate(rejected) if opt.only in "torch/rejected.json"]
        if not runs:
            print("run_cases.py: no case path contains '%s'" % opt.only, file=sys.stderr)
            return 2
        for path, required, future in runs:
            good, text = future.result()
            verdict = "passed" if good else "failed" if required else "not required and not met"
            counts[verdict] += 1
            if opt.verbose or not good:
                shown += 1
                print("%s: %s%s" % (verdict, path, "\n" + text if opt.verbose or shown <= SHOWN else ""))
    print("%d cases: %s" % (len(runs), ", ".join("%d %s" % (n, what) for what, n in counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
