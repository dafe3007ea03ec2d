// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/sampled_calls.h"

#include "compiler/library/library.h"
#include "test/bits/hostile_rows.h"

#include <array>
#include <random>

namespace normc::bits {
namespace {

/// Rows of y and sum that are multiples of what the streaming body relies on.
bool mayStream(const normc_variant_t &variant, const Problem &problem) {
  const int64_t alignment = variant.stream_alignment;
  return alignment != 0 && problem.hidden * dtypeBytes(problem.spec.yDtype) % alignment == 0 &&
         (!problem.spec.sum || problem.hidden * dtypeBytes(problem.spec.dtype) % alignment == 0);
}

} // namespace

std::vector<Call> sampleCalls(const Product &product, size_t index, const Problem &problem, Target target, int count, uint32_t seed) {
  std::mt19937 engine(seed);
  auto below = [&](int64_t bound) { return static_cast<int64_t>(engine() % static_cast<uint32_t>(bound)); };
  const std::vector<Sharing> sharings = legalSharings(problem.spec);
  std::vector<Call> calls = {{.target = target}};
  for (int i = 0; i < count; ++i) {
    Call call{.target = target};
    call.firstRow = below(problem.rows);
    call.rows = 1 + below(problem.rows - call.firstRow);
    call.sharing = sharings[static_cast<size_t>(below(static_cast<int64_t>(sharings.size())))];
    call.gap = below(3) * below(8);
    call.innerRows = below(2) * (1 + below(call.rows));
    call.outerGap = below(2) * below(8);
    call.interleaved = call.innerRows > 1 && below(2);
    call.misalignment = below(4);
    call.edge = std::array{Edge::Margin, Edge::PageBefore, Edge::PageAfter}[static_cast<size_t>(below(3))];
    call.mean = below(4) != 0;
    call.rstd = below(4) != 0;
    call.threads = static_cast<int>(below(4));
    calls.push_back(call);
  }
  if (mayStream(product.variant(index, target), problem))
    calls.push_back({.target = target, .streaming = true});
  return calls;
}

void checkKernel(const Product &product, size_t index, const std::vector<int64_t> &dynamicWidths, int calls, uint32_t seed) {
  const KernelSpec &spec = product.specs()[index];
  for (int64_t hidden : spec.dynamic() ? dynamicWidths : std::vector<int64_t>{spec.hidden})
    for (unsigned affine : affineCombinations(spec)) {
      ++seed;
      Problem problem = makeProblem(spec, affine, 2 * hostileKinds(), hidden, seed, seed % 4 ? 1e-5f : seed % 8 ? 0.0f : -0.5f);
      for (Target target : runnableTargets())
        for (const Call &call : sampleCalls(product, index, problem, target, calls, seed))
          ASSERT_TRUE(givesReferenceBits(product, index, problem, call));
    }
}

} // namespace normc::bits
