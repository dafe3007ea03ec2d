// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <normc/status.h>
#include <normc/version.h>

extern "C" {

const char *normc_status_name(normc_status_t status) {
  switch (status) {
  case NORMC_STATUS_SUCCESS:
    return "NORMC_STATUS_SUCCESS";
  case NORMC_STATUS_INVALID_ARGUMENT:
    return "NORMC_STATUS_INVALID_ARGUMENT";
  case NORMC_STATUS_MISSING_ARGUMENT:
    return "NORMC_STATUS_MISSING_ARGUMENT";
  case NORMC_STATUS_UNSUPPORTED_ARGUMENT:
    return "NORMC_STATUS_UNSUPPORTED_ARGUMENT";
  case NORMC_STATUS_HIDDEN_MISMATCH:
    return "NORMC_STATUS_HIDDEN_MISMATCH";
  case NORMC_STATUS_INVALID_STRIDE:
    return "NORMC_STATUS_INVALID_STRIDE";
  case NORMC_STATUS_MISALIGNED:
    return "NORMC_STATUS_MISALIGNED";
  case NORMC_STATUS_OVERLAP:
    return "NORMC_STATUS_OVERLAP";
  case NORMC_STATUS_TOO_LARGE:
    return "NORMC_STATUS_TOO_LARGE";
  case NORMC_STATUS_ABI_MISMATCH:
    return "NORMC_STATUS_ABI_MISMATCH";
  case NORMC_STATUS_UNSUPPORTED_CPU:
    return "NORMC_STATUS_UNSUPPORTED_CPU";
  }
  return "unknown normc status";
}

const char *normc_status_description(normc_status_t status) {
  switch (status) {
  case NORMC_STATUS_SUCCESS:
    return "The call is done and all outputs are written.";
  case NORMC_STATUS_INVALID_ARGUMENT:
    return "A value is out of its range: correct the one that the message names.";
  case NORMC_STATUS_MISSING_ARGUMENT:
    return "A pointer that the kernel needs is NULL: pass that array, or build the kernel with it as optional.";
  case NORMC_STATUS_UNSUPPORTED_ARGUMENT:
    return "The kernel was not built for an array that was given: pass NULL, or build the kernel with that role.";
  case NORMC_STATUS_HIDDEN_MISMATCH:
    return "hidden is not a width that was built: correct it, or build that width or a dynamic kernel.";
  case NORMC_STATUS_INVALID_STRIDE:
    return "A stride is negative or lets rows of one array overlap: strides count elements and are 0 or at least hidden.";
  case NORMC_STATUS_MISALIGNED:
    return "A pointer is not a multiple of its element size: align it to its element.";
  case NORMC_STATUS_OVERLAP:
    return "An output shares memory with another array: pass a separate buffer, or exactly the same one where the header allows it.";
  case NORMC_STATUS_TOO_LARGE:
    return "hidden, a stride or an array is beyond what one call may address: split the call.";
  case NORMC_STATUS_ABI_MISMATCH:
    return "Kernel, caller and runtime come from different versions of normc: rebuild them against one version.";
  case NORMC_STATUS_UNSUPPORTED_CPU:
    return "No variant of the kernel may run here: build it for the target that the message names, or raise the limit.";
  }
  return "This version of normc does not have this status.";
}

const char *normc_version(void) { return NORMC_VERSION_STRING; }

uint32_t normc_abi_version(void) { return NORMC_ABI_VERSION; }

} // extern "C"
