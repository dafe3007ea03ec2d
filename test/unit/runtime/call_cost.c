/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a kernel whose body does nothing, so that what is counted is the runtime: call_cost COUNT KIND. KIND is a set of letters, see below.
 * call_cost.py runs it under callgrind. */
#include <normc/normc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void body(const normc_slice_t *slice) { (void)slice; }

#define VARIANT(isa, symbol) {isa, 0, symbol, "none", {body, body, body, body}, {NULL, NULL, NULL, NULL}}
static const normc_variant_t variants[] = {VARIANT(NORMC_ISA_X86_64_V4, "k__x86_64_v4"), VARIANT(NORMC_ISA_X86_64_V3, "k__x86_64_v3"),
                                           VARIANT(NORMC_ISA_X86_64_V2, "k__x86_64_v2")};

int main(int count, char **values) {
  static float x[64], residual[64], weight[64], bias[64], y[64], sum[64], mean[1], rstd[1];
  const char *kind = count == 3 ? values[2] : "";
  normc_kernel_t kernel = {sizeof(normc_kernel_t), NORMC_ABI_VERSION, "k", "toy", "toy", "0", "test", 0xFF, NORMC_ROLE_X | NORMC_ROLE_Y,
                           NORMC_DTYPE_F32, NORMC_DTYPE_F32, NORMC_DTYPE_F32, 3, 16, variants};
  normc_forward_args_t args;
  normc_exec_t exec = NORMC_EXEC_INIT;
  const normc_exec_t *how = NULL;
  int calls = count == 3 ? atoi(values[1]) : 0;
  if (calls < 1) {
    fputs("usage: call_cost COUNT KIND\n", stderr);
    return 2;
  }
  /* So that the count does not depend on the machine: the first variant that is left is the one that runs. */
  while (kernel.variants->isa > (uint32_t)normc_detected_isa()) {
    ++kernel.variants;
    --kernel.variant_count;
  }
  memset(&args, 0, sizeof args);
  args.struct_size = sizeof args;
  args.rows = 1;
  args.x = x;
  args.y = y;
  for (; *kind != 0; ++kind)
    switch (*kind) {
    case 'p': args.weight = weight, args.bias = bias; break;
    case 'i': args.y = x; break;
    case 'o': args.mean = mean, args.rstd = rstd; break;
    case 'r': args.residual = residual, args.sum = sum; break;
    case 's': args.x_stride = args.y_stride = 16; break;
    case 'e': how = &exec; break;
    case '2': kernel.variants = variants, kernel.variant_count = 3; break; /* wider ones, which this CPU lacks, come first */
    case 'g': args.rows = 2, args.x_stride = 20; break;
    default: return 2;
    }
  for (int i = 0; i < calls; ++i)
    if (normc_run_forward(&kernel, &args, how) != NORMC_STATUS_SUCCESS)
      return 1;
  return 0;
}
