// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/installation.h"
#include "tools/normc/starter.h"
#include "tools/normc/terminal.h"

#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace normc {
namespace {

namespace fs = std::filesystem;

/// Throws BadUsage where the folder has something in it, CannotWrite where the path is no folder or cannot be looked into.
void requireEmpty(const std::string &directory) {
  std::error_code problem;
  const fs::file_status status = fs::status(directory, problem);
  if (status.type() == fs::file_type::not_found)
    return;
  if (status.type() != fs::file_type::directory)
    throw Error(DiagCode::CannotWrite, "cannot write into '" + directory + "': it is no folder", {"name a folder that is new or empty"});
  const fs::directory_iterator entries(directory, problem);
  if (problem)
    throw Error(DiagCode::CannotWrite, "cannot write into '" + directory + "': " + problem.message(), {"name a folder that is new or empty"});
  if (entries != fs::directory_iterator())
    throw Error(DiagCode::BadUsage, "the folder '" + directory + "' is not empty: it holds '" + entries->path().filename().string() + "'",
                {"name a folder that is new or empty"});
}

/// All files or, where that fails, no trace of any.
std::vector<std::string> writeProject(const std::string &directory, const std::vector<OutputFile> &files) {
  const bool isNew = !fs::exists(directory);
  try {
    return writeFiles(directory, files);
  } catch (const Error &) {
    std::error_code ignored;
    if (isNew)
      fs::remove(directory, ignored);
    throw;
  }
}

/// A value of the command line as CMake's list.
std::string cmakeList(const std::string &text) {
  std::string list = text;
  std::replace(list.begin(), list.end(), ',', ' ');
  return list;
}

} // namespace

int initCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  Starter starter;
  std::vector<std::string> words;
  Command command;
  command.name = "init";
  command.summary = "Writes a small CMake project that compiles a kernel and calls it from C.";
  command.example = "normc init my_norm rms_norm --hidden 4096 --dtype bf16";
  command.usage = "DIR [OP] [what] [where]";
  command.positional = "DIR";
  command.positionalRequired = true;
  command.positionals = 2;
  command.setPositional = [&](const std::string &text) { words.push_back(text); };
  for (FieldGroup group : {FieldGroup::What, FieldGroup::Where})
    for (Option &option : fieldOptions(request, group)) {
      if (option.flag == "hidden")
        option.help += " (default: 768)";
      if (option.flag == "backend")
        option.help = "auto or halide (default: auto)";
      if (option.flag != "name")
        option.set = [&starter, &field = kernelField(option.flag), set = option.set](const std::string &text) {
          set(text);
          starter.keywords.emplace_back(std::string(field.cmake), cmakeList(text));
        };
      command.options.push_back(std::move(option));
    }
  command.notes = {"DIR must be new or empty: CMakeLists.txt, main.c and README.md are written into it. OP is layer_norm where none is given."};
  command.run = [&] {
    const std::string &directory = words[0];
    if (directory.empty())
      throw Error(DiagCode::BadUsage, "no folder is given", {"for example: " + command.example});
    setField(request, kernelField("op"), words.size() > 1 ? words[1] : "layer_norm");
    if (!request.has("hidden")) {
      setField(request, kernelField("hidden"), "768");
      starter.keywords.insert(starter.keywords.begin(), {"HIDDEN", "768"});
    }
    const std::vector<KernelSpec> specs = expand(request);
    if (specs.size() != 1)
      throw Error(DiagCode::BadUsage, "init writes a project with one kernel, but " + std::to_string(specs.size()) + " are asked for",
                  {"give one --hidden and one --dtype; normc_add_library in CMakeLists.txt takes lists"});
    requestedTargets(request.targets);
    if (request.backend == "reference")
      requireBackend(request.backend);
    starter.spec = specs[0];
    if (starter.spec.name.empty())
      starter.spec.name = defaultName(starter.spec);
    requireEmpty(directory);
    SignalGuard guard;
    for (const std::string &path : writeProject(directory, starterFiles(starter)))
      std::cout << path << "\n";
    const std::string prefix = findInstallation().prefix;
    std::cerr << "next: cmake -S " << quotedForShell(directory) << " -B " << quotedForShell(directory + "/build")
              << " -DCMAKE_PREFIX_PATH=" << (prefix.empty() ? "<folder that normc is installed in>" : quotedForShell(prefix)) << "\n";
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
