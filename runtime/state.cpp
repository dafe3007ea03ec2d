// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/state.h"

#include "runtime/cpu.h"

#include <cstdlib>
#include <cstring>

namespace normc::runtime {

AtomicWord stateWord;

static_assert(FeatureCount <= 22, "the word has 22 bits for missing features");

namespace {

/// The lower of a detected level and a limit, which may be NORMC_ISA_ANY.
uint32_t lower(uint32_t detected, uint32_t limit) { return limit != NORMC_ISA_ANY && limit < detected ? limit : detected; }

} // namespace

State::State(uint32_t features, uint64_t cacheBytes, uint32_t limit, uint32_t source, bool badEnvironment) {
  constexpr uint64_t cacheUnits = (uint64_t(1) << 24) - 1;
  uint64_t units = cacheBytes >> 16;
  uint64_t missing = ~features & ((uint32_t(1) << FeatureCount) - 1);
  uint32_t detected = highestLevel(features);
  word = uint64_t(badEnvironment ? uint32_t(NORMC_ISA_ANY) : lower(detected, limit)) | (uint64_t(limit) << 3) | (uint64_t(source) << 6) |
         (uint64_t(badEnvironment) << 8) | (uint64_t(1) << 9) | (uint64_t(detected) << 10) | (missing << 16) |
         ((units < cacheUnits ? units : cacheUnits) << 40);
}

State State::withProcessLimit(uint32_t limit) const {
  constexpr uint64_t replaced = 0x1FF; // limit, source, badEnvironment and usable: the variable no longer counts
  return State((word & ~replaced) | uint64_t(lower(detected(), limit)) | (uint64_t(limit) << 3) |
               (uint64_t(limit == NORMC_ISA_ANY ? NORMC_LIMIT_NONE : NORMC_LIMIT_PROCESS) << 6));
}

const char *maxIsaVariable() {
  const char *value = std::getenv("NORMC_MAX_ISA");
  return value != nullptr && *value != 0 ? value : nullptr;
}

uint32_t parseIsa(const char *text) {
  for (uint32_t isa = NORMC_ISA_X86_64_V2; isa <= NORMC_ISA_X86_64_V4; ++isa)
    if (std::strcmp(text, normc_isa_name(normc_isa_t(isa))) == 0)
      return isa;
  return NORMC_ISA_ANY;
}

State initializeState() {
  CpuSource cpu = thisCpu();
  const char *variable = maxIsaVariable();
  uint32_t limit = variable != nullptr ? parseIsa(variable) : uint32_t(NORMC_ISA_ANY);
  bool bad = variable != nullptr && limit == NORMC_ISA_ANY;
  State state(detectFeatures(cpu), largestCacheBytes(cpu), limit, limit != NORMC_ISA_ANY ? NORMC_LIMIT_ENVIRONMENT : NORMC_LIMIT_NONE, bad);
  uint64_t found = 0;
  if (!stateWord.replace(found, state.raw()))
    return State(found); // another thread was first, and normc_set_max_isa may already have changed it
  return state;
}

Limit effectiveLimit(State state, const normc_exec_t *exec) {
  Limit limit = {state.limit(), state.limitSource()};
  uint32_t call = exec != nullptr ? exec->max_isa : uint32_t(NORMC_ISA_ANY);
  if (call != NORMC_ISA_ANY && (limit.isa == NORMC_ISA_ANY || call < limit.isa))
    limit = {call, NORMC_LIMIT_CALL};
  return limit;
}

} // namespace normc::runtime
