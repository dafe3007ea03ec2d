// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pins the layouts and values that emitted objects and compiled applications hold. A failure here is a change of ABI: raise NORMC_ABI_VERSION (for abi.h) and
// say so in the changelog.

#include <normc/dlpack.h>
#include <normc/normc.h>

namespace {

static_assert(NORMC_ABI_VERSION == 1);
static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(float) == 4);

static_assert(sizeof(normc_forward_args_t) == 168);
static_assert(offsetof(normc_forward_args_t, struct_size) == 0);
static_assert(offsetof(normc_forward_args_t, flags) == 4);
static_assert(offsetof(normc_forward_args_t, rows) == 8);
static_assert(offsetof(normc_forward_args_t, inner_rows) == 16);
static_assert(offsetof(normc_forward_args_t, hidden) == 24);
static_assert(offsetof(normc_forward_args_t, eps) == 32);
static_assert(offsetof(normc_forward_args_t, reserved) == 36);
static_assert(offsetof(normc_forward_args_t, x) == 40);
static_assert(offsetof(normc_forward_args_t, x_stride) == 48);
static_assert(offsetof(normc_forward_args_t, x_outer_stride) == 56);
static_assert(offsetof(normc_forward_args_t, residual) == 64);
static_assert(offsetof(normc_forward_args_t, residual_stride) == 72);
static_assert(offsetof(normc_forward_args_t, residual_outer_stride) == 80);
static_assert(offsetof(normc_forward_args_t, weight) == 88);
static_assert(offsetof(normc_forward_args_t, bias) == 96);
static_assert(offsetof(normc_forward_args_t, y) == 104);
static_assert(offsetof(normc_forward_args_t, y_stride) == 112);
static_assert(offsetof(normc_forward_args_t, y_outer_stride) == 120);
static_assert(offsetof(normc_forward_args_t, sum) == 128);
static_assert(offsetof(normc_forward_args_t, sum_stride) == 136);
static_assert(offsetof(normc_forward_args_t, sum_outer_stride) == 144);
static_assert(offsetof(normc_forward_args_t, mean) == 152);
static_assert(offsetof(normc_forward_args_t, rstd) == 160);

static_assert(sizeof(normc_slice_t) == 136);
static_assert(offsetof(normc_slice_t, rows) == 0);
static_assert(offsetof(normc_slice_t, hidden) == 8);
static_assert(offsetof(normc_slice_t, eps) == 16);
static_assert(offsetof(normc_slice_t, reserved) == 20);
static_assert(offsetof(normc_slice_t, x) == 24);
static_assert(offsetof(normc_slice_t, x_stride) == 32);
static_assert(offsetof(normc_slice_t, residual) == 40);
static_assert(offsetof(normc_slice_t, residual_stride) == 48);
static_assert(offsetof(normc_slice_t, weight) == 56);
static_assert(offsetof(normc_slice_t, bias) == 64);
static_assert(offsetof(normc_slice_t, y) == 72);
static_assert(offsetof(normc_slice_t, y_stride) == 80);
static_assert(offsetof(normc_slice_t, sum) == 88);
static_assert(offsetof(normc_slice_t, sum_stride) == 96);
static_assert(offsetof(normc_slice_t, mean) == 104);
static_assert(offsetof(normc_slice_t, mean_stride) == 112);
static_assert(offsetof(normc_slice_t, rstd) == 120);
static_assert(offsetof(normc_slice_t, rstd_stride) == 128);

static_assert(sizeof(normc_variant_t) == 88);
static_assert(offsetof(normc_variant_t, isa) == 0);
static_assert(offsetof(normc_variant_t, stream_alignment) == 4);
static_assert(offsetof(normc_variant_t, symbol) == 8);
static_assert(offsetof(normc_variant_t, plan) == 16);
static_assert(offsetof(normc_variant_t, body) == 24);
static_assert(offsetof(normc_variant_t, streaming) == 56);

