/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/export.h: visibility of what normc offers. Everything else in the runtime and in emitted objects is hidden.
 */
#ifndef NORMC_EXPORT_H
#define NORMC_EXPORT_H

#if defined(__GNUC__)
#define NORMC_API __attribute__((visibility("default")))
#else
#define NORMC_API
#endif

#endif /* NORMC_EXPORT_H */
