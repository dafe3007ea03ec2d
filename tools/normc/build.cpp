// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/installation.h"
#include "tools/normc/json_table.h"
#include "tools/normc/terminal.h"

#include "compiler/spec/library_request.h"
#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <unistd.h>

namespace normc {
namespace {

namespace fs = std::filesystem;

/// What the arguments ask for: the kernels with their names, and the library's.
struct BuildRequest {
  std::string name;
  std::vector<KernelSpec> specs;
};

std::string readTextFile(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || fs::is_directory(path))
    throw Error(DiagCode::CannotRead, "cannot read '" + path + "': " + (fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  return text.str();
}

/// The name of a library whose kernels have no common one: what their default names have in common.
std::string commonName(const KernelRequest &request) {
  KernelSpec any = specOf(request, 0, request.dtypes.empty() ? DType::F32 : request.dtypes[0]);
  std::string name = defaultName(any);
  name.resize(name.rfind('_'));
  if (request.dtypes.size() > 1)
    name.resize(name.rfind('_'));
  return name;
}

void giveDefaultNames(std::vector<KernelSpec> &specs) {
  for (KernelSpec &spec : specs)
    if (spec.name.empty())
      spec.name = defaultName(spec);
}

BuildRequest fromFlags(const KernelRequest &request) {
  BuildRequest build{request.name, expand(request)};
  giveDefaultNames(build.specs);
  if (build.name.empty())
    build.name = build.specs.size() == 1 ? build.specs[0].name : commonName(request);
  return build;
}

/// Reads the file and merges what the command line says about the whole library.
BuildRequest fromFile(const std::string &path, KernelRequest &request) {
  for (const Field &field : kernelFields())
    if (field.group == FieldGroup::What && field.kind != FieldKind::Positional && field.flag != "name" && request.has(field.flag))
      throw Error(DiagCode::BadUsage, "'--" + std::string(field.flag) + "' has no meaning beside a file, which says what to compute",
                  {"write \"" + std::string(field.json) + "\" into '" + path + "'; --name, --target and --backend can be given"});
  const LibraryRequest library = parseLibraryRequest(readTextFile(path), path);
  if (!request.has("target"))
    request.targets = library.targets;
  BuildRequest build{!request.name.empty() ? request.name : library.name, {}};
  if (build.name.empty())
    build.name = fs::path(path).stem().string();
  verifyName(build.name);
  for (size_t i = 0; i < library.kernels.size(); ++i)
    for (KernelSpec &spec : expandKernel(library, i, path))
      build.specs.push_back(std::move(spec));
  giveDefaultNames(build.specs);
  return build;
}

/// Before minutes of work: two kernels of one name, and a folder that cannot be written.
void checkEarly(const BuildRequest &build, const std::string &directory) {
  for (size_t i = 0; i < build.specs.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (build.specs[i].name == build.specs[j].name)
        throw Error(DiagCode::DuplicateName,
                    "kernels " + std::to_string(j + 1) + " and " + std::to_string(i + 1) + " are both named '" + build.specs[i].name + "'",
                    {"give one of them a \"name\""});
  std::error_code problem;
  fs::create_directories(directory, problem);
  const std::string probe = directory + "/.normc-probe-" + std::to_string(getpid());
  errno = problem ? problem.value() : 0;
  if (problem || !std::ofstream(probe))
    throw Error(DiagCode::CannotWrite, "cannot write into '" + directory + "': " + std::strerror(errno),
                {"choose another folder with -o, or make this one writable"});
  fs::remove(probe, problem);
}

/// The manifest bears the library's name, which may be that of the file that asked for it.
void checkKeepsSource(const BuildRequest &build, const std::string &directory, const std::string &source) {
  const fs::path manifest = fs::path(directory) / (build.name + ".json");
  std::error_code unknown;
  if (fs::equivalent(manifest, source, unknown))
    throw Error(DiagCode::BadUsage, "the manifest '" + manifest.string() + "' would replace '" + source + "', which says what to build",
                {"choose another folder with -o, or another name with --name"});
}

std::string nextStep(const std::string &name, const std::string &folder) {
  const std::string directory = quotedForShell(folder);
  const Installation installation = findInstallation();
  return "cc app.c -I" + directory + (installation.includeDir.empty() ? "" : " -I" + quotedForShell(installation.includeDir)) + " " + directory + "/lib" +
         name + ".a " + (installation.runtimeArchive.empty() ? "-lnormc_runtime" : quotedForShell(installation.runtimeArchive)) + " -lm -ldl";
}

std::vector<std::vector<std::string>> fileTable(const std::vector<std::string> &paths) {
  std::vector<std::vector<std::string>> rows = {{"file", "bytes"}};
  for (const std::string &path : paths)
    rows.push_back({path, std::to_string(fs::file_size(path))});
  return rows;
}

} // namespace

int buildCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  std::string source, directory;
  int jobs = defaultJobs();
  bool json = false;
  Command command;
  command.name = "build";
  command.summary = "Compiles kernels into a static library with a C header and a manifest.";
  command.example = "normc build layer_norm --hidden 768 --dtype f32 -o out";
  command.usage = "OP --hidden N [what] [where] -o DIR | FILE.json -o DIR";
  command.positional = "OP or FILE.json";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { source = text; };
  command.options = fieldOptions(request, FieldGroup::What);
  for (Option &option : fieldOptions(request, FieldGroup::Where)) {
    if (option.flag == "backend")
      option.help = "auto or halide (default: auto)";
    command.options.push_back(std::move(option));
  }
  command.options.push_back(
      {"o", "DIR", "folder for libNAME.a, NAME.h and NAME.json", "output", [&](const std::string &text) { directory = text; }, false, false, false});
  command.options.push_back({"j", "N", "processes at once (default: one per processor)", "output",
                             [&](const std::string &text) { jobs = static_cast<int>(parseWhole("j", text, 1, 4096)); }, false, false, false});
  command.options.push_back(
      {"json", "", "the files that were written as a JSON list", "output", [&](const std::string &) { json = true; }, false, false, false});
  command.notes = {"Lists give every combination, and an entry that picks the width."};
  command.run = [&] {
    if (directory.empty())
      throw Error(DiagCode::BadUsage, "no output folder is given", {"add -o DIR"});
    if (source.size() > 5 && source.substr(source.size() - 5) == ".mlir")
      throw Error(DiagCode::BadUsage, "'" + source + "': MLIR files are not available in this normc", {"describe kernels by flags or in a JSON file"});
    const bool isFile = source.size() > 5 && source.substr(source.size() - 5) == ".json";
    if (!isFile)
      setField(request, kernelField("op"), source);
    const BuildRequest build = isFile ? fromFile(source, request) : fromFlags(request);
    const std::vector<Target> targets = requestedTargets(request.targets);
    requireBackend(request.backend);
    checkEarly(build, directory);
    if (isFile)
      checkKeepsSource(build, directory, source);

    SignalGuard guard;
    const auto start = std::chrono::steady_clock::now();
    const Library library{build.name, compileKernels(build.specs, targets, jobs, json), recordedCommand(command, arguments)};
    checkInterrupted();
    const std::vector<std::string> paths = writeLibrary(library, directory);
    if (json) {
      std::cout << jsonTable(fileTable(paths), {"bytes"});
      return 0;
    }
    std::vector<std::vector<std::string>> rows;
    for (const std::string &path : paths)
      rows.push_back({path, sizeText(static_cast<int64_t>(fs::file_size(path)))});
    std::cout << tableText(rows);
    std::string names;
    for (Target target : targets)
      names += (names.empty() ? "" : ", ") + std::string(targetName(target));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cerr << build.specs.size() << (build.specs.size() == 1 ? " kernel" : " kernels") << " for " << names << " in " << secondsText(seconds)
              << "\nnext: " << nextStep(build.name, directory) << "\n";
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
