// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the measured worst errors of docs/numerics.md: normc_numerics_measure [ELEMENTS [SEED]], ELEMENTS per cell (default 2^21) as rows of the given width.
#include "test/numerics/rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace normc;
using namespace normc::numerics;

int main(int argc, char **argv) {
  const int64_t elements = argc > 1 ? std::atoll(argv[1]) : int64_t{1} << 21;
  const uint32_t seed = argc > 2 ? static_cast<uint32_t>(std::atoll(argv[2])) : 1;
  if (elements <= 0) {
    std::fprintf(stderr, "usage: normc_numerics_measure [ELEMENTS [SEED]]; ELEMENTS is a positive number\n");
    return 2;
  }
  std::printf("worst errors, float32 without parameters; y in 2^-24 max(1, |y|), rstd in 2^-24 rstd, mean in 2^-24 max(|mean|, deviation); in parentheses error / bound\n");
  std::printf("%lld elements a cell, seed %u\n\n", static_cast<long long>(elements), seed);
  std::printf("| op | rows | hidden | y | rstd | mean |\n| --- | --- | --- | --- | --- | --- |\n");
  for (Op op : {Op::LayerNorm, Op::RMSNorm})
    for (const RowKind &kind : rowKinds())
      for (int64_t hidden : {64, 768, 4096, 65536}) {
        const KernelSpec spec{.op = op, .hidden = hidden, .weight = Presence::Off, .bias = Presence::Off, .mean = op == Op::LayerNorm};
        Accuracy worst;
        // In portions, so that memory stays small.
        for (int64_t done = 0; done < elements; done += int64_t{1} << 20)
          worst.merge(measure(spec, kind, std::max<int64_t>(1, (int64_t{1} << 20) / hidden), seed + static_cast<uint32_t>(done >> 20)));
        std::printf("| %s | %s | %lld | %.2f (%.2f) | %.2f (%.2f) | ", std::string(opName(op)).c_str(), kind.name.c_str(), static_cast<long long>(hidden),
                    worst.y.error, worst.y.ofBound, worst.rstd.error, worst.rstd.ofBound);
        if (op == Op::LayerNorm)
          std::printf("%.2f (%.2f) |\n", worst.mean.error, worst.mean.ofBound);
        else
          std::printf("- |\n");
        std::fflush(stdout);
        if (!worst.firstExcess.empty()) {
          std::fprintf(stderr, "beyond the bound: %s\n", worst.firstExcess.c_str());
          return 1;
        }
      }
}
