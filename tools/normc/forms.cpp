// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/forms.h"

#include "compiler/support/error.h"

#include <algorithm>

namespace normc {
namespace {

constexpr Form kForms[] = {
    {"stages", "what the kernel computes: maps and folds over (rows, hidden)", false},
    {"halide", "Halide's lowered statement under the plan", true},
    {"llvm", "LLVM IR after all of normc's passes: what the object is made from", true},
    {"asm", "assembly", true},
    {"header", "the C header that build writes", false},
};

/// Forms that the design knows and that no finished work provides yet.
constexpr std::string_view kPlanned[] = {"norm", "vector", "gpu", "ptx"};

} // namespace

std::span<const Form> allForms() { return kForms; }

const Form &parseForm(std::string_view name) {
  std::vector<std::string> known;
  for (const Form &form : kForms) {
    if (form.name == name)
      return form;
    known.emplace_back(form.name);
  }
  std::vector<std::string> notes = suggestion(name, known);
  notes.push_back("available forms: " + quotedList(known, "and"));
  const bool planned = std::find(std::begin(kPlanned), std::end(kPlanned), name) != std::end(kPlanned);
  throw Error(DiagCode::UnknownForm, planned ? "form '" + std::string(name) + "' is not available in this normc" : "unknown form '" + std::string(name) + "'",
              std::move(notes));
}

} // namespace normc
