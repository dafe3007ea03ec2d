/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: DLPack. A framework's tensor goes in as it is: here a [2, 3, 4] view whose rows lie 5 elements apart, and a transposed one that is refused. */
#include "ln4.h"

#include <normc/dlpack.h>

#include <stdio.h>

int main(void) {
  float storage[2 * 3 * 5], out[2 * 3 * 4];
  for (int i = 0; i < 2 * 3 * 5; ++i)
    storage[i] = (float)(i % 5);

  int64_t shape[3] = {2, 3, 4}, strides[3] = {15, 5, 1};
  DLTensor x = {0}, y = {0};
  x.data = storage;
  x.device.device_type = kDLCPU;
  x.ndim = 3;
  x.dtype.code = kDLFloat;
  x.dtype.bits = 32;
  x.dtype.lanes = 1;
  x.shape = shape;
  x.strides = strides;
  y = x;
  y.data = out;
  y.strides = NULL; /* compact */

  normc_diag_t diag = {0};
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.diag = &diag;
  normc_dlpack_args_t args = NORMC_DLPACK_ARGS_INIT;
  args.normalized_dims = 1;
  args.x = &x;
  args.y = &y;
  if (normc_run_dlpack(&ln4_kernel, &args, &exec) != NORMC_STATUS_SUCCESS) {
    fprintf(stderr, "%s\n", diag.message);
    return 1;
  }
  printf("%.4f %.4f %.4f %.4f\n", out[20], out[21], out[22], out[23]);

  int64_t transposed[3] = {15, 1, 5};
  x.strides = transposed;
  normc_status_t status = normc_run_dlpack(&ln4_kernel, &args, &exec);
  printf("transposed: %s\n", normc_status_name(status));
  return 0;
}
