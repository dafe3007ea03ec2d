/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/version.h: versions of the headers (macros) and of the runtime that is linked (functions).
 */
#ifndef NORMC_VERSION_H
#define NORMC_VERSION_H

#include <normc/abi.h>
#include <normc/export.h>

#define NORMC_VERSION_MAJOR 0
#define NORMC_VERSION_MINOR 1
#define NORMC_VERSION_PATCH 0
#define NORMC_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the linked runtime, "major.minor.patch". Static storage. */
NORMC_API const char *normc_version(void);

/** NORMC_ABI_VERSION of the linked runtime. Kernels of any other ABI version are refused with NORMC_STATUS_ABI_MISMATCH. */
NORMC_API uint32_t normc_abi_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_VERSION_H */
