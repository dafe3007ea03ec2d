// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of a forward call, all of them before anything is written. normc/runtime.h states the rules.

#include "runtime/forward_call.h"

#include "runtime/failure.h"

namespace normc::runtime {
namespace {

/// Arrays stay below this, so that byte offsets and sums of four arrays fit 64 bits.
constexpr uint64_t maxArrayBytes = uint64_t(1) << 62;

const char *dtypeName(uint32_t dtype) {
  return dtype == NORMC_DTYPE_F32 ? "f32" : dtype == NORMC_DTYPE_F16 ? "f16" : dtype == NORMC_DTYPE_BF16 ? "bf16" : "none";
}

const char *strideField(uint32_t role, bool outer) {
  switch (role) {
  case NORMC_ROLE_X:
    return outer ? "x_outer_stride" : "x_stride";
  case NORMC_ROLE_RESIDUAL:
    return outer ? "residual_outer_stride" : "residual_stride";
  case NORMC_ROLE_Y:
    return outer ? "y_outer_stride" : "y_stride";
  default:
    return outer ? "sum_outer_stride" : "sum_stride";
  }
}

uintptr_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// A range of bytes that one role takes; `rows` is NULL for weight, bias, mean and rstd.
struct Span {
  uintptr_t begin;
  uintptr_t end;
  const RowArray *rows;
  uint32_t role;
};

/// The checks of one call, in the order in which they run.
class Checker {
public:
  Checker(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec, ForwardCall &call)
      : kernel(kernel), args(args), exec(exec), call(call) {}

  normc_status_t run() {
    normc_status_t status;
    if ((status = checkFixedFields()) != NORMC_STATUS_SUCCESS || (status = checkSizes()) != NORMC_STATUS_SUCCESS ||
        (status = checkRoles()) != NORMC_STATUS_SUCCESS)
      return status;
    call.rows = args->rows;
    if (args->rows == 0)
      return NORMC_STATUS_SUCCESS;
    innerRows = args->inner_rows != 0 && args->inner_rows < args->rows ? args->inner_rows : args->rows;
    if ((status = addRowArrays()) != NORMC_STATUS_SUCCESS || (status = checkBlocks()) != NORMC_STATUS_SUCCESS ||
        (status = checkRanges()) != NORMC_STATUS_SUCCESS || (status = checkSharing()) != NORMC_STATUS_SUCCESS)
      return status;
    fillCall();
    return NORMC_STATUS_SUCCESS;
  }

private:
  normc_status_t checkFixedFields();
  normc_status_t checkSizes();
  normc_status_t checkRoles();
  normc_status_t addRowArrays();
  normc_status_t addRowArray(RowSlot slot, const void *pointer, uint32_t role, uint32_t dtype, int64_t stride, int64_t outer);
  normc_status_t checkBlocks();
  void mergeBlocks();
  normc_status_t checkRanges();
  normc_status_t addRowSpan(RowSlot slot);
  normc_status_t addVector(const void *pointer, uint32_t role, int64_t count, int64_t elementBytes);
  normc_status_t checkSharing();
  normc_status_t checkPair(const Span &output, const Span &other);
  void fillCall();

  const char *name() const { return kernel->name; }

  const normc_kernel_t *kernel;
  const normc_forward_args_t *args;
  const normc_exec_t *exec;
  ForwardCall &call;

