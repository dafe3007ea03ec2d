// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a body finds its arrays: the fields of normc_slice_t by role.
#pragma once

#include "compiler/support/error.h"

#include <normc/abi.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace normc::codegen {

/// Offsets in normc_slice_t of one array's pointer and row stride (mean and rstd: element stride).
struct SliceArray {
  std::string_view role;
  size_t pointer;
  std::optional<size_t> stride; ///< absent for weight and bias, which have no rows
};

inline constexpr std::array<SliceArray, 8> kSliceArrays = {{
    {"x", offsetof(normc_slice_t, x), offsetof(normc_slice_t, x_stride)},
    {"residual", offsetof(normc_slice_t, residual), offsetof(normc_slice_t, residual_stride)},
    {"weight", offsetof(normc_slice_t, weight), std::nullopt},
    {"bias", offsetof(normc_slice_t, bias), std::nullopt},
    {"y", offsetof(normc_slice_t, y), offsetof(normc_slice_t, y_stride)},
    {"sum", offsetof(normc_slice_t, sum), offsetof(normc_slice_t, sum_stride)},
    {"mean", offsetof(normc_slice_t, mean), offsetof(normc_slice_t, mean_stride)},
    {"rstd", offsetof(normc_slice_t, rstd), offsetof(normc_slice_t, rstd_stride)},
}};

/// Throws InternalError where the slice has no such array.
inline const SliceArray &sliceArray(std::string_view role) {
  for (const SliceArray &array : kSliceArrays)
    if (array.role == role)
      return array;
  reportBug("normc_slice_t has no array '" + std::string(role) + "'");
}

} // namespace normc::codegen
