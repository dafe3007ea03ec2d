/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ln64.h"

#include <stdio.h>

int main(void) {
  float x[64], y[64];
  for (int i = 0; i < 64; ++i)
    x[i] = 1000.1f;
  normc_status_t status = ln64_simple(1, x, NULL, NULL, y);
  printf("ln64 returned %d: %f\n", (int)status, (double)y[63]);
  return 0;
}