  int64_t hidden = 0;
  int64_t innerRows = 0;
  int64_t blocks = 1;
  Span spans[8]; // inputs first
  int spanCount = 0;
  int firstOutput = 0;
};

normc_status_t Checker::checkFixedFields() {
  if (args == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "args", "%.64s: args is NULL, expected the arguments of the call", name());
  if (args->struct_size != sizeof(normc_forward_args_t))
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, 0, "struct_size",
                "%.64s: struct_size is %u, expected %u: initialize the arguments with the emitted header's ..._ARGS_INIT and compile against the headers of "
                "the linked runtime",
                name(), args->struct_size, unsigned(sizeof(normc_forward_args_t)));
  if (args->flags != 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "flags", "%.64s: flags is %u, expected 0 (no flag is defined)", name(), args->flags);
  if (args->reserved != 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "reserved", "%.64s: reserved is %u, expected 0: initialize the whole struct", name(), args->reserved);
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Checker::checkSizes() {
  if (args->rows < 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "rows", "%.64s: rows is %lld, expected 0 or more", name(), (long long)args->rows);
  if (args->inner_rows < 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "inner_rows", "%.64s: inner_rows is %lld, expected 0 (= rows) or more", name(),
                (long long)args->inner_rows);
  hidden = args->hidden;
  if (hidden < 0)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "%.64s: hidden is %lld, expected %s", name(), (long long)hidden,
                kernel->hidden != 0 ? "0 (= the built width) or that width" : "1 to 16777216");
  if (kernel->hidden != 0) {
    if (hidden != 0 && hidden != kernel->hidden)
      return fail(exec, NORMC_STATUS_HIDDEN_MISMATCH, 0, "hidden",
                  "%.64s: hidden is %lld, but the kernel was built for %lld: pass 0 or %lld, or build the other width", name(), (long long)hidden,
                  (long long)kernel->hidden, (long long)kernel->hidden);
    hidden = kernel->hidden;
  } else if (hidden == 0) {
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "%.64s: hidden is 0, but the kernel has no built width: pass hidden, 1 to 16777216", name());
  }
  if (hidden > maxHidden)
    return fail(exec, NORMC_STATUS_TOO_LARGE, 0, "hidden", "%.64s: hidden is %lld, expected at most 16777216 (2^24)", name(), (long long)hidden);
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Checker::checkRoles() {
  uint32_t given = (args->x != nullptr ? NORMC_ROLE_X : 0) | (args->residual != nullptr ? NORMC_ROLE_RESIDUAL : 0) |
                   (args->weight != nullptr ? NORMC_ROLE_WEIGHT : 0) | (args->bias != nullptr ? NORMC_ROLE_BIAS : 0) | (args->y != nullptr ? NORMC_ROLE_Y : 0) |
                   (args->sum != nullptr ? NORMC_ROLE_SUM : 0) | (args->mean != nullptr ? NORMC_ROLE_MEAN : 0) | (args->rstd != nullptr ? NORMC_ROLE_RSTD : 0);
  if (uint32_t refused = given & ~kernel->accepts) {
    uint32_t role = refused & -refused;
    return fail(exec, NORMC_STATUS_UNSUPPORTED_ARGUMENT, role, roleName(role),
                "%.64s: %s is given, but the kernel was built without it: pass NULL, or build the kernel with %s", name(), roleName(role), roleName(role));
  }
  if (args->rows == 0)
    return NORMC_STATUS_SUCCESS;
  if (uint32_t absent = (kernel->required | NORMC_ROLE_X | NORMC_ROLE_Y) & ~given) {
    uint32_t role = absent & -absent;
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, role, roleName(role), "%.64s: %s is NULL, but the kernel needs it: pass the array", name(),
                roleName(role));
  }
  call.affine = (args->weight != nullptr ? NORMC_AFFINE_WEIGHT : 0) | (args->bias != nullptr ? NORMC_AFFINE_BIAS : 0);
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Checker::addRowArray(RowSlot slot, const void *pointer, uint32_t role, uint32_t dtype, int64_t stride, int64_t outer) {
  int64_t bytes = elementBytes(dtype);
  if (bytes == 0)
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, role, "kernel", "%.64s: the kernel's type of %s is %u, which this runtime does not know", name(),
                roleName(role), dtype);
  if ((address(pointer) & uintptr_t(bytes - 1)) != 0)
    return fail(exec, NORMC_STATUS_MISALIGNED, role, roleName(role), "%.64s: %s is %p, expected a multiple of %lld (its element, %s)", name(), roleName(role),
                pointer, (long long)bytes, dtypeName(dtype));
  if (stride != 0 && (stride < hidden || stride >= maxSliceElements)) {
    if (stride >= maxSliceElements)
      return fail(exec, NORMC_STATUS_TOO_LARGE, role, strideField(role, false), "%.64s: %s is %lld elements, expected less than 2147483648 (2^31)", name(),
                  strideField(role, false), (long long)stride);
    return fail(exec, NORMC_STATUS_INVALID_STRIDE, role, strideField(role, false), "%.64s: %s is %lld elements, expected 0 (= hidden) or at least hidden, %lld",
                name(), strideField(role, false), (long long)stride, (long long)hidden);
  }
  if (outer < 0)
    return fail(exec, NORMC_STATUS_INVALID_STRIDE, role, strideField(role, true), "%.64s: %s is %lld elements, expected 0 (= inner_rows * stride) or more",
                name(), strideField(role, true), (long long)outer);
  RowArray &array = call.arrays[slot];
  array.begin = address(pointer);
  array.stride = args->rows == 1 ? 0 : stride != 0 ? stride : hidden;
  array.outer = innerRows == args->rows ? 0 : outer;
  array.elementBytes = bytes;
  array.rowBytes = hidden * bytes;
  array.dtype = dtype;
  array.role = role;
  return NORMC_STATUS_SUCCESS;
}

