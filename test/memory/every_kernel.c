/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * every_kernel.c: calls all kernels that `kernels` lists, at their width or at many, with arrays of exactly their size on the heap, for valgrind.py.
 *
 * usage: every_kernel ISA      the normc_isa_t of the widest variant that may run
 *
 * What is between and after the rows is never initialized, so that valgrind sees a result that depends on it. Prints one line per call with a sum over all
 * output bits, which no instruction set may change. Exit status 1: a call failed.
 */
#include <normc/normc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const normc_kernel_t *const kernels[];
extern const int kernel_count;

static const int64_t dynamic_widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 511, 512, 513, 768, 1000, 1023, 1025, 4099};

typedef struct array {
  unsigned char *bytes;
  int64_t rows, hidden, stride, element;
} array;

static size_t element_bytes(uint32_t dtype) { return dtype == NORMC_DTYPE_F32 ? 4 : 2; }

/* Of the numbers of one call, so that they do not depend on the calls before it. */
static uint32_t state;

/* Magnitudes from 2^-5 to 2^4, both signs. */
static void put_number(unsigned char *to, uint32_t dtype) {
  state = state * 1664525u + 1013904223u;
  uint32_t bits = state >> 8, sign = bits & 1, exponent = (bits >> 1) % 9, fraction = bits >> 5;
  if (dtype == NORMC_DTYPE_F32) {
    uint32_t value = sign << 31 | (122 + exponent) << 23 | (fraction & 0x7fffff);
    memcpy(to, &value, 4);
  } else {
    uint16_t value = (uint16_t)(dtype == NORMC_DTYPE_F16 ? sign << 15 | (10 + exponent) << 10 | (fraction & 0x3ff)
                                                         : sign << 15 | (122 + exponent) << 7 | (fraction & 0x7f));
    memcpy(to, &value, 2);
  }
}

/* An array of exactly (rows - 1) * stride + hidden elements, aligned as malloc does or, for streaming, to 64 bytes. */
static array make(int64_t rows, int64_t hidden, int64_t gap, uint32_t dtype, int aligned) {
  array a = {NULL, rows, hidden, hidden + gap, (int64_t)element_bytes(dtype)};
  size_t bytes = (size_t)(((rows - 1) * a.stride + hidden) * a.element);
  void *memory = NULL;
  if (!aligned)
    memory = malloc(bytes);
  else if (posix_memalign(&memory, 64, bytes) != 0)
    memory = NULL;
  if (memory == NULL)
    exit(3);
  a.bytes = memory;
  return a;
}

static array make_input(int64_t rows, int64_t hidden, int64_t gap, uint32_t dtype) {
  array a = make(rows, hidden, gap, dtype, 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < hidden; ++column)
      put_number(a.bytes + (row * a.stride + column) * a.element, dtype);
  return a;
}

static uint64_t add_bits(uint64_t sum, const array *a) {
  for (int64_t row = 0; a->bytes != NULL && row < a->rows; ++row)
    for (int64_t i = 0; i < a->hidden * a->element; ++i)
      sum = (sum ^ a->bytes[row * a->stride * a->element + i]) * UINT64_C(1099511628211);
  return sum;
}

