// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack tensors to pointers, rows and strides.

#include <normc/dlpack.h>
#include <normc/runtime.h>

#include "runtime/failure.h"
#include "runtime/forward_call.h"

#include <cstdio>
#include <cstring>

namespace normc::runtime {
namespace {

/// Roles by the bits of NORMC_ROLE_*.
enum Place { PlaceX, PlaceResidual, PlaceWeight, PlaceBias, PlaceY, PlaceSum, PlaceMean, PlaceRstd, PlaceCount };
static_assert(1 << PlaceX == NORMC_ROLE_X && 1 << PlaceResidual == NORMC_ROLE_RESIDUAL && 1 << PlaceWeight == NORMC_ROLE_WEIGHT);
static_assert(1 << PlaceBias == NORMC_ROLE_BIAS && 1 << PlaceY == NORMC_ROLE_Y && 1 << PlaceSum == NORMC_ROLE_SUM);
static_assert(1 << PlaceMean == NORMC_ROLE_MEAN && 1 << PlaceRstd == NORMC_ROLE_RSTD);

/// The tensors that have x's shape.
constexpr Place rowPlaces[] = {PlaceX, PlaceResidual, PlaceY, PlaceSum};

/// "[2, 3, 768]", cut where it is long.
struct ShapeText {
  explicit ShapeText(const DLTensor &tensor) {
    size_t used = size_t(std::snprintf(text, sizeof text, "["));
    int32_t dim = 0;
    for (; dim < tensor.ndim && used < sizeof text - 28; ++dim)
      used += size_t(std::snprintf(text + used, sizeof text - used, "%s%lld", dim == 0 ? "" : ", ", (long long)tensor.shape[dim]));
    std::snprintf(text + used, sizeof text - used, dim == tensor.ndim ? "]" : ", ...]");
  }
  char text[64];
};

/// Rows that one stride describes, for each tensor its own, in elements.
struct RowDim {
  int64_t size = 1; // 1: there is no such dim
  int64_t strides[PlaceCount] = {};
};

/// One call, step by step.
class Converter {
public:
  Converter(const normc_kernel_t *kernel, const normc_dlpack_args_t *args, const normc_exec_t *exec) : kernel(kernel), args(args), exec(exec) {}

  normc_status_t run();

private:
  normc_status_t checkArgs();
  normc_status_t addTensor(Place place, const DLTensor *tensor, uint32_t dtype);
  normc_status_t addTensors();
  normc_status_t checkShapes();
  normc_status_t addColumns();
  normc_status_t addRows();
  normc_status_t addRowDim(const RowDim &next, int32_t dim);
  bool continues(const RowDim &known, const RowDim &next) const;
  normc_status_t checkVector(Place place, int64_t elements, const char *count);
  normc_status_t call();

  const char *name() const { return kernel->name; }
  const DLTensor &x() const { return *tensors[PlaceX]; }

  const normc_kernel_t *kernel;
  const normc_dlpack_args_t *args;
  const normc_exec_t *exec;

