/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/dlpack.h: calls whose arrays are DLPack tensors, as PyTorch, NumPy, JAX, TVM and others exchange them. Not part of normc/normc.h, since it declares
 * DLPack's names. DLPack's own header wins: include it before this one, or have it on the include path as dlpack/dlpack.h.
 */
#ifndef NORMC_DLPACK_H
#define NORMC_DLPACK_H

#include <normc/abi.h>
#include <normc/exec.h>
#include <normc/export.h>
#include <normc/status.h>

#if !defined(DLPACK_DLPACK_H_) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Defined where the layout below stands in for DLPack's header: that of every DLPack from 0.6 on, the names that normc uses and no more. */
#ifndef DLPACK_DLPACK_H_
#define NORMC_DLPACK_OWN 1

typedef enum { kDLCPU = 1 } DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum { kDLFloat = 2, kDLBfloat = 4 } DLDataTypeCode;

typedef struct {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* elements; NULL = compact, last dim fastest */
  uint64_t byte_offset;
} DLTensor;
#endif

/** Arguments of normc_run_dlpack. Tensors are only read for the call; those that are absent are NULL. */
typedef struct normc_dlpack_args {
  uint32_t struct_size;     /* sizeof(*this) */
  uint32_t normalized_dims; /* trailing dims of x that are normalized together; hidden is their product, rows that of the others. 0 = 1 */
  float eps;
  uint32_t reserved;        /* 0 */
  const DLTensor *x;        /* any shape of at least normalized_dims dims */
  const DLTensor *residual; /* x's shape */
  const DLTensor *weight;   /* hidden elements, compact */
  const DLTensor *bias;     /* hidden elements, compact */
  const DLTensor *y;        /* x's shape; its data is written */
  const DLTensor *sum;      /* x's shape; its data is written */
  const DLTensor *mean;     /* rows elements, compact, float32; its data is written */
  const DLTensor *rstd;     /* rows elements, compact, float32; its data is written */
} normc_dlpack_args_t;

/** Initializer: struct_size, and the default eps of every op; the rest 0. */
#ifdef __cplusplus
#define NORMC_DLPACK_ARGS_INIT                                                                                                                                 \
  {sizeof(normc_dlpack_args_t), 0, 1e-5f, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}
#else
#define NORMC_DLPACK_ARGS_INIT {sizeof(normc_dlpack_args_t), 0, 1e-5f, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
#endif

/** Checks the tensors, turns them into normc_forward_args_t and calls normc_run_forward; `exec` may be NULL. Beyond what that checks:
 * - the device is kDLCPU, and the type is the kernel's, with one lane;
 * - the normalized dims of x, residual, y and sum follow each other without gaps: a column stride other than 1 is refused;
 * - the other dims can be described by a number of rows and two strides, for all of these tensors alike: NORMC_STATUS_INVALID_STRIDE where three or more of
 *   them do not merge. Dims of size 1 never count, and their strides are ignored;
 * - no stride is negative, and none is 0 (an expanded dim), inputs included.
 * A tensor of no elements is fine where it is for lack of rows. */
NORMC_API normc_status_t normc_run_dlpack(const normc_kernel_t *kernel, const normc_dlpack_args_t *args, const normc_exec_t *exec);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_DLPACK_H */
