// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/cover.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <string_view>
#include <tuple>

namespace normc::bits {
namespace {

constexpr std::array kDTypes = {DType::F32, DType::F16, DType::BF16};
constexpr std::array kPresences = {Presence::Optional, Presence::Required, Presence::Off};
/// Narrow; a lone column in the tail; one full segment; a partial one; many full ones; any width.
constexpr std::array<int64_t, 6> kWidths = {40, 129, 512, 1000, 5632, 0};

enum Factor : size_t {
  OpFactor,
  DTypeFactor,
  ParamFactor,
  YFactor,
  ResidualFactor,
  SumFactor,
  WeightFactor,
  BiasFactor,
  MeanFactor,
  RstdFactor,
  OffsetFactor,
  WidthFactor
};
const std::vector<int> kSizes = {2, 3, 2, 3, 3, 2, 3, 3, 2, 2, 2, 6};

bool isLegal(const Choice &choice) {
  if (kDTypes[choice[DTypeFactor]] == DType::F32 && choice[ParamFactor] != 0)
    return false; // parameters of x's type and f32 ones are the same there
  try {
    verify(specOf(choice));
  } catch (const Error &) {
    return false;
  }
  return true;
}

using Pair = std::tuple<size_t, int, size_t, int>;

std::vector<Pair> pairsOf(const Choice &choice) {
  std::vector<Pair> pairs;
  for (size_t a = 0; a < choice.size(); ++a)
    for (size_t b = a + 1; b < choice.size(); ++b)
      pairs.emplace_back(a, choice[a], b, choice[b]);
  return pairs;
}

std::set<Pair> allPairs(const std::vector<Choice> &choices) {
  std::set<Pair> pairs;
  for (const Choice &choice : choices)
    for (const Pair &pair : pairsOf(choice))
      pairs.insert(pair);
  return pairs;
}

/// Candidates looked at for each place in the cover: more make it shorter and slower to find.
constexpr int kCandidates = 300;

} // namespace

std::vector<Choice> legalChoices(const std::vector<int> &sizes, const std::function<bool(const Choice &)> &isLegal) {
  std::vector<Choice> choices;
  Choice choice(sizes.size(), 0);
  for (size_t factor = 0; factor < sizes.size();) {
    if (isLegal(choice))
      choices.push_back(choice);
    for (factor = 0; factor < sizes.size() && ++choice[factor] == sizes[factor]; ++factor)
      choice[factor] = 0;
  }
  return choices;
}

std::vector<Choice> pairwiseCover(const std::vector<Choice> &choices, uint32_t seed) {
  std::mt19937 engine(seed);
  std::set<Pair> open = allPairs(choices);
  std::vector<Choice> cover;
  while (!open.empty()) {
    // One candidate at least holds a pair that is still open; the others are drawn.
    const Pair wanted = *open.begin();
    const Choice *best = nullptr;
    size_t bestCount = 0;
    auto consider = [&](const Choice &candidate) {
      const std::vector<Pair> pairs = pairsOf(candidate);
      const size_t count = static_cast<size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const Pair &pair) { return open.count(pair); }));
      if (count > bestCount) {
        best = &candidate;
        bestCount = count;
      }
    };
    const auto &[a, valueA, b, valueB] = wanted;
    int considered = 0;
    for (size_t i = 0, start = engine() % choices.size(); i < choices.size() && considered < kCandidates; ++i) {
      const Choice &candidate = choices[(start + i * 7919) % choices.size()];
      if (candidate[a] == valueA && candidate[b] == valueB) {
        consider(candidate);
        ++considered;
      }
    }
    for (const Pair &pair : pairsOf(*best))
      open.erase(pair);
    cover.push_back(*best);
  }
  return cover;
}

size_t countPairs(const std::vector<Choice> &choices) { return allPairs(choices).size(); }

KernelSpec specOf(const Choice &choice) {
  KernelSpec spec;
  spec.op = choice[OpFactor] == 0 ? Op::LayerNorm : Op::RMSNorm;
  spec.dtype = kDTypes[choice[DTypeFactor]];
  spec.paramDtype = choice[ParamFactor] == 0 ? spec.dtype : DType::F32;
  spec.yDtype = kDTypes[choice[YFactor]];
  spec.residual = choice[ResidualFactor] != 0;
  spec.residualRounding = choice[ResidualFactor] == 2 ? ResidualRounding::Storage : ResidualRounding::Accum;
  spec.sum = choice[SumFactor] != 0;
  spec.weight = kPresences[choice[WeightFactor]];
  spec.bias = kPresences[choice[BiasFactor]];
  spec.mean = choice[MeanFactor] != 0;
  spec.rstd = choice[RstdFactor] != 0;
  spec.weightOffset = choice[OffsetFactor];
  spec.hidden = kWidths[choice[WidthFactor]];
  return spec;
}

const std::vector<Choice> &allKernels() {
  static const std::vector<Choice> all = legalChoices(kSizes, isLegal);
  return all;
}

uint32_t coverSeed() {
  const char *seed = std::getenv("NORMC_BITS_SEED");
  return seed && *seed ? static_cast<uint32_t>(std::strtoul(seed, nullptr, 10)) : 1;
}

std::vector<KernelSpec> coverSpecs() {
  const char *full = std::getenv("NORMC_BITS_FULL");
  std::vector<KernelSpec> specs;
  for (const Choice &choice : full && std::string_view(full) == "1" ? allKernels() : pairwiseCover(allKernels(), coverSeed()))
    specs.push_back(specOf(choice));
  return specs;
}

} // namespace normc::bits
