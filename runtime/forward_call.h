// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One forward call after its arguments have been checked.
#pragma once

#include <cstdint>
#include <normc/abi.h>
#include <normc/exec.h>

namespace normc::runtime {

/// Largest hidden, so that float32 counts it exactly and the order of additions covers it.
constexpr int64_t maxHidden = int64_t(1) << 24;

/// Bodies index elements of a slice with 31 bits: (rows - 1) * stride + hidden stays below this.
constexpr int64_t maxSliceElements = int64_t(1) << 31;

/// Bytes of an element of a normc_dtype_t; 0 for a value that is no type of an array.
inline int64_t elementBytes(uint32_t dtype) { return dtype == NORMC_DTYPE_F32 ? 4 : dtype == NORMC_DTYPE_F16 || dtype == NORMC_DTYPE_BF16 ? 2 : 0; }

/// An array of rows: x, residual, y or sum.
struct RowArray {
  uintptr_t begin; // 0 = absent, and then the rest is not set
  uintptr_t end;   // one past the last byte of the last row
  int64_t stride;  // elements; 0 where no block has two rows
  int64_t outer;   // elements; 0 where there is one block only
  int64_t elementBytes;
  int64_t rowBytes; // hidden * elementBytes
  uint32_t dtype;   // normc_dtype_t
  uint32_t role;
};

/// Places of the arrays of rows.
enum RowSlot { SlotX, SlotResidual, SlotY, SlotSum, SlotCount };

/// What is left to do. Rows come in blocks of innerRows (the last may be partial); blocks that one stride describes have been merged into one.
struct ForwardCall {
  normc_slice_t slice; // of all rows, from row 0 on; mean and rstd may still be NULL
  int64_t rows;        // 0 = nothing to do
  int64_t innerRows;   // rows of a block
  int64_t sliceRows;   // most rows that one call of a body may get
  RowArray arrays[SlotCount];
  uint64_t bytes;  // that all rows of x, residual, y and sum take, without gaps
  uint32_t affine; // NORMC_AFFINE_*
  bool inPlace;    // y or sum is x or residual
};

/// Checks kernel and arguments and fills `call`; `exec`, already checked, takes the message. SUCCESS, or a status with its message in exec->diag. Reads no array.
normc_status_t prepareForward(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec, ForwardCall &call);

/// Whether some byte of a row of `first` is a byte of a row of `second`. Exact where strides are equal in bytes and each array's rows do not overlap; where
/// they differ it says true if the ranges from first to last byte meet. Rows past the end of a partial last block count as rows.
bool rowsOverlap(const RowArray &first, const RowArray &second, int64_t innerRows, int64_t blocks);

} // namespace normc::runtime