normc_status_t Checker::addRowArrays() {
  call.arrays[SlotResidual].begin = call.arrays[SlotSum].begin = 0;
  normc_status_t status = addRowArray(SlotX, args->x, NORMC_ROLE_X, kernel->x_dtype, args->x_stride, args->x_outer_stride);
  if (status == NORMC_STATUS_SUCCESS && args->residual != nullptr)
    status = addRowArray(SlotResidual, args->residual, NORMC_ROLE_RESIDUAL, kernel->x_dtype, args->residual_stride, args->residual_outer_stride);
  if (status == NORMC_STATUS_SUCCESS)
    status = addRowArray(SlotY, args->y, NORMC_ROLE_Y, kernel->y_dtype, args->y_stride, args->y_outer_stride);
  if (status == NORMC_STATUS_SUCCESS && args->sum != nullptr)
    status = addRowArray(SlotSum, args->sum, NORMC_ROLE_SUM, kernel->x_dtype, args->sum_stride, args->sum_outer_stride);
  return status;
}

/// Resolves default outer strides and checks that no array's rows overlap, where there is more than one block.
normc_status_t Checker::checkBlocks() {
  if (innerRows == args->rows)
    return NORMC_STATUS_SUCCESS;
  blocks = (args->rows - 1) / innerRows + 1;
  for (RowArray &array : call.arrays) {
    if (array.begin == 0)
      continue;
    int64_t block = 0; // elements from the first row of a block to the end of its last one
    int64_t interleaved = 0;
    if (__builtin_mul_overflow(innerRows, array.stride, &block) ||
        (array.outer != 0 && (__builtin_mul_overflow(blocks - 1, array.outer, &interleaved) || __builtin_add_overflow(interleaved, hidden, &interleaved))))
      return fail(exec, NORMC_STATUS_TOO_LARGE, array.role, strideField(array.role, true),
                  "%.64s: %s spans more than 2^62 bytes: check rows, inner_rows and its strides", name(), roleName(array.role));
    if (array.outer == 0)
      array.outer = block;
    block -= array.stride - hidden;
    bool interleaves = interleaved != 0 && innerRows > 1 && array.stride >= interleaved && array.outer >= hidden;
    if (array.outer < block && !interleaves)
      return fail(exec, NORMC_STATUS_INVALID_STRIDE, array.role, strideField(array.role, true),
                  "%.64s: %s is %lld elements, expected 0 or at least %lld (a block of inner_rows rows), since rows of %s would overlap", name(),
                  strideField(array.role, true), (long long)array.outer, (long long)block, roleName(array.role));
    if (innerRows == 1)
      array.stride = 0;
  }
  mergeBlocks();
  return NORMC_STATUS_SUCCESS;
}

/// Turns blocks into one where a single stride describes all rows of every array: longer slices, and none per block.
void Checker::mergeBlocks() {
  for (const RowArray &array : call.arrays)
    if (array.begin != 0 && (innerRows == 1 ? array.outer >= maxSliceElements : array.outer != innerRows * array.stride))
      return;
  for (RowArray &array : call.arrays) {
    if (array.begin == 0)
      continue;
    if (innerRows == 1)
      array.stride = array.outer;
    array.outer = 0;
  }
  innerRows = args->rows;
  blocks = 1;
}

