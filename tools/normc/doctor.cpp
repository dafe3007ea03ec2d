// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/build_config.h"
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/installation.h"
#include "tools/normc/json_table.h"
#include "compiler/pipeline/lowering.h"
#include "tools/normc/terminal.h"

#include "compiler/schedule/plan.h"
#include "compiler/support/process.h"

#include <iostream>

namespace normc {
namespace {

std::string widestTarget() {
  for (Target target : {Target::X86_64_V4, Target::X86_64_V3, Target::X86_64_V2})
    if (hostRuns(target))
      return std::string(targetName(target));
  return "";
}

std::vector<std::vector<std::string>> findings() {
  std::vector<std::vector<std::string>> rows = {{"what", "found", "needed for"}};
  auto add = [&](const std::string &what, const std::string &found, const std::string &neededFor) {
    rows.push_back({what, found.empty() ? "missing" : found, neededFor});
  };
  const Installation installation = findInstallation();
  add("processor", widestTarget(), "running kernels: x86-64-v2 or wider");
  add("Halide", haveHalide() ? NORMC_HALIDE_VERSION_TEXT " (with LLVM " NORMC_HALIDE_LLVM_VERSION_TEXT ")" : "", "build, emit, run: the back end");
  add("LLVM", NORMC_LLVM_VERSION_TEXT, "build, emit, run: machine code");
  std::string compiler;
  for (const std::string &word : findCCompiler())
    compiler += (compiler.empty() ? "" : " ") + word;
  add("C compiler", compiler, "run, verify: linking what was built; your own programs");
  add("runtime library", installation.runtimeArchive, "run, verify; linking your own programs");
  add("C headers", installation.includeDir, "compiling your own programs");
  add("ptxas", findProgram("ptxas"), "nothing yet: checks of CUDA code");
  return rows;
}

} // namespace

int doctorCommand(const std::vector<std::string> &arguments) {
  bool json = false;
  Command command;
  command.name = "doctor";
  command.summary = "Says what was found on this machine and what each thing is needed for.";
  command.example = "normc doctor";
  command.usage = "[--json]";
  command.options = {{"json", "", "a JSON list instead of a table", "output", [&](const std::string &) { json = true; }}};
  command.run = [&] {
    std::cout << (json ? jsonTable(findings()) : tableText(findings()));
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
