#!/usr/bin/env python3
# Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench_json.py FILE KERNEL ROWS HIDDEN THREADS BYTES: what `normc bench --json` printed holds together."""
import json
import math
import sys

path, kernel, rows, hidden, threads, size = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    results = json.load(f)
variants = [result["variant"] for result in results]
assert len(variants) >= 3 and variants[-2:] == ["memcpy", "memcpy again"] and all(v.startswith("x86-64-v") for v in variants[:-2]), variants
for result in results:
    assert result["kernel"] == kernel and [result[key] for key in ("rows", "hidden", "threads", "bytes")] == [int(rows), int(hidden), int(threads), int(size)], result
    assert result["seconds"] > 0 and math.isfinite(result["time_over_memcpy"]) and result["time_over_memcpy"] > 0, result
    assert result["samples"] >= 7 and result["spread"] >= 0 and result["gigabytes_per_second"] > 0, result
    assert math.isclose(result["time_over_memcpy"], result["seconds"] / results[-2]["seconds"], abs_tol=1e-3), result
