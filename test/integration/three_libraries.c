/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * three_libraries.c: three emitted libraries in one program or shared object. Each result is compared with the formula in double and, bit by bit, between the
 * variants that this machine runs. installed.py says how the libraries are built.
 */
#include "add_layer_norm_f16.h"
#include "layer_norm_f32.h"
#include "rms_norm_bf16.h"

#include <math.h>
#include <normc/normc.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 5, HIDDEN_F32 = 768, HIDDEN_BF16 = 1024, HIDDEN_F16 = 640 };

int three_libraries(void);

static int failures;

static uint32_t random_bits(void) {
  static uint32_t state = 20240229;
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

static double from_f32(float value) { return value; }

static double from_bf16(normc_bf16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* Finite numbers only. */
static double from_f16(normc_f16_t bits) {
  int exponent = bits >> 10 & 31;
  double magnitude = exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);
  return bits >> 15 ? -magnitude : magnitude;
}

static float random_f32(void) { return (float)((int)random_bits() - 32768) / 8192.0f + 3.0f; }
/* Magnitudes from 2^-5 to 2^3. */
static normc_bf16_t random_bf16(void) { return (normc_bf16_t)((random_bits() & 0x8000) | (122 + random_bits() % 8) << 7 | (random_bits() & 0x7f)); }
static normc_f16_t random_f16(void) { return (normc_f16_t)((random_bits() & 0x8000) | (10 + random_bits() % 8) << 10 | (random_bits() & 0x3ff)); }

static void fail(const char *what, const char *why) {
  ++failures;
  printf("FAIL: %s: %s\n", what, why);
}

/* One row in double: x is normalized in place. */
static void normalize(double *x, int hidden, int centred, double eps, const double *weight, const double *bias) {
  double mean = 0, square = 0;
  for (int i = 0; i < hidden; ++i)
    mean += centred ? x[i] / hidden : 0;
  for (int i = 0; i < hidden; ++i)
    square += (x[i] - mean) * (x[i] - mean) / hidden;
  for (int i = 0; i < hidden; ++i)
    x[i] = (x[i] - mean) / sqrt(square + eps) * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
}

/* `rounding`: half the distance of two neighbours of the output type, relative. */
static void compare(const char *what, double got, double expected, double rounding) {
  char text[96];
  if (fabs(got - expected) <= 1.01 * rounding * fabs(expected) + 4e-6)
    return;
  snprintf(text, sizeof text, "got %.9g, expected %.9g", got, expected);
  fail(what, text);
}

/* exec for one variant: 0 where this machine does not run it. Fails where a call would run another one. */
static int use_variant(const normc_kernel_t *kernel, normc_isa_t isa, normc_exec_t *exec) {
  normc_dispatch_report_t report = {0};
  if (isa > normc_detected_isa())
    return 0;
  exec->max_isa = (uint32_t)isa;
  if (normc_dispatch_info(kernel, exec, &report) != NORMC_STATUS_SUCCESS || report.chosen->isa != (uint32_t)isa)
    fail(kernel->name, report.message);
  return 1;
}

/* Calls `call` for each variant that runs here and wants the same bytes in y each time. */
#define FOR_EACH_VARIANT(kernel, call, y)                                                                                                                      \
  do {                                                                                                                                                         \
    static unsigned char first[sizeof(y)];                                                                                                                     \
    for (int isa = NORMC_ISA_X86_64_V2, done = 0; isa <= NORMC_ISA_X86_64_V4; ++isa) {                                                                         \
      if (!use_variant(&(kernel), (normc_isa_t)isa, &exec))                                                                                                    \
        continue;                                                                                                                                              \
      memset(y, 0xff, sizeof(y));                                                                                                                              \
      if ((call) != NORMC_STATUS_SUCCESS)                                                                                                                      \
        fail((kernel).name, diag.message);                                                                                                                     \
      if (done++ == 0)                                                                                                                                         \
        memcpy(first, y, sizeof(y));                                                                                                                           \
      else if (memcmp(first, y, sizeof(y)) != 0)                                                                                                               \
        fail((kernel).name, "two variants differ");                                                                                                            \
    }                                                                                                                                                          \
  } while (0)

static void run_layer_norm_f32(void) {
  static float x[ROWS][HIDDEN_F32], y[ROWS][HIDDEN_F32], weight[HIDDEN_F32], bias[HIDDEN_F32];
  float mean[ROWS], rstd[ROWS];
  double w[HIDDEN_F32], b[HIDDEN_F32], expected[HIDDEN_F32];
  normc_diag_t diag = {0};
  normc_exec_t exec = NORMC_EXEC_INIT;
  layer_norm_f32_args args = LAYER_NORM_F32_ARGS_INIT;
  for (int i = 0; i < HIDDEN_F32; ++i) {
    w[i] = weight[i] = random_f32();
    b[i] = bias[i] = random_f32();
    for (int row = 0; row < ROWS; ++row)
      x[row][i] = random_f32();
  }
  exec.diag = &diag;
  args.rows = ROWS;
  args.x = x[0];
  args.weight = weight;
  args.bias = bias;
  args.y = y[0];
  args.mean = mean;
  args.rstd = rstd;
  FOR_EACH_VARIANT(layer_norm_f32_kernel, layer_norm_f32(&args, &exec), y);
  for (int row = 0; row < ROWS; ++row) {
    double average = 0;
    for (int i = 0; i < HIDDEN_F32; ++i) {
      expected[i] = from_f32(x[row][i]);
      average += expected[i] / HIDDEN_F32;
    }
    compare("layer_norm_f32 mean", mean[row], average, ldexp(1, -24));
    normalize(expected, HIDDEN_F32, 1, 1e-5, w, b);
    for (int i = 0; i < HIDDEN_F32; ++i)
      compare("layer_norm_f32", y[row][i], expected[i], ldexp(1, -24));
  }
  args.rows = -1;
  if (layer_norm_f32(&args, &exec) != NORMC_STATUS_INVALID_ARGUMENT || !strstr(diag.message, "rows"))
    fail("layer_norm_f32 with -1 rows", diag.message);
}

static void run_rms_norm_bf16(void) {
  static normc_bf16_t x[ROWS][HIDDEN_BF16], y[ROWS][HIDDEN_BF16], weight[HIDDEN_BF16];
  double w[HIDDEN_BF16], expected[HIDDEN_BF16];
  normc_diag_t diag = {0};
  normc_exec_t exec = NORMC_EXEC_INIT;
  rms_norm_bf16_args args = RMS_NORM_BF16_ARGS_INIT;
  for (int i = 0; i < HIDDEN_BF16; ++i) {
    w[i] = from_bf16(weight[i] = random_bf16());
    for (int row = 0; row < ROWS; ++row)
      x[row][i] = random_bf16();
  }
  exec.diag = &diag;
  args.rows = ROWS;
  args.x = x[0];
  args.weight = weight;
  args.y = y[0];
  FOR_EACH_VARIANT(rms_norm_bf16_kernel, rms_norm_bf16(&args, &exec), y);
  for (int row = 0; row < ROWS; ++row) {
    for (int i = 0; i < HIDDEN_BF16; ++i)
      expected[i] = from_bf16(x[row][i]);
    normalize(expected, HIDDEN_BF16, 0, 1e-5, w, NULL);
    for (int i = 0; i < HIDDEN_BF16; ++i)
      compare("rms_norm_bf16", from_bf16(y[row][i]), expected[i], ldexp(1, -8));
  }
}

static void run_add_layer_norm_f16(void) {
  static normc_f16_t x[ROWS][HIDDEN_F16], residual[ROWS][HIDDEN_F16], y[ROWS][HIDDEN_F16], sum[ROWS][HIDDEN_F16];
  double expected[HIDDEN_F16];
  normc_diag_t diag = {0};
  normc_exec_t exec = NORMC_EXEC_INIT;
  add_layer_norm_f16_args args = ADD_LAYER_NORM_F16_ARGS_INIT;
  for (int i = 0; i < HIDDEN_F16; ++i)
    for (int row = 0; row < ROWS; ++row) {
      x[row][i] = random_f16();
      residual[row][i] = random_f16();
    }
  exec.diag = &diag;
  args.rows = ROWS;
  args.x = x[0];
  args.residual = residual[0];
  args.y = y[0];
  args.sum = sum[0];
  FOR_EACH_VARIANT(add_layer_norm_f16_kernel, add_layer_norm_f16(&args, &exec), y);
  for (int row = 0; row < ROWS; ++row) {
    for (int i = 0; i < HIDDEN_F16; ++i) {
      expected[i] = from_f16(x[row][i]) + from_f16(residual[row][i]);
      compare("add_layer_norm_f16 sum", from_f16(sum[row][i]), expected[i], ldexp(1, -11));
    }
    normalize(expected, HIDDEN_F16, 1, 1e-5, NULL, NULL);
    for (int i = 0; i < HIDDEN_F16; ++i)
      compare("add_layer_norm_f16", from_f16(y[row][i]), expected[i], ldexp(1, -11));
  }
}

/* Returns 0 where all is well. */
int three_libraries(void) {
  failures = 0;
  run_layer_norm_f32();
  run_rms_norm_bf16();
  run_add_layer_norm_f16();
  printf("three libraries, variants up to %s: %d failures\n", normc_isa_name(normc_detected_isa()), failures);
  return failures != 0;
}
