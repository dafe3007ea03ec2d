/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes the mistakes that docs/getting-started.md lists and prints what each call says, one a line. */
#include "ln768.h"

#include <stdio.h>

static float x[768], y[768];
static normc_diag_t diag;
static normc_exec_t exec = NORMC_EXEC_INIT;

static void fails(const ln768_args *args) { printf("%s\n", ln768(args, &exec) == NORMC_STATUS_SUCCESS ? "success" : diag.message); }

int main(void) {
  ln768_args good = LN768_ARGS_INIT, args = {0};
  good.rows = 1;
  good.x = x;
  good.y = y;
  exec.diag = &diag;

  fails(&args);
  args = good;
  args.hidden = 512;
  fails(&args);
  args = good;
  args.x_stride = 512;
  fails(&args);
  args = good;
  args.x = NULL;
  fails(&args);
  exec.threads = 4;
  fails(&good);
  exec.threads = 0;
  fails(&good); /* where NORMC_MAX_ISA is wrong or too low */
  return 0;
}