normc_status_t Checker::addVector(const void *pointer, uint32_t role, int64_t count, int64_t elementBytes) {
  if (elementBytes == 0)
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, role, "kernel", "%.64s: the kernel's type of %s is %u, which this runtime does not know", name(),
                roleName(role), kernel->param_dtype);
  if ((address(pointer) & uintptr_t(elementBytes - 1)) != 0)
    return fail(exec, NORMC_STATUS_MISALIGNED, role, roleName(role), "%.64s: %s is %p, expected a multiple of %lld (its element, %s)", name(), roleName(role),
                pointer, (long long)elementBytes, elementBytes == 4 ? "f32" : dtypeName(kernel->param_dtype));
  int64_t bytes = 0;
  uintptr_t end = 0;
  if (__builtin_mul_overflow(count, elementBytes, &bytes) || __builtin_add_overflow(address(pointer), uintptr_t(bytes), &end))
    return fail(exec, NORMC_STATUS_TOO_LARGE, role, roleName(role), "%.64s: %s would reach beyond the address space: check rows, %lld", name(), roleName(role),
                (long long)args->rows);
  spans[spanCount++] = {address(pointer), end, nullptr, role};
  return NORMC_STATUS_SUCCESS;
}

/// Computes the range of bytes of an array of rows.
normc_status_t Checker::addRowSpan(RowSlot slot) {
  RowArray &array = call.arrays[slot];
  int64_t elements = 0, bytes = 0;
  bool overflow = false;
  if (blocks == 1) {
    overflow = __builtin_mul_overflow(args->rows - 1, array.stride, &elements);
  } else {
    // A partial last block may end before the full one that precedes it.
    int64_t lastRows = args->rows - (blocks - 1) * innerRows, last = 0, full = 0, fullRow = 0, lastRow = 0;
    overflow = __builtin_mul_overflow(blocks - 1, array.outer, &last) || __builtin_mul_overflow(lastRows - 1, array.stride, &lastRow) ||
               __builtin_mul_overflow(innerRows - 1, array.stride, &fullRow) || __builtin_add_overflow(last - array.outer, fullRow, &full) ||
               __builtin_add_overflow(last, lastRow, &last);
    elements = full > last ? full : last;
  }
  overflow = overflow || __builtin_add_overflow(elements, hidden, &elements) || __builtin_mul_overflow(elements, array.elementBytes, &bytes) ||
             uint64_t(bytes) >= maxArrayBytes || __builtin_add_overflow(array.begin, uintptr_t(bytes), &array.end);
  if (overflow)
    return fail(exec, NORMC_STATUS_TOO_LARGE, array.role, roleName(array.role),
                "%.64s: %s would reach beyond the address space: check rows, %lld, and its strides, which count elements", name(), roleName(array.role),
                (long long)args->rows);
  spans[spanCount++] = {array.begin, array.end, &array, array.role};
  return NORMC_STATUS_SUCCESS;
}

/// Computes the range of bytes of every array; inputs come first in `spans`.
normc_status_t Checker::checkRanges() {
  normc_status_t status = addRowSpan(SlotX);
  if (status == NORMC_STATUS_SUCCESS && args->residual != nullptr)
    status = addRowSpan(SlotResidual);
  if (status == NORMC_STATUS_SUCCESS && args->weight != nullptr)
    status = addVector(args->weight, NORMC_ROLE_WEIGHT, hidden, elementBytes(kernel->param_dtype));
  if (status == NORMC_STATUS_SUCCESS && args->bias != nullptr)
    status = addVector(args->bias, NORMC_ROLE_BIAS, hidden, elementBytes(kernel->param_dtype));
  firstOutput = spanCount;
  if (status == NORMC_STATUS_SUCCESS)
    status = addRowSpan(SlotY);
  if (status == NORMC_STATUS_SUCCESS && args->sum != nullptr)
    status = addRowSpan(SlotSum);
  if (status == NORMC_STATUS_SUCCESS && args->mean != nullptr)
    status = addVector(args->mean, NORMC_ROLE_MEAN, args->rows, sizeof(float));
  if (status == NORMC_STATUS_SUCCESS && args->rstd != nullptr)
    status = addVector(args->rstd, NORMC_ROLE_RSTD, args->rows, sizeof(float));
  return status;
}

normc_status_t Checker::checkSharing() {
  call.inPlace = false;
  for (int output = firstOutput; output < spanCount; ++output)
    for (int other = 0; other < output; ++other)
      if (spans[output].begin < spans[other].end && spans[other].begin < spans[output].end)
        if (normc_status_t status = checkPair(spans[output], spans[other]); status != NORMC_STATUS_SUCCESS)
          return status;
  return NORMC_STATUS_SUCCESS;
}

