// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward calls on a CPU: pick the variant, cut the rows, run the bodies.

#include <normc/runtime.h>

#include "runtime/failure.h"
#include "runtime/forward_call.h"
#include "runtime/mxcsr.h"
#include "runtime/policy.h"
#include "runtime/quick_call.h"
#include "runtime/state.h"

#include <cstdio>

namespace normc::runtime {
namespace {

/// What the tasks of one call share. Lives on the caller's stack.
struct Work {
  const ForwardCall *call;
  normc_body_t body;
  bool streaming;
  int64_t tasks;
};

/// Row `within` of block `block`; NULL where the array is absent.
void *rowAddress(const RowArray &array, int64_t block, int64_t within) {
  return array.begin == 0 ? nullptr : reinterpret_cast<void *>(array.begin + uintptr_t((block * array.outer + within * array.stride) * array.elementBytes));
}

/// Runs all rows by one call of the body. Only where call.sliceRows allows it.
void runWhole(const Work &work, ForwardCall &call) {
  DefaultMxcsr defaultState;
  float unwanted = 0; // a body always stores mean and rstd; this takes what the caller does not want
  normc_slice_t &slice = call.slice;
  slice.mean = slice.mean != nullptr ? slice.mean : &unwanted;
  slice.rstd = slice.rstd != nullptr ? slice.rstd : &unwanted;
  work.body(&slice);
  if (work.streaming)
    _mm_sfence(); // non-temporal stores must be ordered before whatever the caller does to publish the results
}

/// Runs rows begin .. end - 1: one body call per range of rows that lies in one block and is addressable with 31 bits.
void runRows(const Work &work, int64_t begin, int64_t end) {
  const ForwardCall &call = *work.call;
  DefaultMxcsr defaultState;
  float unwanted = 0;
  normc_slice_t slice = call.slice;
  for (int64_t row = begin; row < end;) {
    int64_t block = 0, within = row, left = end - row;
    if (call.innerRows < call.rows) {
      block = row / call.innerRows;
      within = row % call.innerRows;
      left = call.innerRows - within < left ? call.innerRows - within : left;
    }
    slice.rows = left < call.sliceRows ? left : call.sliceRows;
    slice.x = rowAddress(call.arrays[SlotX], block, within);
    slice.residual = rowAddress(call.arrays[SlotResidual], block, within);
    slice.y = rowAddress(call.arrays[SlotY], block, within);
    slice.sum = rowAddress(call.arrays[SlotSum], block, within);
    slice.mean = call.slice.mean != nullptr ? call.slice.mean + row : &unwanted;
    slice.rstd = call.slice.rstd != nullptr ? call.slice.rstd + row : &unwanted;
    work.body(&slice);
    row += slice.rows;
  }
  if (work.streaming)
    _mm_sfence();
}

void runTask(void *context, int64_t index) {
  const Work &work = *static_cast<const Work *>(context);
  if (index < 0 || index >= work.tasks)
    return; // a hook that counts wrong must not make us write outside the arrays
  int64_t rows = work.call->rows;
  runRows(work, taskBegin(rows, work.tasks, index), taskBegin(rows, work.tasks, index + 1));
}

/// Whether every row starts and ends at a multiple of `alignment` bytes. An absent array does.
bool rowsAreMultiples(const RowArray &array, uint32_t alignment) {
  if (array.begin == 0)
    return true;
  uintptr_t strides = uintptr_t(array.stride * array.elementBytes) | uintptr_t(array.outer * array.elementBytes);
  return (array.begin | strides | uintptr_t(array.rowBytes)) % alignment == 0;
}

/// Whether the streaming body may and should run. Not in place: the lines of y have then just been read, so that plain stores cost nothing extra.
bool streams(const normc_variant_t *variant, const ForwardCall &call, State state) {
  uint32_t alignment = variant->stream_alignment;
  if (alignment == 0 || variant->streaming[call.affine] == nullptr || call.inPlace || call.bytes <= streamingThreshold(state.cacheBytes()))
    return false;
  return rowsAreMultiples(call.arrays[SlotY], alignment) && rowsAreMultiples(call.arrays[SlotSum], alignment);
}

/// Any call, `exec` having been checked.
normc_status_t run(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec) {
  ForwardCall call;
  if (normc_status_t status = prepareForward(kernel, args, exec, call); status != NORMC_STATUS_SUCCESS)
    return status;
  if (call.rows == 0)
    return NORMC_STATUS_SUCCESS;
  State state = currentState();
  if (__builtin_expect(state.badEnvironment(), 0))
    return failEnvironment(exec);
  const normc_variant_t *variant = selectVariant(kernel, usableLevel(state, exec));
  if (variant == nullptr)
    return failDispatch(kernel, state, exec);
  if (variant->body[call.affine] == nullptr) {
    bool weight = (call.affine & NORMC_AFFINE_WEIGHT) != 0, bias = (call.affine & NORMC_AFFINE_BIAS) != 0;
    return fail(exec, NORMC_STATUS_UNSUPPORTED_ARGUMENT, weight ? NORMC_ROLE_WEIGHT : NORMC_ROLE_BIAS, weight ? "weight" : "bias",
                "%.64s: the kernel has no body for weight %s and bias %s: pass another combination, or build the kernel with weight and bias optional",
                kernel->name, weight ? "given" : "NULL", bias ? "given" : "NULL");
  }
  Work work;
  work.call = &call;
  work.streaming = streams(variant, call, state);
  work.body = work.streaming ? variant->streaming[call.affine] : variant->body[call.affine];
  work.tasks = exec != nullptr && exec->parallel_for != nullptr ? taskCount(exec->threads, call.rows, call.bytes) : 1;
  if (work.tasks > 1)
    exec->parallel_for(exec->parallel_for_context, work.tasks, runTask, &work);
  else if (call.sliceRows >= call.rows)
    runWhole(work, call);
  else
    runRows(work, 0, call.rows);
  return NORMC_STATUS_SUCCESS;
}

__attribute__((noinline, cold)) void runWithDefaultMxcsr(normc_body_t body, const normc_slice_t &slice) {
  DefaultMxcsr defaultState;
  body(&slice);
}

/// NORMC_AFFINE_* of NORMC_ROLE_*.
uint32_t affineOf(uint32_t roles) {
  static_assert(NORMC_ROLE_WEIGHT == 4 * NORMC_AFFINE_WEIGHT && NORMC_ROLE_BIAS == 4 * NORMC_AFFINE_BIAS);
  return roles / 4 % NORMC_AFFINE_COUNT;
}

/// Runs a call for which quickRoles vouches.
template <QuickKind Kind>
__attribute__((noinline)) normc_status_t runQuickly(const normc_kernel_t *kernel, const normc_forward_args_t *args, normc_body_t body) {
  const int64_t hidden = quickWidth(*kernel, *args);
  float unwanted; // a body always stores mean and rstd; this takes what the caller does not want
  normc_slice_t slice;
  slice.rows = args->rows;
  slice.hidden = hidden;
  slice.eps = args->eps;
  slice.reserved = 0;
  slice.x = args->x;
  slice.x_stride = hidden;
  slice.weight = args->weight;
  slice.bias = args->bias;
  slice.y = args->y;
  slice.y_stride = hidden;
  if (Kind == QuickKind::Plain) {
    slice.residual = nullptr;
    slice.residual_stride = 0;
    slice.sum = nullptr;
    slice.sum_stride = 0;
    slice.mean = &unwanted;
    slice.mean_stride = 0;
    slice.rstd = &unwanted;
    slice.rstd_stride = 0;
  } else {
    slice.residual = args->residual;
    slice.residual_stride = hidden;
    slice.sum = args->sum;
    slice.sum_stride = hidden;
    slice.mean = args->mean != nullptr ? args->mean : &unwanted;
    slice.mean_stride = args->mean != nullptr;
    slice.rstd = args->rstd != nullptr ? args->rstd : &unwanted;
    slice.rstd_stride = args->rstd != nullptr;
  }
  if (__builtin_expect(mxcsrIsDefault(), 1))
    body(&slice);
  else
    runWithDefaultMxcsr(body, slice);
  return NORMC_STATUS_SUCCESS;
}

/// The same with the widest usable variant, whichever it is.
template <QuickKind Kind>
__attribute__((noinline)) normc_status_t runWidest(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec, uint32_t given) {
  const normc_variant_t *variant = selectVariant(kernel, usableLevel(State(stateWord.load()), exec));
  const normc_body_t body = variant != nullptr ? variant->body[affineOf(given)] : nullptr;
  return body != nullptr ? runQuickly<Kind>(kernel, args, body) : run(kernel, args, exec);
}

/// Any call but the plainest.
__attribute__((noinline)) normc_status_t runAny(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec) {
  if (exec != nullptr)
    if (normc_status_t status = checkExec(exec); status != NORMC_STATUS_SUCCESS)
      return status;
  if (kernel != nullptr && args != nullptr)
    if (uint32_t given = quickRoles<QuickKind::Any>(*kernel, *args, exec))
      return runWidest<QuickKind::Any>(kernel, args, exec, given);
  return run(kernel, args, exec);
}

bool isReadable(const normc_kernel_set_t *set) {
  return set->abi_version == NORMC_ABI_VERSION && set->struct_size == sizeof(normc_kernel_set_t) && set->kernel_count != 0 && set->kernels != nullptr;
}

/// Static widths come in ascending order, the dynamic kernel last.
const normc_kernel_t *findKernel(const normc_kernel_set_t *set, int64_t hidden) {
  const normc_kernel_t *last = set->kernels[set->kernel_count - 1];
  const normc_kernel_t *dynamic = last->hidden == 0 ? last : nullptr;
  uint32_t low = 0, high = set->kernel_count - (dynamic != nullptr ? 1 : 0);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int64_t width = set->kernels[middle]->hidden;
    if (width == hidden)
      return set->kernels[middle];
    if (width < hidden)
      low = middle + 1;
    else
      high = middle;
  }
  return dynamic;
}

normc_status_t failWidth(const normc_kernel_set_t *set, const normc_forward_args_t *args, const normc_exec_t *exec) {
  char widths[128];
  size_t used = 0;
  for (uint32_t i = 0; i < set->kernel_count; ++i) {
    // Room for ", ..." and the NUL after every width that is written.
    if (used + 32 > sizeof widths) {
      std::snprintf(widths + used, sizeof widths - used, ", ...");
      break;
    }
    used += size_t(std::snprintf(widths + used, sizeof widths - used, "%s%lld", i == 0 ? "" : ", ", (long long)set->kernels[i]->hidden));
  }
  return fail(exec, NORMC_STATUS_HIDDEN_MISMATCH, 0, "hidden",
              "%.48s: hidden is %lld, but the library has %s: build that width, or a dynamic kernel with --hidden dynamic", set->name, (long long)args->hidden,
              widths);
}

} // namespace
} // namespace normc::runtime

