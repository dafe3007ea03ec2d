/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/abi.h: what emitted code, the runtime and the compiler share, and nothing else. C11 and C++17.
 *
 * Everything here is versioned by NORMC_ABI_VERSION. An emitted header refuses to compile against a different version, and the runtime refuses a kernel of a
 * different version (NORMC_STATUS_ABI_MISMATCH). Field order, enumerator values and struct sizes are pinned by static assertions in runtime/abi_check.cpp.
 */
#ifndef NORMC_ABI_H
#define NORMC_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NORMC_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* Bit patterns of IEEE binary16 and of bfloat16 (the upper half of a binary32). */
typedef uint16_t normc_f16_t;
typedef uint16_t normc_bf16_t;

/* Element types. Values are pinned. */
typedef enum normc_dtype {
  NORMC_DTYPE_NONE = 0, /* the kernel has no such role */
  NORMC_DTYPE_F32 = 1,
  NORMC_DTYPE_F16 = 2,
  NORMC_DTYPE_BF16 = 3
} normc_dtype_t;

/* The arrays that a kernel takes, as bits of a mask. Values are pinned. */
enum {
  NORMC_ROLE_X = 1 << 0,
  NORMC_ROLE_RESIDUAL = 1 << 1,
  NORMC_ROLE_WEIGHT = 1 << 2,
  NORMC_ROLE_BIAS = 1 << 3,
  NORMC_ROLE_Y = 1 << 4,
  NORMC_ROLE_SUM = 1 << 5,
  NORMC_ROLE_MEAN = 1 << 6,
  NORMC_ROLE_RSTD = 1 << 7
};

/* Instruction sets that a variant may need, in ascending order. Values are pinned. */
typedef enum normc_isa {
  NORMC_ISA_ANY = 0,       /* no limit (as a limit), none usable (as a result) */
  NORMC_ISA_X86_64_V2 = 2, /* SSE4.1 level */
  NORMC_ISA_X86_64_V3 = 3, /* AVX2, F16C */
  NORMC_ISA_X86_64_V4 = 4  /* AVX-512 F, BW, CD, DQ, VL */
} normc_isa_t;

/* Most variants that one kernel may have. */
enum { NORMC_VARIANT_MAX = 8 };

/* Arguments of one forward call. An emitted `<name>_args` is a typed view of this struct: same offsets, same size.
 * Row r of an array starts at element (r / inner_rows) * outer_stride + (r mod inner_rows) * stride. */
typedef struct normc_forward_args {
  uint32_t struct_size;  /* sizeof(*this) */
  uint32_t flags;        /* 0 */
  int64_t rows;          /* >= 0 */
  int64_t inner_rows;    /* 0 = rows */
  int64_t hidden;        /* 0 = the built width; required where the kernel is dynamic */
  float eps;
  uint32_t reserved;     /* 0 */
  const void *x;         /* [rows, hidden] */
  int64_t x_stride;      /* elements; 0 = hidden */
  int64_t x_outer_stride; /* elements; 0 = inner_rows * stride */
  const void *residual;  /* [rows, hidden], added to x before the statistics */
  int64_t residual_stride;
  int64_t residual_outer_stride;
  const void *weight;    /* [hidden] */
  const void *bias;      /* [hidden] */
  void *y;               /* [rows, hidden] */
  int64_t y_stride;
  int64_t y_outer_stride;
  void *sum;             /* [rows, hidden]: x + residual */
  int64_t sum_stride;
  int64_t sum_outer_stride;
  float *mean;           /* [rows] */
  float *rstd;           /* [rows] */
} normc_forward_args_t;

/* What one call of a compiled body processes: rows that one stride describes, checked and cut by the runtime.
 * Bounds that the runtime keeps and that bodies rely on: rows >= 1, 1 <= hidden <= 2^24, and (rows - 1) * stride + hidden < 2^31 for every array.
 * mean_stride and rstd_stride are 1, or 0 with a dummy of one float where the caller wants no such output. */
typedef struct normc_slice {
  int64_t rows;
  int64_t hidden;
  float eps;
  uint32_t reserved;
  const void *x;
  int64_t x_stride;
  const void *residual;
  int64_t residual_stride;
  const void *weight;
  const void *bias;
  void *y;
  int64_t y_stride;
  void *sum;
  int64_t sum_stride;
  float *mean;
  int64_t mean_stride;
  float *rstd;
  int64_t rstd_stride;
} normc_slice_t;

/* One compiled body. Reads and writes what the slice names; cannot fail. */
typedef void (*normc_body_t)(const normc_slice_t *slice);

/* Bodies are indexed by which of the optional parameters are present: bit 0 weight, bit 1 bias. */
enum { NORMC_AFFINE_WEIGHT = 1, NORMC_AFFINE_BIAS = 2, NORMC_AFFINE_COUNT = 4 };

/* One variant: the bodies of a kernel for one instruction set. */
typedef struct normc_variant {
  uint32_t isa;                /* normc_isa_t */
  uint32_t stream_alignment;   /* bytes that y, sum, their strides and hidden must be multiples of for `streaming`; 0 = no streaming bodies */
  const char *symbol;          /* for example "ln768__x86_64_v4" */
  const char *plan;            /* the schedule that the compiler chose, one line */
  normc_body_t body[NORMC_AFFINE_COUNT];      /* NULL where the kernel does not accept that combination */
  normc_body_t streaming[NORMC_AFFINE_COUNT]; /* the same bits, with non-temporal stores of y and sum; the runtime issues the sfence after them */
} normc_variant_t;

/* One kernel, as emitted. */
typedef struct normc_kernel {
  uint32_t struct_size;
  uint32_t abi_version;        /* NORMC_ABI_VERSION of the compiler */
  const char *name;            /* the C symbol of its entry */
  const char *op;              /* "layer_norm", "rms_norm" */
  const char *spec;            /* canonical spelling of the spec */
  const char *spec_hash;       /* of that spelling */
  const char *producer;        /* "normc <version>" */
  uint32_t accepts;            /* NORMC_ROLE_* that may be given */
  uint32_t required;           /* NORMC_ROLE_* that must be given */
  uint32_t x_dtype;            /* normc_dtype_t; of x, residual and sum */
  uint32_t y_dtype;
  uint32_t param_dtype;        /* of weight and bias */
  uint32_t variant_count;      /* 1 .. NORMC_VARIANT_MAX */
  int64_t hidden;              /* 0 = dynamic */
  const normc_variant_t *variants; /* by descending isa, each isa once */
} normc_kernel_t;

/* Several kernels of one library that differ in hidden only: static widths in ascending order, then at most one dynamic kernel. */
typedef struct normc_kernel_set {
  uint32_t struct_size;
  uint32_t abi_version;
  const char *name;
  uint32_t reserved;
  uint32_t kernel_count;
  const normc_kernel_t *const *kernels;
} normc_kernel_set_t;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_ABI_H */