  const DLTensor *tensors[PlaceCount] = {}; // NULL = absent
  void *pointers[PlaceCount] = {};
  int32_t normalizedDims = 1;
  int64_t hidden = 1;
  RowDim inner, outer;
};

normc_status_t Converter::checkArgs() {
  if (args == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "args", "%.64s: args is NULL, expected the arguments of the call", name());
  if (args->struct_size != sizeof(normc_dlpack_args_t))
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, 0, "struct_size",
                "%.64s: struct_size is %u, expected %u: initialize the arguments with NORMC_DLPACK_ARGS_INIT and compile against the headers of the linked "
                "runtime",
                name(), args->struct_size, unsigned(sizeof(normc_dlpack_args_t)));
  if (args->reserved != 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "reserved", "%.64s: reserved is %u, expected 0: initialize the whole struct", name(), args->reserved);
  if (args->x == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, NORMC_ROLE_X, "x", "%.64s: x is NULL, but the call takes its shape from x: pass the tensor", name());
  return NORMC_STATUS_SUCCESS;
}

/// What holds for every tensor, whatever its shape.
normc_status_t Converter::addTensor(Place place, const DLTensor *tensor, uint32_t dtype) {
  if (tensor == nullptr)
    return NORMC_STATUS_SUCCESS;
  const uint32_t role = 1u << place;
  const char *what = roleName(role);
  if ((kernel->accepts & role) == 0)
    return fail(exec, NORMC_STATUS_UNSUPPORTED_ARGUMENT, role, what,
                "%.64s: %s is given, but the kernel was built without it: pass NULL, or build the kernel with %s", name(), what, what);
  int32_t device = 0; // another DLPack than ours has values that our enumeration has not
  std::memcpy(&device, &tensor->device.device_type, sizeof device);
  if (device != kDLCPU)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, role, what, "%.64s: %s is on a device of DLPack type %d, expected 1 (kDLCPU): copy it to the CPU", name(),
                what, int(device));
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == nullptr))
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, role, what, "%.64s: %s has %d dims%s, expected a shape", name(), what, int(tensor->ndim),
                tensor->ndim > 0 ? " and shape NULL" : "");
  for (int32_t dim = 0; dim < tensor->ndim; ++dim)
    if (tensor->shape[dim] < 0)
      return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, role, what, "%.64s: %s has shape %s, expected no size below 0", name(), what, ShapeText(*tensor).text);
  if (elementBytes(dtype) == 0)
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, role, "kernel", "%.64s: the kernel's type of %s is %u, which this runtime does not know", name(), what, dtype);
  const unsigned code = dtype == NORMC_DTYPE_BF16 ? kDLBfloat : kDLFloat, bits = unsigned(8 * elementBytes(dtype));
  if (tensor->dtype.code != code || tensor->dtype.bits != bits || tensor->dtype.lanes != 1)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, role, what,
                "%.64s: %s has DLPack type code %u, %u bits, %u lanes, expected %u (%s), %u, 1: convert it, or build the kernel for its type", name(), what,
                unsigned(tensor->dtype.code), unsigned(tensor->dtype.bits), unsigned(tensor->dtype.lanes), code, code == kDLBfloat ? "kDLBfloat" : "kDLFloat",
                bits);
  uintptr_t address = 0;
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(tensor->data), tensor->byte_offset, &address))
    return fail(exec, NORMC_STATUS_TOO_LARGE, role, what, "%.64s: %s has byte_offset %llu, which leads beyond the address space", name(), what,
                (unsigned long long)tensor->byte_offset);
  tensors[place] = tensor;
  pointers[place] = tensor->data != nullptr ? reinterpret_cast<void *>(address) : nullptr;
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Converter::addTensors() {
  normc_status_t status = addTensor(PlaceX, args->x, kernel->x_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceResidual, args->residual, kernel->x_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceWeight, args->weight, kernel->param_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceBias, args->bias, kernel->param_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceY, args->y, kernel->y_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceSum, args->sum, kernel->x_dtype);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceMean, args->mean, NORMC_DTYPE_F32);
  if (status == NORMC_STATUS_SUCCESS)
    status = addTensor(PlaceRstd, args->rstd, NORMC_DTYPE_F32);
  return status;
}

normc_status_t Converter::checkShapes() {
  const unsigned least = args->normalized_dims != 0 ? args->normalized_dims : 1;
  if (least > unsigned(x().ndim))
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X, "x", "%.64s: x has %d dims, expected at least the %u that are normalized", name(),
                int(x().ndim), least);
  normalizedDims = int32_t(least);
  for (Place place : rowPlaces) {
    const DLTensor *tensor = tensors[place];
    bool same = tensor == nullptr || tensor->ndim == x().ndim;
    for (int32_t dim = 0; tensor != nullptr && same && dim < tensor->ndim; ++dim)
      same = tensor->shape[dim] == x().shape[dim];
    if (!same)
      return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 1u << place, roleName(1u << place), "%.64s: %s has shape %s, expected x's, %s", name(),
                  roleName(1u << place), ShapeText(*tensor).text, ShapeText(x()).text);
  }
  return NORMC_STATUS_SUCCESS;
}