static int call(const normc_kernel_t *kernel, int64_t hidden, int64_t rows, int64_t gap, uint32_t affine, int statistics, uint32_t isa, int streaming) {
  state = (uint32_t)(hidden * 31 + rows * 7 + affine);
  static const array none = {NULL, 0, 0, 0, 0};
  array x = make_input(rows, hidden, gap, kernel->x_dtype), residual = none, weight = none, bias = none, sum = none, mean = none, rstd = none;
  array y = make(rows, hidden, streaming ? 0 : gap, kernel->y_dtype, streaming);
  if ((kernel->accepts & NORMC_ROLE_RESIDUAL) != 0)
    residual = make_input(rows, hidden, 2 * gap, kernel->x_dtype);
  if ((affine & NORMC_AFFINE_WEIGHT) != 0)
    weight = make_input(1, hidden, 0, kernel->param_dtype);
  if ((affine & NORMC_AFFINE_BIAS) != 0)
    bias = make_input(1, hidden, 0, kernel->param_dtype);
  if ((kernel->accepts & NORMC_ROLE_SUM) != 0)
    sum = make(rows, hidden, streaming ? 0 : gap, kernel->x_dtype, streaming);
  if ((kernel->accepts & NORMC_ROLE_MEAN) != 0 && statistics)
    mean = make(1, rows, 0, NORMC_DTYPE_F32, 0);
  if ((kernel->accepts & NORMC_ROLE_RSTD) != 0 && statistics)
    rstd = make(1, rows, 0, NORMC_DTYPE_F32, 0);

  normc_diag_t diag;
  memset(&diag, 0, sizeof diag);
  normc_exec_t exec = NORMC_EXEC_INIT;
  exec.max_isa = isa;
  exec.diag = &diag;
  int failed = 0;
  if (streaming) {
    normc_dispatch_report_t report;
    memset(&report, 0, sizeof report);
    normc_slice_t slice;
    float unwanted[2];
    memset(&slice, 0, sizeof slice);
    slice.rows = rows, slice.hidden = hidden, slice.eps = 1e-5f;
    slice.x = x.bytes, slice.x_stride = x.stride;
    slice.residual = residual.bytes, slice.residual_stride = residual.stride;
    slice.weight = weight.bytes, slice.bias = bias.bytes;
    slice.y = y.bytes, slice.y_stride = y.stride;
    slice.sum = sum.bytes, slice.sum_stride = sum.stride;
    slice.mean = mean.bytes != NULL ? (float *)(void *)mean.bytes : unwanted, slice.mean_stride = mean.bytes != NULL;
    slice.rstd = rstd.bytes != NULL ? (float *)(void *)rstd.bytes : unwanted + 1, slice.rstd_stride = rstd.bytes != NULL;
    failed = normc_dispatch_info(kernel, &exec, &report) != NORMC_STATUS_SUCCESS;
    if (!failed)
      report.chosen->streaming[affine](&slice);
  } else {
    normc_forward_args_t args;
    memset(&args, 0, sizeof args);
    args.struct_size = sizeof args;
    args.rows = rows, args.hidden = hidden, args.eps = 1e-5f;
    args.x = x.bytes, args.x_stride = x.stride;
    args.residual = residual.bytes, args.residual_stride = residual.stride;
    args.weight = weight.bytes, args.bias = bias.bytes;
    args.y = y.bytes, args.y_stride = y.stride;
    args.sum = sum.bytes, args.sum_stride = sum.stride;
    args.mean = (float *)(void *)mean.bytes, args.rstd = (float *)(void *)rstd.bytes;
    failed = normc_run_forward(kernel, &args, &exec) != NORMC_STATUS_SUCCESS;
  }
  if (failed)
    printf("FAIL: %s: %s\n", kernel->name, diag.message);
  else
    printf("%s hidden %lld rows %lld gap %lld parameters %u statistics %d streaming %d: %016llx\n", kernel->name, (long long)hidden, (long long)rows, (long long)gap,
           affine, statistics, streaming, (unsigned long long)add_bits(add_bits(add_bits(add_bits(UINT64_C(14695981039346656037), &y), &sum), &mean), &rstd));
  array *all[] = {&x, &residual, &weight, &bias, &y, &sum, &mean, &rstd};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]->bytes);
  return failed;
}

/* Whether rows of y and sum are the multiples that the streaming body of the variant for `isa` relies on. */
static int may_stream(const normc_kernel_t *kernel, int64_t hidden, uint32_t affine, uint32_t isa) {
  for (uint32_t i = 0; i < kernel->variant_count; ++i) {
    const normc_variant_t *variant = &kernel->variants[i];
    if (variant->isa == isa)
      return variant->stream_alignment != 0 && variant->streaming[affine] != NULL &&
             (uint64_t)hidden * element_bytes(kernel->y_dtype) % variant->stream_alignment == 0 &&
             ((kernel->accepts & NORMC_ROLE_SUM) == 0 || (uint64_t)hidden * element_bytes(kernel->x_dtype) % variant->stream_alignment == 0);
  }
  return 0;
}

static int call_all(const normc_kernel_t *kernel, int64_t hidden, uint32_t isa) {
  int failures = 0;
  for (uint32_t affine = 0; affine < NORMC_AFFINE_COUNT; ++affine) {
    if (kernel->variants[0].body[affine] == NULL)
      continue;
    failures += call(kernel, hidden, 1, 0, affine, 1, isa, 0);
    failures += call(kernel, hidden, 3, 5, affine, 1, isa, 0);
    failures += call(kernel, hidden, 2, 0, affine, 0, isa, 0);
    if (may_stream(kernel, hidden, affine, isa))
      failures += call(kernel, hidden, 2, 0, affine, 1, isa, 1);
  }
  return failures;
}

int main(int count, char **values) {
  uint32_t isa = count == 2 ? (uint32_t)atoi(values[1]) : 0;
  int failures = 0;
  if (isa < NORMC_ISA_X86_64_V2 || isa > NORMC_ISA_X86_64_V4 || isa > (uint32_t)normc_detected_isa()) {
    fprintf(stderr, "every_kernel: instruction set %u: expected 2 to %d, the widest here\n", isa, (int)normc_detected_isa());
    return 2;
  }
  for (int i = 0; i < kernel_count; ++i) {
    if (kernels[i]->hidden != 0)
      failures += call_all(kernels[i], kernels[i]->hidden, isa);
    else
      for (size_t w = 0; w < sizeof dynamic_widths / sizeof *dynamic_widths; ++w)
        failures += call_all(kernels[i], dynamic_widths[w], isa);
  }
  return failures != 0;
}
