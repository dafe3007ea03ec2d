/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/normc.h: all of the runtime's interface but the adapters, which need what they adapt.
 */
#ifndef NORMC_NORMC_H
#define NORMC_NORMC_H

#include <normc/abi.h>
#include <normc/dispatch.h>
#include <normc/exec.h>
#include <normc/runtime.h>
#include <normc/status.h>
#include <normc/version.h>

#endif /* NORMC_NORMC_H */
