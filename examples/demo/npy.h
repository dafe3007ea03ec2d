/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * npy.h: reads NumPy arrays of float32 for the demo. Strict: one byte order, C order, one or two dimensions, and a file that holds exactly what its header says.
 */
#ifndef NORMC_EXAMPLES_NPY_H
#define NORMC_EXAMPLES_NPY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct npy {
  int64_t shape[2]; /* rows, columns; a one-dimensional array is one row */
  float *data;      /* starts on a 64-byte boundary; free() it */
} npy_t;

/* Reads `path` into `array`. Returns NULL, or what is wrong with the file. */
static const char *npy_read(const char *path, npy_t *array) {
  enum { PREAMBLE = 10, HEADER_MAX = 4096 };
  unsigned char preamble[PREAMBLE];
  char header[HEADER_MAX + 1];
  const char *wrong = NULL;
  array->data = NULL;

  FILE *file = fopen(path, "rb");
  if (!file)
    return "cannot be opened";
  if (fread(preamble, 1, PREAMBLE, file) != PREAMBLE || memcmp(preamble, "\x93NUMPY\x01\x00", 8) != 0) {
    wrong = "is not a .npy file of format 1.0";
    goto end;
  }
  size_t length = preamble[8] | (size_t)preamble[9] << 8;
  if (length > HEADER_MAX || fread(header, 1, length, file) != length) {
    wrong = "has no complete header";
    goto end;
  }
  header[length] = '\0';

  int used = 0;
  long long rows = 1, columns = 0;
  sscanf(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld), }%n", &rows, &columns, &used);
  if (!used) {
    rows = 1;
    sscanf(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld,), }%n", &columns, &used);
  }
  if (!used) {
    wrong = "does not hold little-endian float32 in C order with one or two dimensions";
    goto end;
  }
  if (rows < 1 || columns < 1 || rows > 1 << 20 || columns > 1 << 20) {
    wrong = "has a dimension outside 1 .. 2^20";
    goto end;
  }
  array->shape[0] = rows;
  array->shape[1] = columns;
  size_t count = (size_t)rows * (size_t)columns;
  array->data = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  if (!array->data) {
    wrong = "does not fit into memory";
    goto end;
  }
  if (fread(array->data, sizeof(float), count, file) != count || fgetc(file) != EOF)
    wrong = "does not hold as many elements as its header says";

end:
  fclose(file);
  if (wrong) {
    free(array->data);
    array->data = NULL;
  }
  return wrong;
}

#endif /* NORMC_EXAMPLES_NPY_H */
