// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <normc/dispatch.h>

#include "runtime/cpu.h"
#include "runtime/failure.h"
#include "runtime/state.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace normc::runtime {
namespace {

/// Appends to a text of fixed size and drops what does not fit.
class Text {
public:
  Text(char *begin, size_t size) : next(begin), left(size) { *begin = 0; }

  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = std::vsnprintf(next, left, format, values);
    va_end(values);
    size_t used = length < 0 ? 0 : size_t(length) < left ? size_t(length) : left - 1;
    next += used;
    left -= used;
  }

private:
  char *next;
  size_t left;
};

uint32_t verdictOn(const normc_variant_t *variant, State state, Limit limit, const normc_variant_t *chosen) {
  if (variant == chosen)
    return NORMC_VERDICT_CHOSEN;
  if (variant->isa > state.detected())
    return NORMC_VERDICT_CPU_LACKS;
  if (limit.isa != NORMC_ISA_ANY && variant->isa > limit.isa)
    return NORMC_VERDICT_ABOVE_LIMIT;
  return NORMC_VERDICT_NARROWER;
}

const char *limitSourceName(uint32_t source) {
  switch (source) {
  case NORMC_LIMIT_ENVIRONMENT:
    return "NORMC_MAX_ISA";
  case NORMC_LIMIT_PROCESS:
    return "normc_set_max_isa";
  case NORMC_LIMIT_CALL:
    return "exec->max_isa";
  default:
    return "no limit";
  }
}

/// "AVX512F, AVX512BW": what this machine lacks of all that `isa` stands on.
void addMissing(Text &text, State state, uint32_t isa) {
  uint32_t missing = 0;
  for (uint32_t level = NORMC_ISA_X86_64_V2; level <= isa && level <= NORMC_ISA_X86_64_V4; ++level)
    missing |= levelFeatures(level) & state.missingFeatures();
  const char *separator = "";
  for (uint32_t feature = 0; feature < FeatureCount; ++feature) {
    if (((missing >> feature) & 1) == 0)
      continue;
    text.add("%s%s", separator, featureName(feature));
    separator = ", ";
  }
}

} // namespace

void describeDispatch(const normc_kernel_t *kernel, State state, Limit limit, const normc_variant_t *chosen, char *buffer, size_t size) {
  Text text(buffer, size);
  for (uint32_t i = 0; i < kernel->variant_count; ++i) {
    const normc_variant_t *variant = &kernel->variants[i];
    text.add("%s%s: ", i == 0 ? "" : "; ", variant->symbol);
    switch (verdictOn(variant, state, limit, chosen)) {
    case NORMC_VERDICT_CHOSEN:
      text.add("chosen");
      break;
    case NORMC_VERDICT_NARROWER:
      text.add("usable, but narrower");
      break;
    case NORMC_VERDICT_ABOVE_LIMIT:
      text.add("above the limit of %s by %s", normc_isa_name(normc_isa_t(limit.isa)), limitSourceName(limit.source));
      break;
    default:
      if (levelFeatures(variant->isa) == 0) {
        text.add("needs instruction set %u, which this runtime does not know", variant->isa);
        break;
      }
      text.add("this machine lacks ");
      addMissing(text, state, variant->isa);
    }
  }
}

normc_status_t failDispatch(const normc_kernel_t *kernel, State state, const normc_exec_t *exec) {
  Limit limit = effectiveLimit(state, exec);
  char verdicts[192];
  describeDispatch(kernel, state, limit, nullptr, verdicts, sizeof verdicts);
  uint32_t usable = state.detected();
  if (usable == NORMC_ISA_ANY)
    return fail(exec, NORMC_STATUS_UNSUPPORTED_CPU, 0, "kernel", "%.64s: this CPU is below x86-64-v2, the lowest target of normc (%s)", kernel->name, verdicts);
  if (limit.isa != NORMC_ISA_ANY && limit.isa < usable)
    usable = limit.isa;
  return fail(exec, NORMC_STATUS_UNSUPPORTED_CPU, 0, "kernel", "%.64s: no usable variant, build for %s%s (%s)", kernel->name,
              normc_isa_name(normc_isa_t(usable)), limit.isa != NORMC_ISA_ANY && limit.isa <= state.detected() ? " or raise the limit" : "", verdicts);
}

normc_status_t failEnvironment(const normc_exec_t *exec) {
  const char *value = maxIsaVariable();
  return fail(exec, NORMC_STATUS_INVALID_ARGUMENT, 0, "NORMC_MAX_ISA",
              "the environment variable NORMC_MAX_ISA is \"%.64s\", expected x86-64-v2, x86-64-v3 or x86-64-v4: correct or unset it, or call normc_set_max_isa",
              value != nullptr ? value : "");
}

} // namespace normc::runtime

using namespace normc::runtime;

extern "C" {

const char *normc_isa_name(normc_isa_t isa) {
  switch (isa) {
  case NORMC_ISA_ANY:
    return "any";
  case NORMC_ISA_X86_64_V2:
    return "x86-64-v2";
  case NORMC_ISA_X86_64_V3:
    return "x86-64-v3";
  case NORMC_ISA_X86_64_V4:
    return "x86-64-v4";
  }
  return "unknown";
}

normc_status_t normc_set_max_isa(normc_isa_t isa) {
  if (isa != NORMC_ISA_ANY && (isa < NORMC_ISA_X86_64_V2 || isa > NORMC_ISA_X86_64_V4))
    return NORMC_STATUS_INVALID_ARGUMENT;
  uint64_t found = currentState().raw();
  while (!stateWord.replace(found, State(found).withProcessLimit(isa).raw())) {
  }
  return NORMC_STATUS_SUCCESS;
}

normc_isa_t normc_max_isa(void) { return normc_isa_t(currentState().limit()); }

normc_isa_t normc_detected_isa(void) { return normc_isa_t(currentState().detected()); }

normc_status_t normc_dispatch_info(const normc_kernel_t *kernel, const normc_exec_t *exec, normc_dispatch_report_t *report) {
  if (exec != nullptr)
    if (normc_status_t status = checkExec(exec); status != NORMC_STATUS_SUCCESS)
      return status;
  if (normc_status_t status = checkKernel(kernel, exec); status != NORMC_STATUS_SUCCESS)
    return status;
  if (report == nullptr)
    return fail(exec, NORMC_STATUS_MISSING_ARGUMENT, 0, "report", "report is NULL, expected a normc_dispatch_report_t to fill");
  if (report->struct_size != 0 && report->struct_size != sizeof(normc_dispatch_report_t))
    return fail(exec, NORMC_STATUS_ABI_MISMATCH, 0, "report->struct_size",
                "report->struct_size is %u, expected 0 or %u: compile against the headers of the linked runtime", report->struct_size,
                unsigned(sizeof(normc_dispatch_report_t)));
  State state = currentState();
  if (state.badEnvironment())
    return failEnvironment(exec);
  Limit limit = effectiveLimit(state, exec);
  const normc_variant_t *chosen = selectVariant(kernel, usableLevel(state, exec));
  report->detected = state.detected();
  report->limit = limit.isa;
  report->limit_source = limit.source;
  report->chosen = chosen;
  report->variant_count = kernel->variant_count;
  std::memset(report->verdict, 0, sizeof report->verdict);
  for (uint32_t i = 0; i < kernel->variant_count; ++i)
    report->verdict[i] = verdictOn(&kernel->variants[i], state, limit, chosen);
  describeDispatch(kernel, state, limit, chosen, report->message, sizeof report->message);
  return chosen != nullptr ? NORMC_STATUS_SUCCESS : failDispatch(kernel, state, exec);
}

} // extern "C"