/// hidden, from dims that must follow each other without gaps, the last one fastest.
normc_status_t Converter::addColumns() {
  for (int32_t dim = x().ndim - 1; dim >= x().ndim - normalizedDims; --dim) {
    const int64_t size = x().shape[dim];
    for (Place place : rowPlaces) {
      const DLTensor *tensor = tensors[place];
      if (tensor == nullptr || tensor->strides == nullptr || size <= 1 || tensor->strides[dim] == hidden)
        continue;
      return fail(exec, NORMC_STATUS_INVALID_STRIDE, 1u << place, roleName(1u << place),
                  "%.64s: %s has stride %lld in dim %d, expected %lld: columns must follow each other; make the tensor contiguous", name(),
                  roleName(1u << place), (long long)tensor->strides[dim], int(dim), (long long)hidden);
    }
    if (__builtin_mul_overflow(hidden, size, &hidden) || hidden > maxHidden)
      return fail(exec, NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "x", "%.64s: x has shape %s, of which the last %d are more than 16777216 (2^24) columns", name(),
                  ShapeText(x()).text, int(normalizedDims));
  }
  if (hidden == 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X, "x", "%.64s: x has shape %s, expected at least one column", name(), ShapeText(x()).text);
  if (kernel->hidden != 0 && hidden != kernel->hidden)
    return fail(exec, NORMC_STATUS_HIDDEN_MISMATCH, NORMC_ROLE_X, "x", "%.64s: x has shape %s, so %lld columns, but the kernel was built for %lld", name(),
                ShapeText(x()).text, (long long)hidden, (long long)kernel->hidden);
  return NORMC_STATUS_SUCCESS;
}

/// Whether `next`, the dim outside `known`, continues its rows in all tensors.
bool Converter::continues(const RowDim &known, const RowDim &next) const {
  for (Place place : rowPlaces) {
    int64_t stride = 0;
    if (tensors[place] != nullptr && (__builtin_mul_overflow(known.size, known.strides[place], &stride) || stride != next.strides[place]))
      return false;
  }
  return true;
}

normc_status_t Converter::addRowDim(const RowDim &next, int32_t dim) {
  if (inner.size == 1) {
    inner = next;
    return NORMC_STATUS_SUCCESS;
  }
  RowDim *known = outer.size == 1 ? &inner : &outer;
  if (continues(*known, next)) {
    if (!__builtin_mul_overflow(known->size, next.size, &known->size))
      return NORMC_STATUS_SUCCESS;
    return fail(exec, NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "x", "%.64s: x has shape %s, which is more than memory can hold", name(), ShapeText(x()).text);
  }
  if (known == &inner) {
    outer = next;
    return NORMC_STATUS_SUCCESS;
  }
  return fail(exec, NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "x",
              "%.64s: dim %d of x and the tensors of its shape, %s, does not merge with those inside it, expected at most two strides for all rows: make the "
              "tensors contiguous",
              name(), int(dim), ShapeText(x()).text);
}

/// The other dims, from the last on.
normc_status_t Converter::addRows() {
  RowDim next;
  for (int64_t &stride : next.strides)
    stride = hidden; // that of a compact tensor, kept up from dim to dim
  for (int32_t dim = x().ndim - normalizedDims - 1; dim >= 0; --dim) {
    next.size = x().shape[dim];
    if (next.size == 0) {
      inner = outer = {};
      inner.size = 0;
      return NORMC_STATUS_SUCCESS;
    }
    if (next.size == 1)
      continue;
    for (Place place : rowPlaces)
      if (tensors[place] != nullptr && tensors[place]->strides != nullptr) {
        next.strides[place] = tensors[place]->strides[dim];
        if (next.strides[place] < 1)
          return fail(exec, NORMC_STATUS_INVALID_STRIDE, 1u << place, roleName(1u << place),
                      "%.64s: %s has stride %lld in dim %d, expected more than 0: expanded and reversed dims are not supported; make the tensor contiguous",
                      name(), roleName(1u << place), (long long)next.strides[place], int(dim));
      }
    if (normc_status_t status = addRowDim(next, dim); status != NORMC_STATUS_SUCCESS)
      return status;
    for (Place place : rowPlaces)
      if (tensors[place] != nullptr && tensors[place]->strides == nullptr && __builtin_mul_overflow(next.strides[place], next.size, &next.strides[place]))
        return fail(exec, NORMC_STATUS_TOO_LARGE, 1u << place, roleName(1u << place), "%.64s: %s has shape %s, which is more than memory can hold", name(),
                    roleName(1u << place), ShapeText(x()).text);
  }
  return NORMC_STATUS_SUCCESS;
}

