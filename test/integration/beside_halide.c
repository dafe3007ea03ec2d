/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * beside_halide.c: three emitted libraries and a Halide pipeline of the user's own in one program, in turn and at the same time. three_libraries.c checks what
 * the libraries compute; here what the pipeline does. beside_halide.py says how it is built.
 */
#include "user_pipeline.h"

#include <HalideRuntime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, HEIGHT = 37, ROUNDS = 200 };

int three_libraries(void);

static int errors_seen;

static void count_error(void *context, const char *message) {
  (void)context;
  (void)message;
  ++errors_seen;
}

static int clamp(int value, int limit) { return value < 0 ? 0 : value >= limit ? limit - 1 : value; }

static halide_buffer_t buffer_of(float *values, halide_dimension_t *dims) {
  halide_buffer_t buffer;
  memset(&buffer, 0, sizeof buffer);
  memset(dims, 0, 2 * sizeof *dims);
  dims[0].extent = WIDTH, dims[0].stride = 1;
  dims[1].extent = HEIGHT, dims[1].stride = WIDTH;
  buffer.host = (uint8_t *)values;
  buffer.type.code = halide_type_float;
  buffer.type.bits = 32;
  buffer.type.lanes = 1;
  buffer.dimensions = 2;
  buffer.dim = dims;
  return buffer;
}

/* Failures of one call of the pipeline. */
static int run_pipeline(void) {
  static const int taps[3] = {1, 2, 1};
  float input[HEIGHT][WIDTH], output[HEIGHT][WIDTH];
  halide_dimension_t input_dims[2], output_dims[2];
  halide_buffer_t in = buffer_of(input[0], input_dims), out = buffer_of(output[0], output_dims);
  int failures = 0;
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x)
      input[y][x] = (float)((x * 7 + y * 13) % 64); /* so that every sum is exact */
  if (user_pipeline(&in, &out) != 0)
    return 1;
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x) {
      float sum = 0;
      for (int i = 0; i < 9; ++i)
        sum += (float)(taps[i / 3] * taps[i % 3]) * input[clamp(y + i / 3 - 1, HEIGHT)][clamp(x + i % 3 - 1, WIDTH)];
      failures += output[y][x] != sum / 16.0f;
    }
  return failures;
}

static void *run_pipelines(void *failures) {
  for (int i = 0; i < ROUNDS; ++i)
    *(int *)failures += run_pipeline();
  return NULL;
}

/* An error that the pipeline reports: its handler is still the one that was set. */
static int misuse_pipeline(void) {
  float input[HEIGHT][WIDTH] = {{0}};
  halide_dimension_t dims[2];
  halide_buffer_t in = buffer_of(input[0], dims);
  int seen = errors_seen;
  return user_pipeline(&in, NULL) == 0 || errors_seen == seen;
}

int main(void) {
  pthread_t thread;
  int failures = 0, others = 0;
  halide_set_error_handler(count_error);
  failures += run_pipeline();
  failures += three_libraries();
  failures += run_pipeline();
  if (pthread_create(&thread, NULL, run_pipelines, &others) != 0)
    return 3;
  for (int i = 0; i < 5; ++i)
    failures += three_libraries();
  pthread_join(thread, NULL);
  failures += others + misuse_pipeline();
  halide_shutdown_thread_pool();
  failures += three_libraries();
  printf("beside a Halide pipeline: %d failures\n", failures);
  return failures != 0;
}
