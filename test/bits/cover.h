// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combinations of a kernel's options: all of them, and few that hold every pair.
#pragma once

#include "compiler/spec/kernel_spec.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace normc::bits {

/// One value, by its number, for each of several factors.
using Choice = std::vector<int>;

/// All choices that `isLegal` accepts; factor i has `sizes[i]` values.
std::vector<Choice> legalChoices(const std::vector<int> &sizes, const std::function<bool(const Choice &)> &isLegal);

/// Some of `choices` that contain every pair of values that any of them contains. Greedy; the same for the same seed.
std::vector<Choice> pairwiseCover(const std::vector<Choice> &choices, uint32_t seed);

/// How many of the factors' pairs of values occur in some choice.
size_t countPairs(const std::vector<Choice> &choices);

/// Every kernel that differs in op, types, residual, parameters, outputs, weight offset or width (one for each way to fold a row, and dynamic).
const std::vector<Choice> &allKernels();
KernelSpec specOf(const Choice &choice);

/// Seed of the cover: NORMC_BITS_SEED, or 1.
uint32_t coverSeed();
/// The kernels that tests of combinations build: all where NORMC_BITS_FULL is 1, else a pairwise cover from coverSeed().
std::vector<KernelSpec> coverSpecs();

} // namespace normc::bits