static_assert(sizeof(normc_kernel_t) == 88);
static_assert(offsetof(normc_kernel_t, struct_size) == 0);
static_assert(offsetof(normc_kernel_t, abi_version) == 4);
static_assert(offsetof(normc_kernel_t, name) == 8);
static_assert(offsetof(normc_kernel_t, op) == 16);
static_assert(offsetof(normc_kernel_t, spec) == 24);
static_assert(offsetof(normc_kernel_t, spec_hash) == 32);
static_assert(offsetof(normc_kernel_t, producer) == 40);
static_assert(offsetof(normc_kernel_t, accepts) == 48);
static_assert(offsetof(normc_kernel_t, required) == 52);
static_assert(offsetof(normc_kernel_t, x_dtype) == 56);
static_assert(offsetof(normc_kernel_t, y_dtype) == 60);
static_assert(offsetof(normc_kernel_t, param_dtype) == 64);
static_assert(offsetof(normc_kernel_t, variant_count) == 68);
static_assert(offsetof(normc_kernel_t, hidden) == 72);
static_assert(offsetof(normc_kernel_t, variants) == 80);

static_assert(sizeof(normc_kernel_set_t) == 32);
static_assert(offsetof(normc_kernel_set_t, struct_size) == 0);
static_assert(offsetof(normc_kernel_set_t, abi_version) == 4);
static_assert(offsetof(normc_kernel_set_t, name) == 8);
static_assert(offsetof(normc_kernel_set_t, reserved) == 16);
static_assert(offsetof(normc_kernel_set_t, kernel_count) == 20);
static_assert(offsetof(normc_kernel_set_t, kernels) == 24);

static_assert(sizeof(normc_diag_t) == 280);
static_assert(offsetof(normc_diag_t, struct_size) == 0);
static_assert(offsetof(normc_diag_t, code) == 4);
static_assert(offsetof(normc_diag_t, role) == 8);
static_assert(offsetof(normc_diag_t, reserved) == 12);
static_assert(offsetof(normc_diag_t, argument) == 16);
static_assert(offsetof(normc_diag_t, message) == 24);

static_assert(sizeof(normc_exec_t) == 72);
static_assert(offsetof(normc_exec_t, struct_size) == 0);
static_assert(offsetof(normc_exec_t, max_isa) == 4);
static_assert(offsetof(normc_exec_t, diag) == 8);
static_assert(offsetof(normc_exec_t, parallel_for) == 16);
static_assert(offsetof(normc_exec_t, parallel_for_context) == 24);
static_assert(offsetof(normc_exec_t, threads) == 32);
static_assert(offsetof(normc_exec_t, reserved) == 36);
static_assert(offsetof(normc_exec_t, workspace) == 40);
static_assert(offsetof(normc_exec_t, workspace_bytes) == 48);
static_assert(offsetof(normc_exec_t, cuda_stream) == 56);
static_assert(offsetof(normc_exec_t, cuda_driver) == 64);

static_assert(sizeof(normc_dispatch_report_t) == 576);
static_assert(offsetof(normc_dispatch_report_t, struct_size) == 0);
static_assert(offsetof(normc_dispatch_report_t, detected) == 4);
static_assert(offsetof(normc_dispatch_report_t, limit) == 8);
static_assert(offsetof(normc_dispatch_report_t, limit_source) == 12);
static_assert(offsetof(normc_dispatch_report_t, chosen) == 16);
static_assert(offsetof(normc_dispatch_report_t, variant_count) == 24);
static_assert(offsetof(normc_dispatch_report_t, verdict) == 28);
static_assert(offsetof(normc_dispatch_report_t, message) == 60);

static_assert(sizeof(normc_dlpack_args_t) == 80);
static_assert(offsetof(normc_dlpack_args_t, struct_size) == 0);
static_assert(offsetof(normc_dlpack_args_t, normalized_dims) == 4);
static_assert(offsetof(normc_dlpack_args_t, eps) == 8);
static_assert(offsetof(normc_dlpack_args_t, reserved) == 12);
static_assert(offsetof(normc_dlpack_args_t, x) == 16);
static_assert(offsetof(normc_dlpack_args_t, residual) == 24);
static_assert(offsetof(normc_dlpack_args_t, weight) == 32);
static_assert(offsetof(normc_dlpack_args_t, bias) == 40);
static_assert(offsetof(normc_dlpack_args_t, y) == 48);
static_assert(offsetof(normc_dlpack_args_t, sum) == 56);
static_assert(offsetof(normc_dlpack_args_t, mean) == 64);
static_assert(offsetof(normc_dlpack_args_t, rstd) == 72);

