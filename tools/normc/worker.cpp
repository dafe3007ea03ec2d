// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"

#include "compiler/support/error.h"

namespace normc {

int workerCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  std::string form = "object", directory;
  Command command;
  command.name = "worker";
  command.summary = "Compiles one kernel for one target and writes the raw result into a folder: what build and emit start, and what a replay line repeats.";
  command.example = "normc worker layer_norm --hidden 768 --target x86-64-v3 -o replay";
  command.usage = "OP [what] --target T [--as FORM] -o DIR";
  command.positional = "OP";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { setField(request, kernelField("op"), text); };
  command.options = fieldOptions(request, FieldGroup::What);
  for (Option &option : fieldOptions(request, FieldGroup::Where, {"backend"}))
    command.options.push_back(std::move(option));
  command.options.push_back({"as", "FORM", "object, halide, llvm or asm (default: object)", "output", [&](const std::string &text) { form = text; }});
  command.options.push_back({"o", "DIR", "the folder", "output", [&](const std::string &text) { directory = text; }});
  command.run = [&] {
    const std::vector<KernelSpec> specs = expand(request);
    const std::vector<Target> targets = requestedTargets(request.targets);
    if (specs.size() != 1 || targets.size() != 1 || directory.empty())
      throw Error(DiagCode::BadUsage, "a worker compiles one kernel for one target into the folder that -o names");
    CompileTask task{specs[0], targets[0]};
    if (task.spec.name.empty())
      task.spec.name = defaultName(task.spec);
    runWorker(task, form, directory);
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
