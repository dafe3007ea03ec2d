/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * old_cpu.c: calls three kernels as an application does and says which variant ran and what bits came out. emulated.py runs it on emulated CPUs.
 * Exit status 1: a call was refused; then the message is printed.
 */
#include "add_rms_norm.h"
#include "layer_norm.h"
#include "narrow_layer_norm.h"

#include <normc/normc.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 3, WIDE = 768, ODD = 333, NARROW = 100 };

static uint32_t random_bits(void) {
  static uint32_t state = 20240229;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
/* Magnitudes from 2^-5 to 2^3. */
static float random_f32(void) {
  uint32_t bits = (random_bits() & 1) << 31 | (122 + random_bits() % 8) << 23 | (random_bits() & 0x7fffff);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static uint16_t random_bf16(void) { return (uint16_t)((random_bits() & 1) << 15 | (122 + random_bits() % 8) << 7 | (random_bits() & 0x7f)); }
static uint16_t random_f16(void) { return (uint16_t)((random_bits() & 1) << 15 | (10 + random_bits() % 8) << 10 | (random_bits() & 0x3ff)); }

static uint64_t add_bits(uint64_t sum, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  return sum;
}

static int report(const normc_kernel_t *kernel, normc_status_t status, const normc_diag_t *diag, uint64_t bits) {
  normc_dispatch_report_t info;
  memset(&info, 0, sizeof info);
  if (status != NORMC_STATUS_SUCCESS) {
    printf("refused %s: %s: %s\n", kernel->name, normc_status_name(status), diag->message);
    return 1;
  }
  normc_dispatch_info(kernel, NULL, &info);
  printf("ran %s\nbits %s %016llx\n", info.chosen->symbol, kernel->name, (unsigned long long)bits);
  return 0;
}

int main(void) {
  static float x[ROWS * WIDE], weight[WIDE], bias[WIDE], y[ROWS * WIDE], mean[ROWS], rstd[ROWS];
  static normc_bf16_t bx[ROWS * ODD], bresidual[ROWS * ODD], bweight[ODD], by[ROWS * ODD], bsum[ROWS * ODD];
  static normc_f16_t hx[ROWS * NARROW], hy[ROWS * NARROW];
  const uint64_t start = UINT64_C(14695981039346656037);
  normc_diag_t diag;
  normc_exec_t exec = NORMC_EXEC_INIT;
  int failures = 0;
  memset(&diag, 0, sizeof diag);
  exec.diag = &diag;
  for (int i = 0; i < ROWS * WIDE; ++i)
    x[i] = random_f32();
  for (int i = 0; i < WIDE; ++i)
    weight[i] = random_f32(), bias[i] = random_f32();
  for (int i = 0; i < ROWS * ODD; ++i)
    bx[i] = random_bf16(), bresidual[i] = random_bf16();
  for (int i = 0; i < ODD; ++i)
    bweight[i] = random_bf16();
  for (int i = 0; i < ROWS * NARROW; ++i)
    hx[i] = random_f16();
  printf("detected %s\n", normc_isa_name(normc_detected_isa()));

  layer_norm_args wide = LAYER_NORM_ARGS_INIT;
  wide.rows = ROWS;
  wide.x = x, wide.weight = weight, wide.bias = bias, wide.y = y, wide.mean = mean, wide.rstd = rstd;
  normc_status_t status = layer_norm(&wide, &exec);
  failures += report(&layer_norm_kernel, status, &diag, add_bits(add_bits(add_bits(start, y, sizeof y), mean, sizeof mean), rstd, sizeof rstd));

  add_rms_norm_args odd = ADD_RMS_NORM_ARGS_INIT;
  odd.rows = ROWS;
  odd.hidden = ODD;
  odd.x = bx, odd.residual = bresidual, odd.weight = bweight, odd.y = by, odd.sum = bsum;
  status = add_rms_norm(&odd, &exec);
  failures += report(&add_rms_norm_kernel, status, &diag, add_bits(add_bits(start, by, sizeof by), bsum, sizeof bsum));

  narrow_layer_norm_args narrow = NARROW_LAYER_NORM_ARGS_INIT;
  narrow.rows = ROWS;
  narrow.x = hx, narrow.y = hy;
  status = narrow_layer_norm(&narrow, &exec);
  failures += report(&narrow_layer_norm_kernel, status, &diag, add_bits(start, hy, sizeof hy));
  return failures != 0;
}
