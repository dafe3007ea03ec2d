// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of forward_call.cpp for small contiguous calls, in as few instructions as possible: a body needs less time for a short row than the full checks.
// What is not certain to be good goes there, and they alone refuse and have messages.
#pragma once

#include "runtime/forward_call.h"
#include "runtime/policy.h"

namespace normc::runtime {

/// Bytes that the arrays of a call take.
struct QuickSizes {
  uintptr_t x; // residual and sum too
  uintptr_t y;
  uintptr_t param; // weight and bias each
};

/// How much a call may say, so that less is checked where it says less.
enum class QuickKind {
  Plain, ///< without exec, strides, inner_rows, residual, sum, mean or rstd
  Any    ///< all of it
};

/// Bytes of an element by normc_dtype_t. What is no type counts so much that no call with it is small.
inline constexpr uint32_t quickElementBytes[4] = {2 * lowestStreamingThreshold, 4, 2, 2};
static_assert(NORMC_DTYPE_NONE == 0 && NORMC_DTYPE_F32 == 1 && NORMC_DTYPE_F16 == 2 && NORMC_DTYPE_BF16 == 3);

/// An address with one of these bits is left to the full checks: no element needs more than 4 bytes of alignment, and from the lower half of the address space
/// a few MiB never reach its end.
constexpr uintptr_t suspiciousAddressBits = uintptr_t(3) | (uintptr_t(1) << 63);

inline uintptr_t addressOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// A value that is not kept in a register from an earlier use: what few calls need again must not cost all of them one.
inline uint32_t readAgain(const uint32_t &value) { return *static_cast<const volatile uint32_t *>(&value); }

/// Whether two ranges of bytes meet. An absent array counts as one at 0, which meets nothing that a process owns.
inline bool rangesMeet(uintptr_t first, uintptr_t firstBytes, uintptr_t second, uintptr_t secondBytes) {
  return first < second + secondBytes && second < first + firstBytes;
}

/// The part of quickRoles for strides: whether x and y are contiguous.
bool stridesAreContiguous(const normc_forward_args_t &args, int64_t hidden);

/// The part of quickRoles for residual, sum, mean and rstd: their bits, added to `given`; 0 where something is not certain.
uint32_t addOptionalRoles(const normc_kernel_t &kernel, const normc_forward_args_t &args, const QuickSizes &sizes, int64_t hidden, uint32_t given);

/// The width of a call: of what kernel and call say one is 0, or both are equal.
inline int64_t quickWidth(const normc_kernel_t &kernel, const normc_forward_args_t &args) { return kernel.hidden | args.hidden; }

/// The NORMC_ROLE_* that are given, where the call has no fault, the rows of each array follow each other without gaps, and it is too small for
/// threads, cuts and streaming. 0 where any of that is not certain, which says nothing about the call. `exec` has been checked.
template <QuickKind Kind>
__attribute__((always_inline)) inline uint32_t quickRoles(const normc_kernel_t &kernel, const normc_forward_args_t &args, const normc_exec_t *exec) {
  constexpr bool plain = Kind == QuickKind::Plain;
  if (args.struct_size != sizeof(normc_forward_args_t)) // before anything behind it: a smaller struct of another version ends earlier
    return 0;
  if (plain && (uint64_t(args.inner_rows | args.x_stride | args.x_outer_stride | args.y_stride | args.y_outer_stride) | addressOf(args.residual) |
                addressOf(args.sum) | addressOf(args.mean) | addressOf(args.rstd)) != 0)
    return 0;
  if (kernel.struct_size != sizeof(normc_kernel_t) || kernel.abi_version != NORMC_ABI_VERSION || args.flags != 0 || args.reserved != 0 ||
      kernel.variant_count - 1 >= NORMC_VARIANT_MAX || kernel.variants == nullptr)
    return 0;
  const int64_t hidden = quickWidth(kernel, args);
  if (args.hidden != 0 && kernel.hidden != 0 && args.hidden != kernel.hidden)
    return 0;
  if (((uint64_t(hidden) - 1) | (uint64_t(args.rows) - 1)) >= uint64_t(maxHidden)) // 0 and negative numbers too; products of others do not overflow
    return 0;
  if (!plain && !stridesAreContiguous(args, hidden))
    return 0;

  const uint64_t elements = uint64_t(args.rows * hidden);
  if ((kernel.x_dtype | kernel.y_dtype | kernel.param_dtype) > 3)
    return 0;
  const QuickSizes sizes = {elements * quickElementBytes[kernel.x_dtype], elements * quickElementBytes[kernel.y_dtype],
                            uint64_t(hidden) * quickElementBytes[kernel.param_dtype]};
  // residual and sum may take twice as much again as x.
  const uint64_t limit = plain ? lowestStreamingThreshold : exec != nullptr && exec->parallel_for != nullptr ? minTaskBytes / 2 : lowestStreamingThreshold / 4;
  if (sizes.x + sizes.y + sizes.param > limit)
    return 0;

  const uintptr_t x = addressOf(args.x), y = addressOf(args.y);
  if (x == 0 || y == 0 || (rangesMeet(y, sizes.y, x, sizes.x) && (y != x || readAgain(kernel.x_dtype) != readAgain(kernel.y_dtype))))
    return 0;
  uintptr_t bits = x | y;
  uint32_t given = NORMC_ROLE_X | NORMC_ROLE_Y;
  if (const uintptr_t weight = addressOf(args.weight); weight != 0) {
    if (rangesMeet(y, sizes.y, weight, sizes.param))
      return 0;
    bits |= weight;
    given |= NORMC_ROLE_WEIGHT;
  }
  if (const uintptr_t bias = addressOf(args.bias); bias != 0) {
    if (rangesMeet(y, sizes.y, bias, sizes.param))
      return 0;
    bits |= bias;
    given |= NORMC_ROLE_BIAS;
  }
  if ((bits & suspiciousAddressBits) != 0)
    return 0;
  if (!plain)
    given = addOptionalRoles(kernel, args, sizes, hidden, given);
  return (kernel.required | given) == (kernel.accepts & given) ? given : 0;
}

} // namespace normc::runtime
