# How lit runs the tests of this folder: every *.test file outside the excluded folders. Tests say what they need by
#   REQUIRES: x86-64-v4        this machine runs code for that target
#   REQUIRES: halide           normc was built with the Halide back end
# and use the substitutions %normc, %cc, %cxx, %python, %include, %runtime, %isas and LLVM's FileCheck, not and split-file.
import os

import lit.formats

config.name = "normc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["cases", "integration", "numerics", "unit"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.normc_binary_dir, "test", "lit")

# What a machine must have to run code for a target: the flags of /proc/cpuinfo.
ISA_FLAGS = {
    "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
}


def runnable_targets():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
        flags = next((set(line.split(":", 1)[1].split()) for line in cpuinfo if line.startswith("flags")), set())
    runnable = []
    for target, needed in ISA_FLAGS.items():
        if not flags.issuperset(needed.split()):
            break
        runnable.append(target)
    return runnable


targets = runnable_targets()
config.available_features.update(targets)
if config.normc_enable_halide:
    config.available_features.add("halide")
required = [target for target in os.environ.get("NORMC_REQUIRE_TARGETS", "").split(",") if target]
lacking = [target for target in required if target not in targets]
if lacking:
    lit_config.fatal("NORMC_REQUIRE_TARGETS: this machine cannot run " + ", ".join(lacking))

config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, os.environ.get("PATH", "")])
# Tests must neither see nor fill the cache of whoever runs them.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.normc_binary_dir, "test", "cache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%normc", os.path.join(config.normc_binary_dir, "tools", "normc", "normc")),
    ("%cc", " ".join([config.c_compiler, config.normc_sanitizer_flags]).strip()),
    ("%cxx", " ".join([config.cxx_compiler, config.normc_sanitizer_flags]).strip()),
    ("%python", config.python),
    ("%include", os.path.join(config.normc_source_dir, "include")),
    ("%runtime", os.path.join(config.normc_lib_dir, "libnormc_runtime.a")),
    ("%isas", ",".join(targets)),
]
