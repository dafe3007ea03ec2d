// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/quick_call.h"

namespace normc::runtime {
namespace {

bool isContiguous(int64_t stride, int64_t outer, int64_t hidden) { return (stride == 0 || stride == hidden) && outer >= 0; }

} // namespace

bool stridesAreContiguous(const normc_forward_args_t &args, int64_t hidden) {
  return (args.inner_rows == 0 || args.inner_rows >= args.rows) && isContiguous(args.x_stride, args.x_outer_stride, hidden) &&
         isContiguous(args.y_stride, args.y_outer_stride, hidden);
}

uint32_t addOptionalRoles(const normc_kernel_t &kernel, const normc_forward_args_t &args, const QuickSizes &sizes, int64_t hidden, uint32_t given) {
  const uintptr_t x = addressOf(args.x), residual = addressOf(args.residual), weight = addressOf(args.weight), bias = addressOf(args.bias),
                  y = addressOf(args.y), sum = addressOf(args.sum), mean = addressOf(args.mean), rstd = addressOf(args.rstd);
  if (((residual | sum | mean | rstd) & suspiciousAddressBits) != 0)
    return 0;
  if (residual != 0) {
    given |= NORMC_ROLE_RESIDUAL;
    if (!isContiguous(args.residual_stride, args.residual_outer_stride, hidden) ||
        (y == residual ? kernel.x_dtype != kernel.y_dtype : rangesMeet(y, sizes.y, residual, sizes.x)))
      return 0;
  }
  auto meetsParameter = [&](uintptr_t array, uintptr_t bytes) {
    return rangesMeet(array, bytes, weight, sizes.param) || rangesMeet(array, bytes, bias, sizes.param);
  };
  if (sum != 0) {
    given |= NORMC_ROLE_SUM;
    if (!isContiguous(args.sum_stride, args.sum_outer_stride, hidden) || (sum != x && rangesMeet(sum, sizes.x, x, sizes.x)) ||
        (sum != residual && rangesMeet(sum, sizes.x, residual, sizes.x)) || meetsParameter(sum, sizes.x) || rangesMeet(sum, sizes.x, y, sizes.y))
      return 0;
  }
  const uintptr_t bytes = uintptr_t(args.rows) * sizeof(float);
  auto meetsOther = [&](uintptr_t vector) {
    return rangesMeet(vector, bytes, x, sizes.x) || rangesMeet(vector, bytes, residual, sizes.x) || meetsParameter(vector, bytes) ||
           rangesMeet(vector, bytes, y, sizes.y) || rangesMeet(vector, bytes, sum, sizes.x);
  };
  if (mean != 0) {
    given |= NORMC_ROLE_MEAN;
    if (meetsOther(mean))
      return 0;
  }
  if (rstd != 0) {
    given |= NORMC_ROLE_RSTD;
    if (meetsOther(rstd) || rangesMeet(rstd, bytes, mean, bytes))
      return 0;
  }
  return given;
}

} // namespace normc::runtime