using namespace normc::runtime;

extern "C" {

normc_status_t normc_run_forward(const normc_kernel_t *kernel, const normc_forward_args_t *args, const normc_exec_t *exec) {
  if (exec == nullptr && kernel != nullptr && args != nullptr)
    if (uint32_t given = quickRoles<QuickKind::Plain>(*kernel, *args, nullptr)) {
      // Most CPUs have the level of the first or the second variant.
      const uint32_t level = State(stateWord.load()).usable();
      const normc_variant_t *variant = kernel->variants;
      if (variant->isa != level && kernel->variant_count != 1)
        ++variant;
      if (level != NORMC_ISA_ANY && variant->isa == level)
        if (normc_body_t body = variant->body[affineOf(given)])
          return runQuickly<QuickKind::Plain>(kernel, args, body);
      return runWidest<QuickKind::Plain>(kernel, args, nullptr, given);
    }
  return runAny(kernel, args, exec);
}

normc_status_t normc_run_forward_set(const normc_kernel_set_t *set, const normc_forward_args_t *args, const normc_exec_t *exec) {
  if (exec != nullptr)
    if (normc_status_t status = checkExec(exec); status != NORMC_STATUS_SUCCESS)
      return status;
  if (set == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "set", "set is NULL, expected the <name>_kernel_set of an emitted header");
  if (!isReadable(set))
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, 0, "set",
                "the kernel set was emitted for normc ABI %u (%u bytes, %u kernels), this runtime has ABI %u (%u bytes): build it with the normc that the "
                "runtime is from",
                set->abi_version, set->struct_size, set->kernel_count, unsigned(NORMC_ABI_VERSION), unsigned(sizeof(normc_kernel_set_t)));
  if (args == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "args", "%.64s: args is NULL, expected the arguments of the call", set->name);
  if (args->struct_size != sizeof(normc_forward_args_t))
    return normc_run_forward(set->kernels[0], args, exec); // hidden may lie elsewhere in that version; any kernel refuses it with the message
  if (args->hidden < 1)
    return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "%.64s: hidden is %lld, but a library of several widths needs it: pass hidden, 1 to 16777216",
                set->name, (long long)args->hidden);
  const normc_kernel_t *kernel = findKernel(set, args->hidden);
  if (kernel == nullptr)
    return failWidth(set, args, exec);
  return normc_run_forward(kernel, args, exec);
}

const normc_kernel_t *normc_kernel_set_find(const normc_kernel_set_t *set, int64_t hidden) {
  return set != nullptr && isReadable(set) && hidden >= 1 ? findKernel(set, hidden) : nullptr;
}

} // extern "C"
