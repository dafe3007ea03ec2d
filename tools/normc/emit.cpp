// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/forms.h"

#include "compiler/stages/norms.h"
#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <iostream>

namespace normc {
namespace {

/// How a form writes a comment line.
std::string commentMark(std::string_view form) { return form == "halide" ? "// " : form == "asm" ? "# " : "; "; }

std::string stagesText(const KernelSpec &spec) { return normKernel(spec, {spec.weight != Presence::Off, spec.bias != Presence::Off}).text(); }

} // namespace

int emitCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  std::string formName;
  Command command;
  command.name = "emit";
  command.summary = "Prints what a kernel is compiled through, on the standard output.";
  command.example = "normc emit layer_norm --hidden 768 --as stages";
  command.usage = "OP --hidden N --as FORM [what] [--target T]";
  command.positional = "OP";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { setField(request, kernelField("op"), text); };
  command.options = fieldOptions(request, FieldGroup::What);
  for (Option &option : fieldOptions(request, FieldGroup::Where)) {
    if (option.flag == "backend")
      option.help = "auto or halide (default: auto)";
    if (option.flag == "target")
      option.help = "x86-64-v2, x86-64-v3, x86-64-v4, host (default: host)";
    command.options.push_back(std::move(option));
  }
  command.options.push_back({"as", "FORM", "stages, halide, llvm, asm or header", "output", [&](const std::string &text) { formName = text; }});
  command.notes = {"Forms show the body with all parameters that the kernel accepts; '--weight off' and '--bias off' show others."};
  command.run = [&] {
    if (formName.empty())
      throw Error(DiagCode::BadUsage, "no form is given", {"add --as FORM; 'normc list forms' prints what there is"});
    const Form &form = parseForm(formName);
    std::vector<KernelSpec> specs = expand(request, request.backend == "reference" && form.name == "stages" ? SpecUse::Interpret : SpecUse::Compile);
    if (specs.size() != 1)
      throw Error(DiagCode::BadUsage, "emit prints one kernel, but " + std::to_string(specs.size()) + " are asked for", {"give one --hidden and one --dtype"});
    KernelSpec &spec = specs[0];
    if (spec.name.empty())
      spec.name = defaultName(spec);
    if (form.name == "stages") {
      std::cout << stagesText(spec);
      return 0;
    }
    if (form.name == "header") {
      std::cout << libraryHeader(Library{spec.name, {{spec, {}}}, recordedCommand(command, arguments)});
      return 0;
    }
    requireBackend(request.backend);
    if (request.targets.size() > 1)
      throw Error(DiagCode::BadUsage, "emit prints one target, but " + std::to_string(request.targets.size()) + " are asked for", {"give one --target"});
    const Target target = parseTarget(request.targets.empty() ? "host" : request.targets[0]);
    SignalGuard guard;
    const std::string text = compiledForm({spec, target}, std::string(form.name));
    checkInterrupted();
    std::cout << commentMark(form.name) << spec.name << " for " << targetName(target) << ": " << planText(choose(spec, target)) << "\n" << text;
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
