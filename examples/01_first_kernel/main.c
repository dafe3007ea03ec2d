/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: a kernel of fixed width, its short form, and a status. */
#include "ln4.h"

#include <stdio.h>

int main(void) {
  const float x[2][4] = {{1, 2, 3, 4}, {-5, 5, -5, 5}};
  const float weight[4] = {1, 1, 2, 2}, bias[4] = {0, 10, 0, 10};
  float y[2][4];

  normc_status_t status = ln4_simple(2, x[0], weight, bias, y[0]);
  if (status != NORMC_STATUS_SUCCESS) {
    fprintf(stderr, "%s\n", normc_status_description(status));
    return 1;
  }
  for (int r = 0; r < 2; ++r)
    printf("%.4f %.4f %.4f %.4f\n", y[r][0], y[r][1], y[r][2], y[r][3]);
  return 0;
}
