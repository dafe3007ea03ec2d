// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Do two arrays of rows share a byte? Heads of one packed tensor have ranges that meet although no element is shared.

#include "runtime/forward_call.h"

namespace normc::runtime {
namespace {

int64_t floorDivide(int64_t dividend, int64_t divisor) {
  int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

/// Whether some p in -(count - 1) .. count - 1 gives -secondBytes < offset + p * stride < firstBytes. stride 0 stands for count 1.
bool meetsAt(int64_t offset, int64_t stride, int64_t count, int64_t firstBytes, int64_t secondBytes) {
  int64_t p = 0;
  if (stride != 0) {
    p = floorDivide(-secondBytes - offset, stride) + 1; // the smallest p that satisfies the left side
    if (p < -(count - 1))
      p = -(count - 1);
    if (p > count - 1)
      return false;
  }
  int64_t place = offset + p * stride;
  return -secondBytes < place && place < firstBytes;
}

} // namespace

bool rowsOverlap(const RowArray &first, const RowArray &second, int64_t innerRows, int64_t blocks) {
  if (first.end <= second.begin || second.end <= first.begin)
    return false;
  int64_t stride = first.stride * first.elementBytes, outer = first.outer * first.elementBytes;
  if (stride != second.stride * second.elementBytes || outer != second.outer * second.elementBytes)
    return true;
  // Rows lie at i * stride + j * outer. Only differences of indices count: second row minus first row = offset + p * short + q * longer.
  int64_t firstBytes = first.rowBytes, secondBytes = second.rowBytes;
  int64_t longer = outer, longerCount = blocks, shorter = stride, shorterCount = innerRows;
  if (outer < stride) {
    longer = stride, longerCount = innerRows;
    shorter = outer, shorterCount = blocks;
  }
  int64_t offset = int64_t(second.begin - first.begin);
  if (longer == 0)
    return meetsAt(offset, 0, 1, firstBytes, secondBytes);
  // All that q leaves lies within (-longer, longer), since neither array overlaps itself: so only the two nearest multiples can bring the rows together.
  int64_t nearest = floorDivide(-offset, longer);
  for (int64_t q = nearest; q <= nearest + 1; ++q)
    if (q > -longerCount && q < longerCount && meetsAt(offset + q * longer, shorter, shorterCount, firstBytes, secondBytes))
      return true;
  return false;
}

} // namespace normc::runtime
