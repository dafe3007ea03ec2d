// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/schedule/plan.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <array>

namespace normc {
namespace {

struct Row {
  Target target;
  std::string_view name;
  std::string_view suffix;
};

constexpr std::array<Row, 3> kTargets = {{
    {Target::X86_64_V2, "x86-64-v2", "x86_64_v2"},
    {Target::X86_64_V3, "x86-64-v3", "x86_64_v3"},
    {Target::X86_64_V4, "x86-64-v4", "x86_64_v4"},
}};

} // namespace

std::string_view targetName(Target target) { return kTargets[static_cast<size_t>(target)].name; }

std::string targetSuffix(Target target) { return std::string(kTargets[static_cast<size_t>(target)].suffix); }

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const Row &row : kTargets)
    names.emplace_back(row.name);
  return names;
}

bool hostRuns(Target target) {
  // The compiler's own tables of the psABI levels, which also ask whether the operating system saves the wide registers.
  switch (target) {
  case Target::X86_64_V2: return __builtin_cpu_supports("x86-64-v2") != 0;
  case Target::X86_64_V3: return __builtin_cpu_supports("x86-64-v3") != 0;
  case Target::X86_64_V4: return __builtin_cpu_supports("x86-64-v4") != 0;
  }
  reportBug("unknown target");
}

Target parseTarget(std::string_view name) {
  for (const Row &row : kTargets)
    if (row.name == name)
      return row.target;
  if (name == "host") {
    auto widest = std::find_if(kTargets.rbegin(), kTargets.rend(), [](const Row &row) { return hostRuns(row.target); });
    if (widest == kTargets.rend())
      throw Error(DiagCode::UnsupportedCpu, "target 'host': this machine's processor runs none of the targets, expected at least x86-64-v2 (SSE4.1 level)");
    return widest->target;
  }
  std::vector<std::string> names = targetNames();
  names.emplace_back("host");
  throw Error(DiagCode::UnknownTarget, "unknown target '" + std::string(name) + "', expected " + quotedList(names), suggestion(name, names));
}

} // namespace normc
