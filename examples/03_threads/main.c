/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: threads. The runtime has none of its own: it hands row ranges to a hook, here OpenMP's. The bits stay. */
#include "ln1024.h"

#include <normc/adapters/openmp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, HIDDEN = 1024 };

int main(void) {
  float *x = malloc(sizeof(float) * ROWS * HIDDEN), *one = malloc(sizeof(float) * ROWS * HIDDEN), *four = malloc(sizeof(float) * ROWS * HIDDEN);
  if (!x || !one || !four)
    return 1;
  for (int i = 0; i < ROWS * HIDDEN; ++i)
    x[i] = (float)(i % 1013) - 500.0f;

  ln1024_args args = LN1024_ARGS_INIT;
  args.rows = ROWS;
  args.x = x;
  args.y = one;
  if (ln1024(&args, NULL) != NORMC_STATUS_SUCCESS)
    return 1;

  normc_exec_t exec = NORMC_EXEC_INIT;
  normc_openmp_use(&exec, 4);
  args.y = four;
  if (ln1024(&args, &exec) != NORMC_STATUS_SUCCESS)
    return 1;

  printf("1 thread and 4 threads: %s\n", memcmp(one, four, sizeof(float) * ROWS * HIDDEN) == 0 ? "the same bits" : "different bits");
  free(x);
  free(one);
  free(four);
  return 0;
}
