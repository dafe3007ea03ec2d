// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/manifest_file.h"
#include "tools/normc/terminal.h"

#include "compiler/support/error.h"

#include <filesystem>
#include <iostream>
#include <sstream>

namespace normc {
namespace {

namespace fs = std::filesystem;

/// The library's name and folder from the path of one of its three files. Throws BadUsage.
fs::path manifestOf(const fs::path &path) {
  const std::string stem = path.stem().string(), extension = path.extension().string();
  if (extension == ".json")
    return path;
  if (extension == ".h")
    return path.parent_path() / (stem + ".json");
  if (extension == ".a" && stem.size() > 3 && stem.rfind("lib", 0) == 0)
    return path.parent_path() / (stem.substr(3) + ".json");
  throw Error(DiagCode::BadUsage, "'" + path.string() + "' is no library: expected libNAME.a, NAME.h or NAME.json", {"'normc build' writes all three"});
}

std::string joined(const std::vector<std::string> &words, const std::string &between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string indented(const std::string &text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    result += "  " + line + "\n";
  return result;
}

std::string kernelText(const ManifestKernel &kernel) {
  std::string text = kernel.name + ": " + kernel.op + ", hidden " + hiddenText(kernel.hidden) + ", eps " + numberText(static_cast<float>(kernel.eps)) +
                     " unless a call sets another\n";
  std::vector<std::vector<std::string>> arguments = {{"argument", "", "type", "shape", ""}};
  for (const ManifestArgument &argument : kernel.arguments) {
    std::vector<std::string> remarks;
    if (argument.optional)
      remarks.push_back("may be NULL");
    if (!argument.mayBe.empty())
      remarks.push_back("may be " + joined(argument.mayBe, " or "));
    arguments.push_back({argument.name, argument.direction, argument.dtype, joined(argument.shape, " x "), joined(remarks, ", ")});
  }
  std::vector<std::vector<std::string>> variants = {{"variant", "code", "plan"}};
  for (const ManifestVariant &variant : kernel.variants) {
    variants.push_back({variant.isa, sizeText(variant.codeBytes), variant.backend + ": " + variant.plan});
    variants.push_back({"", "", "why: " + variant.reason});
  }
  return text + indented(tableText(arguments)) + "\n" + indented(tableText(variants));
}

std::string manifestText(const Manifest &manifest, const std::string &archive) {
  std::string text = archive + ": " + std::to_string(manifest.kernels.size()) + (manifest.kernels.size() == 1 ? " kernel" : " kernels") + ", ABI version " +
                     std::to_string(manifest.abi) + ", made by normc " + manifest.normc + " with LLVM " + manifest.llvm +
                     (manifest.halide.empty() ? "" : " and Halide " + manifest.halide) + "\n  " + manifest.command + "\n";
  for (const ManifestSet &set : manifest.sets)
    text += "\n" + set.name + ": takes the width of a call and picks " + joined(set.kernels, ", ") + "\n";
  for (const ManifestKernel &kernel : manifest.kernels)
    text += "\n" + kernelText(kernel);
  return text;
}

} // namespace

int inspectCommand(const std::vector<std::string> &arguments) {
  std::string library;
  bool json = false;
  Command command;
  command.name = "inspect";
  command.summary = "Says what is in a library: kernels, arguments, variants, sizes and plans.";
  command.example = "normc inspect out/liblayer_norm_f32_h768.a";
  command.usage = "libNAME.a | NAME.h | NAME.json [--json]";
  command.positional = "libNAME.a, NAME.h or NAME.json";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { library = text; };
  command.options = {{"json", "", "the manifest, once it is checked", "output", [&](const std::string &) { json = true; }}};
  command.notes = {"Reads the manifest beside the library and fails where the library is another than it describes."};
  command.run = [&] {
    const fs::path path = manifestOf(library);
    if (!fs::exists(library))
      throw Error(DiagCode::CannotRead, "cannot read '" + library + "': there is no such file", {"'normc build' writes libNAME.a, NAME.h and NAME.json"});
    const Manifest manifest = readManifest(path.string());
    const std::string archive = (path.parent_path() / manifest.archive).string();
    checkArchive(manifest, archive);
    std::cout << (json ? manifest.text : manifestText(manifest, archive));
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
