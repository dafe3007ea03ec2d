/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: kernels compiled by a CMake project; one entry for several widths. */
#include "norms.h"

#include <stdio.h>

int main(void) {
  static float x[2][576], y[2][576], weight[576];
  for (int i = 0; i < 576; ++i) {
    x[0][i] = x[1][i] = i % 2 ? 2.0f : -2.0f;
    weight[i] = 1.0f;
  }
  /* 576 columns have a kernel of their own, 500 take the one for any width. */
  if (norms_simple(1, 576, x[0], weight, y[0]) != NORMC_STATUS_SUCCESS || norms_simple(1, 500, x[1], weight, y[1]) != NORMC_STATUS_SUCCESS)
    return 1;
  printf("%.5f %.5f\n%.5f %.5f\n", y[0][0], y[0][1], y[1][0], y[1][1]);
  return 0;
}
