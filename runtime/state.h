// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's only global state on a CPU: one atomic 64-bit word with what the process knows about its CPU and its limit.
#pragma once

#include <cstdint>
#include <normc/dispatch.h>

namespace normc::runtime {

/// A snapshot of the word.
///   bits 0-2 level that calls may use, 3-5 limit, 6-7 source of the limit, 8 NORMC_MAX_ISA holds no target, 9 ready, 10-12 detected level, 16-37 missing
///   features, 40-63 largest cache
/// All of it is in one word, so that relaxed loads are enough: no other memory is published with it.
class State {
public:
  constexpr explicit State(uint64_t word = 0) : word(word) {}
  State(uint32_t features, uint64_t cacheBytes, uint32_t limit, uint32_t source, bool badEnvironment);

  uint32_t detected() const { return field(10, 3); }
  uint32_t limit() const { return field(3, 3); }
  uint32_t limitSource() const { return field(6, 2); }
  bool badEnvironment() const { return field(8, 1) != 0; }
  bool ready() const { return field(9, 1) != 0; }
  /// The lower of detected level and limit; NORMC_ISA_ANY where no call can run: too low a CPU, NORMC_MAX_ISA holds no target, or the word is not ready.
  uint32_t usable() const { return field(0, 3); }
  /// Bits (1 << Feature) of psABI features up to x86-64-v4 that are not usable.
  uint32_t missingFeatures() const { return field(16, 22); }
  /// 0 where unknown; rounded down to 64 KiB.
  uint64_t cacheBytes() const { return (word >> 40) << 16; }
  uint64_t raw() const { return word; }

  /// The same with a limit that normc_set_max_isa sets.
  State withProcessLimit(uint32_t limit) const;

private:
  uint32_t field(unsigned shift, unsigned bits) const { return uint32_t(word >> shift) & ((uint32_t(1) << bits) - 1); }

  uint64_t word;
};

/// An atomic word with relaxed order. Not std::atomic, whose members become visible symbols of the archive in builds without inlining.
class AtomicWord {
public:
  uint64_t load() const { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
  void store(uint64_t next) { __atomic_store_n(&value, next, __ATOMIC_RELAXED); }
  /// Whether the word was `found` and now is `next`; else `found` becomes what it is.
  bool replace(uint64_t &found, uint64_t next) { return __atomic_compare_exchange_n(&value, &found, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); }

private:
  uint64_t value = 0;
};

extern AtomicWord stateWord __attribute__((visibility("hidden"))); // so that reading it takes no detour in shared objects

/// Reads CPU and environment and publishes the word; the first of several threads wins.
State initializeState();

/// The word, initialized at the first call.
inline State currentState() {
  State state(stateWord.load());
  return __builtin_expect(state.ready(), 1) ? state : initializeState();
}

/// The value of the environment variable, or NULL where it is not set or empty.
const char *maxIsaVariable();

/// Parses "x86-64-v2", "x86-64-v3", "x86-64-v4"; NORMC_ISA_ANY for any other text.
uint32_t parseIsa(const char *text);

/// The limit that holds for a call: the lower of the process's and the call's, NORMC_ISA_ANY where there is none.
struct Limit {
  uint32_t isa;
  uint32_t source; // normc_limit_source_t
};
Limit effectiveLimit(State state, const normc_exec_t *exec);

/// The level that a call may use: state.usable() within the call's limit.
inline uint32_t usableLevel(State state, const normc_exec_t *exec) {
  uint32_t call = exec != nullptr ? exec->max_isa : uint32_t(NORMC_ISA_ANY);
  return call != NORMC_ISA_ANY && call < state.usable() ? call : state.usable();
}

/// The widest variant with isa <= level; NULL where there is none. Does not rely on the order of the variants.
inline const normc_variant_t *selectVariant(const normc_kernel_t *kernel, uint32_t level) {
  const normc_variant_t *chosen = nullptr;
  uint32_t isa = 0;
  for (const normc_variant_t *variant = kernel->variants, *end = variant + kernel->variant_count; variant != end && isa != level; ++variant)
    if (variant->isa <= level && variant->isa > isa) {
      chosen = variant;
      isa = variant->isa;
    }
  return chosen;
}

/// Ends a call for which selectVariant found nothing: NORMC_STATUS_UNSUPPORTED_CPU, with what is needed in the message.
__attribute__((cold)) normc_status_t failDispatch(const normc_kernel_t *kernel, State state, const normc_exec_t *exec);

/// Ends a call where NORMC_MAX_ISA holds no target: NORMC_STATUS_INVALID_ARGUMENT.
__attribute__((cold)) normc_status_t failEnvironment(const normc_exec_t *exec);

/// Writes the verdict on every variant in words, cut at `size`.
void describeDispatch(const normc_kernel_t *kernel, State state, Limit limit, const normc_variant_t *chosen, char *text, size_t size);

} // namespace normc::runtime