// DLPack's, whether declared by its own header or by ours.
static_assert(sizeof(DLTensor) == 48);
static_assert(offsetof(DLTensor, data) == 0);
static_assert(offsetof(DLTensor, device) == 8);
static_assert(offsetof(DLTensor, device.device_type) == 8);
static_assert(offsetof(DLTensor, device.device_id) == 12);
static_assert(offsetof(DLTensor, ndim) == 16);
static_assert(offsetof(DLTensor, dtype) == 20);
static_assert(offsetof(DLTensor, dtype.code) == 20);
static_assert(offsetof(DLTensor, dtype.bits) == 21);
static_assert(offsetof(DLTensor, dtype.lanes) == 22);
static_assert(offsetof(DLTensor, shape) == 24);
static_assert(offsetof(DLTensor, strides) == 32);
static_assert(offsetof(DLTensor, byte_offset) == 40);
static_assert(kDLCPU == 1);
static_assert(kDLFloat == 2);
static_assert(kDLBfloat == 4);

static_assert(NORMC_DTYPE_NONE == 0);
static_assert(NORMC_DTYPE_F32 == 1);
static_assert(NORMC_DTYPE_F16 == 2);
static_assert(NORMC_DTYPE_BF16 == 3);
static_assert(NORMC_ROLE_X == 1);
static_assert(NORMC_ROLE_RESIDUAL == 2);
static_assert(NORMC_ROLE_WEIGHT == 4);
static_assert(NORMC_ROLE_BIAS == 8);
static_assert(NORMC_ROLE_Y == 16);
static_assert(NORMC_ROLE_SUM == 32);
static_assert(NORMC_ROLE_MEAN == 64);
static_assert(NORMC_ROLE_RSTD == 128);
static_assert(NORMC_ISA_ANY == 0);
static_assert(NORMC_ISA_X86_64_V2 == 2);
static_assert(NORMC_ISA_X86_64_V3 == 3);
static_assert(NORMC_ISA_X86_64_V4 == 4);
static_assert(NORMC_VARIANT_MAX == 8);
static_assert(NORMC_AFFINE_WEIGHT == 1);
static_assert(NORMC_AFFINE_BIAS == 2);
static_assert(NORMC_AFFINE_COUNT == 4);
static_assert(NORMC_STATUS_SUCCESS == 0);
static_assert(NORMC_STATUS_INVALID_ARGUMENT == 1);
static_assert(NORMC_STATUS_MISSING_ARGUMENT == 2);
static_assert(NORMC_STATUS_UNSUPPORTED_ARGUMENT == 3);
static_assert(NORMC_STATUS_HIDDEN_MISMATCH == 4);
static_assert(NORMC_STATUS_INVALID_STRIDE == 5);
static_assert(NORMC_STATUS_MISALIGNED == 6);
static_assert(NORMC_STATUS_OVERLAP == 7);
static_assert(NORMC_STATUS_TOO_LARGE == 8);
static_assert(NORMC_STATUS_ABI_MISMATCH == 9);
static_assert(NORMC_STATUS_UNSUPPORTED_CPU == 10);
static_assert(NORMC_VERDICT_CHOSEN == 1);
static_assert(NORMC_VERDICT_NARROWER == 2);
static_assert(NORMC_VERDICT_CPU_LACKS == 3);
static_assert(NORMC_VERDICT_ABOVE_LIMIT == 4);
static_assert(NORMC_LIMIT_NONE == 0);
static_assert(NORMC_LIMIT_ENVIRONMENT == 1);
static_assert(NORMC_LIMIT_PROCESS == 2);
static_assert(NORMC_LIMIT_CALL == 3);
static_assert(sizeof(normc_dtype_t) == 4);
static_assert(sizeof(normc_isa_t) == 4);
static_assert(sizeof(normc_status_t) == 4);
static_assert(sizeof(normc_verdict_t) == 4);
static_assert(sizeof(normc_limit_source_t) == 4);

} // namespace
