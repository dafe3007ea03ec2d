/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: plain make and pkg-config; a kernel without parameters. */
#include "norm256.h"

#include <stdio.h>

int main(void) {
  float x[256], y[256];
  for (int i = 0; i < 256; ++i)
    x[i] = i < 128 ? 40000.0f : 40002.0f;
  if (norm256_simple(1, x, y) != NORMC_STATUS_SUCCESS)
    return 1;
  printf("%.6f %.6f\n", y[0], y[255]);
  return 0;
}
