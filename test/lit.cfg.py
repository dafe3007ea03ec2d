# How lit runs the tests of this folder: every *.test file outside the excluded folders. Tests say what they need by
#   REQUIRES: x86-64-v4        this machine runs code for that target
#   REQUIRES: halide           normc was built with the Halide back end
# and use the substitutions %normc, %cc, %cxx, %python, %include, %runtime, %isas and LLVM's FileCheck, not and split-file.
import os
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from targets import required, runnable

config.name = "normc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["cases", "integration", "numerics", "unit"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.normc_binary_dir, "test", "lit")

targets = runnable()
config.available_features.update(targets)
if config.normc_enable_halide:
    config.available_features.add("halide")
lacking = [target for target in required() if target not in targets]
if lacking:
    lit_config.fatal("NORMC_REQUIRE_TARGETS: this machine cannot run " + ", ".join(lacking))

config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, os.environ.get("PATH", "")])
# Tests must neither see nor fill the cache of whoever runs them.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.normc_binary_dir, "test", "cache")
# A limit that whoever runs the tests has set would have narrower variants stand in for the wider ones.
config.environment.pop("NORMC_MAX_ISA", None)
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
