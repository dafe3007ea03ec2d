/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * normc/dispatch.h: which variant of a kernel runs, why, and how to limit it.
 *
 * A call runs the widest variant that the CPU and its operating system support and that no limit excludes. There are three limits and the lowest holds:
 * normc_exec_t::max_isa for one call, and for the process normc_set_max_isa or, until that is called, the environment variable NORMC_MAX_ISA
 * (x86-64-v2, x86-64-v3 or x86-64-v4; empty = not set; any other value makes calls fail with NORMC_STATUS_INVALID_ARGUMENT).
 * The variable and the CPU are read once, at the first call into the runtime.
 */
#ifndef NORMC_DISPATCH_H
#define NORMC_DISPATCH_H

#include <normc/abi.h>
#include <normc/exec.h>
#include <normc/export.h>
#include <normc/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits this process to variants up to `isa`, and replaces the limit of NORMC_MAX_ISA; NORMC_ISA_ANY removes every process limit. Safe to call at any time
 * from any thread; calls that are running keep their variant. NORMC_STATUS_INVALID_ARGUMENT for a value that is no normc_isa_t. */
NORMC_API normc_status_t normc_set_max_isa(normc_isa_t isa);

/** The limit of this process: the last normc_set_max_isa, else NORMC_MAX_ISA, else NORMC_ISA_ANY. */
NORMC_API normc_isa_t normc_max_isa(void);

/** The widest instruction set that CPU and operating system support; NORMC_ISA_ANY on a CPU below x86-64-v2. */
NORMC_API normc_isa_t normc_detected_isa(void);

/** "x86-64-v3" for NORMC_ISA_X86_64_V3, "any" for NORMC_ISA_ANY, "unknown" for other values. Static storage. */
NORMC_API const char *normc_isa_name(normc_isa_t isa);

/** What speaks for or against a variant. Values are pinned. */
typedef enum normc_verdict {
  NORMC_VERDICT_CHOSEN = 1,      /* a call runs this one */
  NORMC_VERDICT_NARROWER = 2,    /* usable, but the chosen one is wider */
  NORMC_VERDICT_CPU_LACKS = 3,   /* the CPU or its operating system lacks features that it needs */
  NORMC_VERDICT_ABOVE_LIMIT = 4  /* a limit excludes it */
} normc_verdict_t;

/** Where the limit in force comes from. Values are pinned. */
typedef enum normc_limit_source {
  NORMC_LIMIT_NONE = 0,
  NORMC_LIMIT_ENVIRONMENT = 1, /* NORMC_MAX_ISA */
  NORMC_LIMIT_PROCESS = 2,     /* normc_set_max_isa */
  NORMC_LIMIT_CALL = 3         /* normc_exec_t::max_isa */
} normc_limit_source_t;

/** What normc_dispatch_info finds. Owned by the caller; strings have static storage. */
typedef struct normc_dispatch_report {
  uint32_t struct_size;           /* in: 0 or sizeof(normc_dispatch_report_t) */
  uint32_t detected;              /* normc_isa_t of this machine */
  uint32_t limit;                 /* normc_isa_t: the limit in force, NORMC_ISA_ANY where there is none */
  uint32_t limit_source;          /* normc_limit_source_t */
  const normc_variant_t *chosen;  /* NULL where no variant is usable */
  uint32_t variant_count;         /* of the kernel; entries of `verdict` that are set */
  uint32_t verdict[NORMC_VARIANT_MAX]; /* normc_verdict_t of kernel->variants[i] */
  char message[512];              /* the same in words; ends with a NUL */
} normc_dispatch_report_t;

/** Fills `report` with the variant that a call of `kernel` with `exec` (may be NULL) would run and why not another. Runs nothing.
 * SUCCESS where a variant is usable; UNSUPPORTED_CPU where none is, with the report filled all the same; INVALID_ARGUMENT, MISSING_ARGUMENT or ABI_MISMATCH,
 * with a message in exec->diag and the report untouched, where an argument or NORMC_MAX_ISA is wrong. */
NORMC_API normc_status_t normc_dispatch_info(const normc_kernel_t *kernel, const normc_exec_t *exec, normc_dispatch_report_t *report);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMC_DISPATCH_H */
