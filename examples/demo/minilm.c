/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * minilm.c: runs the kernel that tools/demo builds (layer norm, hidden 384, float32) on real activations of the sentence encoder all-MiniLM-L6-v2, compares it
 * with the formula in double and times it against memcpy.
 *
 *   normc build layer_norm --hidden 384 --dtype f32 --eps 1e-12 --target host --name minilm_ln -o out
 *   cc -std=c11 -O2 -Iout -Iinclude minilm.c out/libminilm_ln.a libnormc_runtime.a -lm -ldl -o minilm
 *   ./minilm LAYER-FOLDER...        each with x.npy, weight.npy and bias.npy
 */
#define _POSIX_C_SOURCE 199309L
#include "minilm_ln.h"
#include "npy.h"

#include <math.h>
#include <normc/normc.h>
#include <time.h>

enum { REPETITIONS = 2001 };

/* The most that a result may be off, as a fraction of the largest result: some thirty times the rounding error of one float32 operation. */
static const double ERROR_LIMIT = 2e-6;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

/* The largest |y - expected| where expected is layer norm evaluated in double: (x - mean) / sqrt(variance + eps) * weight + bias. Sets *largest to the largest
 * |expected|. Not a number where a result is not: the comparison with the limit then fails. */
static double worst_error(const minilm_ln_args *args, int64_t hidden, double *largest) {
  double worst = 0;
  *largest = 0;
  for (int64_t row = 0; row < args->rows; ++row) {
    const float *x = args->x + row * hidden, *y = args->y + row * hidden;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < hidden; ++i)
      mean += x[i];
    mean /= (double)hidden;
    for (int64_t i = 0; i < hidden; ++i)
      variance += (x[i] - mean) * (x[i] - mean);
    variance /= (double)hidden;
    for (int64_t i = 0; i < hidden; ++i) {
      double expected = (x[i] - mean) / sqrt(variance + args->eps) * args->weight[i] + args->bias[i];
      double error = fabs(y[i] - expected);
      *largest = fmax(*largest, fabs(expected));
      if (!(error <= worst))
        worst = error;
    }
  }
  return worst;
}

/* Runs the kernel on one layer and prints its line. Returns 0, or 1 after a message on stderr. */
static int run_layer(const char *folder) {
  static const char *const names[] = {"x", "weight", "bias"};
  static double copy_times[REPETITIONS], call_times[REPETITIONS];
  npy_t arrays[3] = {{{0, 0}, NULL}, {{0, 0}, NULL}, {{0, 0}, NULL}};
  float *y = NULL;
  int failed = 1;

  for (int i = 0; i < 3; ++i) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s.npy", folder, names[i]);
    const char *wrong = length < (int)sizeof path ? npy_read(path, &arrays[i]) : "has too long a path";
    if (wrong) {
      fprintf(stderr, "minilm: %s %s\n", path, wrong);
      goto end;
    }
  }
  int64_t rows = arrays[0].shape[0], hidden = arrays[0].shape[1];
  for (int i = 1; i < 3; ++i)
    if (arrays[i].shape[0] != 1 || arrays[i].shape[1] != hidden) {
      fprintf(stderr, "minilm: %s/%s.npy does not have the %lld elements of a row of x.npy\n", folder, names[i], (long long)hidden);
      goto end;
    }
  size_t bytes = (size_t)(rows * hidden) * sizeof(float);
  y = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!y) {
    fprintf(stderr, "minilm: out of memory\n");
    goto end;
  }

  normc_diag_t diag = {0};
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.diag = &diag;
  minilm_ln_args args = MINILM_LN_ARGS_INIT;
  args.rows = rows;
  args.hidden = hidden;
  args.x = arrays[0].data;
  args.weight = arrays[1].data;
  args.bias = arrays[2].data;
  args.y = y;

  normc_dispatch_report_t report = {0};
  if (normc_dispatch_info(&minilm_ln_kernel, &exec, &report) != NORMC_STATUS_SUCCESS) {
    fprintf(stderr, "minilm: %s\n", diag.message[0] ? diag.message : report.message);
    goto end;
  }
  /* memcpy of the same bytes in turn with the call, so that both see the same machine. */
  for (int i = 0; i < REPETITIONS; ++i) {
    double start = seconds_now();
    memcpy(y, args.x, bytes);
    double copied = seconds_now();
    normc_status_t status = minilm_ln(&args, &exec);
    double called = seconds_now();
    if (status != NORMC_STATUS_SUCCESS) {
      fprintf(stderr, "minilm: %s: %s\n", normc_status_name(status), diag.message);
      goto end;
    }
    copy_times[i] = copied - start;
    call_times[i] = called - copied;
  }
  double largest = 0, error = worst_error(&args, hidden, &largest);
  double copy = median(copy_times, REPETITIONS), call = median(call_times, REPETITIONS);
  const char *layer = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
  printf("%-20s %5lld x %-7lld %-22s %11.1e %8.2f us %9.1f x\n", layer, (long long)rows, (long long)hidden, report.chosen->symbol, error, 1e6 * call,
         call / copy);
  failed = !(error <= ERROR_LIMIT * largest);
  if (failed)
    fprintf(stderr, "minilm: %s: the error is above %.2g\n", layer, ERROR_LIMIT * largest);

end:
  free(y);
  for (int i = 0; i < 3; ++i)
    free(arrays[i].data);
  return failed;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: minilm LAYER-FOLDER...\n");
    return 2;
  }
  printf("%-20s %-15s %-22s %11s %11s %11s\n", "layer", "rows x hidden", "variant", "worst error", "time/call", "vs memcpy");
  int failed = 0;
  for (int i = 1; i < argc; ++i)
    failed |= run_layer(argv[i]);
  printf("\n"
         "  worst error   largest difference from the formula evaluated in double\n"
         "  time/call     median of %d calls on one thread\n"
         "  vs memcpy     that time over the time of memcpy of the same bytes\n",
         REPETITIONS);
  return failed;
}
