/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: 16-bit storage. bfloat16 values are uint16_t bit patterns; weight and bias stay float32, and so do all statistics. */
#include "ln_bf16.h"

#include <stdio.h>
#include <string.h>

static float to_float(normc_bf16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

int main(void) {
  enum { HIDDEN = 6 };
  const normc_bf16_t x[HIDDEN] = {0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0}; /* 1 2 3 4 5 6 */
  const float weight[HIDDEN] = {1, 1, 1, 1, 1, 1}, bias[HIDDEN] = {0, 0, 0, 0.25f, 0.25f, 0.25f};
  normc_bf16_t y[HIDDEN];
  float mean, rstd;

  ln_bf16_args args = LN_BF16_ARGS_INIT;
  args.rows = 1;
  args.x = x;
  args.weight = weight;
  args.bias = bias;
  args.y = y;
  args.mean = &mean;
  args.rstd = &rstd;
  if (ln_bf16(&args, NULL) != NORMC_STATUS_SUCCESS)
    return 1;
  printf("mean %g rstd %.7f\n", mean, rstd);
  for (int i = 0; i < HIDDEN; ++i)
    printf("%s%g", i ? " " : "", to_float(y[i]));
  printf("\n");
  return 0;
}