/// Two arrays whose ranges meet.
normc_status_t Checker::checkPair(const Span &output, const Span &other) {
  if (output.rows == nullptr || other.rows == nullptr || (other.role & (NORMC_ROLE_X | NORMC_ROLE_RESIDUAL)) == 0) {
    bool shares = output.rows == nullptr || other.rows == nullptr || rowsOverlap(*output.rows, *other.rows, innerRows, blocks);
    if (!shares)
      return NORMC_STATUS_SUCCESS;
    return fail(exec, NORMC_STATUS_OVERLAP, output.role, roleName(output.role), "%.64s: %s (from %p) overlaps %s (from %p): pass separate buffers", name(),
                roleName(output.role), reinterpret_cast<void *>(output.begin), roleName(other.role), reinterpret_cast<void *>(other.begin));
  }
  const RowArray &a = *output.rows, &b = *other.rows;
  bool sameStrides = a.stride == b.stride && a.outer == b.outer;
  if (a.begin == b.begin && a.dtype == b.dtype && sameStrides) {
    call.inPlace = true;
    return NORMC_STATUS_SUCCESS;
  }
  if (!rowsOverlap(a, b, innerRows, blocks))
    return NORMC_STATUS_SUCCESS;
  if (a.begin == b.begin)
    return fail(exec, NORMC_STATUS_OVERLAP, a.role, roleName(a.role),
                "%.64s: %s is the buffer of %s, which needs the same type and strides: %s is %s with strides %lld, %lld and %s is %s with %lld, %lld", name(),
                roleName(a.role), roleName(b.role), roleName(a.role), dtypeName(a.dtype), (long long)a.stride, (long long)a.outer, roleName(b.role),
                dtypeName(b.dtype), (long long)b.stride, (long long)b.outer);
  bool comparable = a.stride * a.elementBytes == b.stride * b.elementBytes && a.outer * a.elementBytes == b.outer * b.elementBytes;
  return fail(exec, NORMC_STATUS_OVERLAP, a.role, roleName(a.role), "%.64s: %s (from %p) overlaps %s (from %p): %s", name(), roleName(a.role),
              reinterpret_cast<void *>(a.begin), roleName(b.role), reinterpret_cast<void *>(b.begin),
              comparable ? "pass a separate buffer, or exactly the same one"
                         : "their ranges meet and their strides differ; pass a separate buffer, exactly the same one, or strides that are equal in bytes");
}

void Checker::fillCall() {
  int64_t largestStride = hidden, rowBytes = 0, strides[SlotCount];
  for (int slot = 0; slot < SlotCount; ++slot) {
    const RowArray &array = call.arrays[slot];
    strides[slot] = 0;
    if (array.begin == 0)
      continue;
    // A slice of one row still gets a stride that is valid for hidden, so that bodies need no special case.
    strides[slot] = array.stride != 0 ? array.stride : hidden;
    largestStride = strides[slot] > largestStride ? strides[slot] : largestStride;
    rowBytes += array.rowBytes;
  }
  // Field by field: clearing the struct first costs as much as all checks of a small call.
  normc_slice_t &slice = call.slice;
  slice.rows = args->rows;
  slice.hidden = hidden;
  slice.eps = args->eps;
  slice.reserved = 0;
  slice.x = args->x;
  slice.x_stride = strides[SlotX];
  slice.residual = args->residual;
  slice.residual_stride = strides[SlotResidual];
  slice.weight = args->weight;
  slice.bias = args->bias;
  slice.y = args->y;
  slice.y_stride = strides[SlotY];
  slice.sum = args->sum;
  slice.sum_stride = strides[SlotSum];
  slice.mean = args->mean;
  slice.mean_stride = args->mean != nullptr;
  slice.rstd = args->rstd;
  slice.rstd_stride = args->rstd != nullptr;
  call.innerRows = innerRows;
  call.bytes = uint64_t(args->rows) * uint64_t(rowBytes);
  // The division is slow and needed by huge calls only.
  int64_t room = maxSliceElements - 1 - hidden, reach = 0;
  bool fits = !__builtin_mul_overflow(innerRows - 1, largestStride, &reach) && reach <= room;
  call.sliceRows = fits ? innerRows : room / largestStride + 1;
}

} // namespace

normc_status_t prepareForward(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec, ForwardCall &call) {
  if (normc_status_t status = checkKernel(kernel, exec); status != NORMC_STATUS_SUCCESS)
    return status;
  return Checker(kernel, args, exec, call).run();
}

} // namespace normc::runtime
