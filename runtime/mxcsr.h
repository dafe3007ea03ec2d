// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels run with the default floating-point state, whatever the caller has set.
#pragma once

#include <cstdint>
#include <xmmintrin.h>

namespace normc::runtime {

/// All exceptions masked, nearest even, no flush to zero, denormals kept.
constexpr uint32_t defaultMxcsr = 0x1F80;

/// Bits 0-5 tell which exceptions have occurred; they change nothing in what instructions compute.
constexpr uint32_t mxcsrFlags = 0x3F;

/// Whether the default MXCSR is set, but for flags.
inline bool mxcsrIsDefault() { return (_mm_getcsr() & ~mxcsrFlags) == defaultMxcsr; }

/// Gives its scope the default MXCSR where it differs in more than flags, and then restores the caller's exactly, flags included. Where it does not differ
/// nothing is written, since that would cost more than the checks of a small call.
class DefaultMxcsr {
public:
  DefaultMxcsr() : saved(_mm_getcsr()) {
    if (differs())
      _mm_setcsr(defaultMxcsr);
  }
  ~DefaultMxcsr() {
    if (differs())
      _mm_setcsr(saved);
  }
  DefaultMxcsr(const DefaultMxcsr &) = delete;
  DefaultMxcsr &operator=(const DefaultMxcsr &) = delete;

private:
  bool differs() const { return (saved & ~mxcsrFlags) != defaultMxcsr; }

  uint32_t saved;
};

} // namespace normc::runtime