/// weight, bias, mean and rstd: any shape of `elements` elements without gaps.
normc_status_t Converter::checkVector(Place place, int64_t elements, const char *count) {
  const DLTensor *tensor = tensors[place];
  if (tensor == nullptr)
    return NORMC_STATUS_SUCCESS;
  const uint32_t role = 1u << place;
  int64_t product = 1;
  bool compact = true, overflows = false;
  for (int32_t dim = tensor->ndim - 1; dim >= 0; --dim) {
    compact = compact && (tensor->strides == nullptr || tensor->shape[dim] <= 1 || tensor->strides[dim] == product);
    overflows = overflows || __builtin_mul_overflow(product, tensor->shape[dim], &product);
  }
  if (overflows || product != elements)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, role, roleName(role), "%.64s: %s has shape %s, expected %lld elements, one per %s", name(), roleName(role),
                ShapeText(*tensor).text, (long long)elements, count);
  if (!compact)
    return fail(exec, NORMC_STATUS_INVALID_STRIDE, role, roleName(role), "%.64s: %s has gaps or another order of dims, expected neither: make it contiguous",
                name(), roleName(role));
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Converter::call() {
  normc_forward_args_t forward = {};
  forward.struct_size = sizeof forward;
  forward.rows = inner.size * outer.size;
  forward.inner_rows = outer.size != 1 ? inner.size : 0;
  forward.hidden = hidden;
  forward.eps = args->eps;
  forward.x = pointers[PlaceX];
  forward.x_stride = inner.strides[PlaceX];
  forward.x_outer_stride = outer.strides[PlaceX];
  forward.residual = pointers[PlaceResidual];
  forward.residual_stride = inner.strides[PlaceResidual];
  forward.residual_outer_stride = outer.strides[PlaceResidual];
  forward.weight = pointers[PlaceWeight];
  forward.bias = pointers[PlaceBias];
  forward.y = pointers[PlaceY];
  forward.y_stride = inner.strides[PlaceY];
  forward.y_outer_stride = outer.strides[PlaceY];
  forward.sum = pointers[PlaceSum];
  forward.sum_stride = inner.strides[PlaceSum];
  forward.sum_outer_stride = outer.strides[PlaceSum];
  forward.mean = static_cast<float *>(pointers[PlaceMean]);
  forward.rstd = static_cast<float *>(pointers[PlaceRstd]);
  return normc_run_forward(kernel, &forward, exec);
}

normc_status_t Converter::run() {
  normc_status_t status;
  if ((status = checkArgs()) != NORMC_STATUS_SUCCESS || (status = addTensors()) != NORMC_STATUS_SUCCESS || (status = checkShapes()) != NORMC_STATUS_SUCCESS ||
      (status = addColumns()) != NORMC_STATUS_SUCCESS || (status = addRows()) != NORMC_STATUS_SUCCESS)
    return status;
  int64_t rows = 0;
  if (__builtin_mul_overflow(inner.size, outer.size, &rows))
    return fail(exec, NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "x", "%.64s: x has shape %s, which is more than memory can hold", name(), ShapeText(x()).text);
  if ((status = checkVector(PlaceWeight, hidden, "column")) != NORMC_STATUS_SUCCESS ||
      (status = checkVector(PlaceBias, hidden, "column")) != NORMC_STATUS_SUCCESS || (status = checkVector(PlaceMean, rows, "row")) != NORMC_STATUS_SUCCESS ||
      (status = checkVector(PlaceRstd, rows, "row")) != NORMC_STATUS_SUCCESS)
    return status;
  return call();
}

} // namespace
} // namespace normc::runtime

using namespace normc::runtime;

extern "C" normc_status_t normc_run_dlpack(const normc_kernel_t *kernel, const normc_dlpack_args_t *args, const normc_exec_t *exec) {
  if (exec != nullptr)
    if (normc_status_t status = checkExec(exec); status != NORMC_STATUS_SUCCESS)
      return status;
  if (normc_status_t status = checkKernel(kernel, exec); status != NORMC_STATUS_SUCCESS)
    return status;
  return Converter(kernel, args, exec).run();
}
