/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Introduces: which variant of a library runs, why, and how to limit it: for one call, for the process, and by the environment. */
#include "ln100.h"

#include <normc/dispatch.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  float x[100], widest[100], limited[100];
  for (int i = 0; i < 100; ++i)
    x[i] = (float)(i * i);

  printf("variants:");
  for (uint32_t i = 0; i < ln100_kernel.variant_count; ++i)
    printf(" %s", normc_isa_name((normc_isa_t)ln100_kernel.variants[i].isa));
  printf("\n");

  if (ln100_simple(1, x, NULL, NULL, widest) != NORMC_STATUS_SUCCESS)
    return 1;

  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.max_isa = NORMC_ISA_X86_64_V2; /* for one call; normc_set_max_isa and NORMC_MAX_ISA limit the process */
  ln100_args args = LN100_ARGS_INIT;
  args.rows = 1;
  args.x = x;
  args.y = limited;
  if (ln100(&args, &exec) != NORMC_STATUS_SUCCESS)
    return 1;

  normc_dispatch_report_t report = {0};
  if (normc_dispatch_info(&ln100_kernel, &exec, &report) != NORMC_STATUS_SUCCESS)
    return 1;
  printf("limited to x86-64-v2: %s, %s\n", report.chosen->symbol, memcmp(widest, limited, sizeof widest) == 0 ? "the same bits" : "different bits");
  return 0;
}
