// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/installation.h"

#include "tools/normc/build_config.h"

#include "compiler/support/error.h"
#include "compiler/support/process.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace normc {
namespace {

namespace fs = std::filesystem;

constexpr const char *kArchive = "libnormc_runtime.a";

std::string stampOf(const std::string &file) {
  std::error_code problem;
  const auto time = fs::last_write_time(file, problem);
  if (problem)
    return "-";
  return std::to_string(time.time_since_epoch().count()) + "+" + std::to_string(fs::file_size(file, problem));
}

} // namespace

Installation findInstallation() {
  const fs::path tool = fs::path(executablePath()).parent_path();
  Installation found;
  if (tool == NORMC_BUILD_TOOL_DIR) {
    found = {NORMC_BUILD_INCLUDE_DIR, NORMC_BUILD_RUNTIME, ""};
  } else {
    const fs::path prefix = tool.parent_path();
    found = {prefix / NORMC_INSTALL_INCLUDE, prefix / NORMC_INSTALL_LIB / kArchive, prefix};
    if (!fs::exists(found.runtimeArchive))
      found.runtimeArchive = prefix / "lib" / kArchive;
  }
  if (!fs::exists(fs::path(found.includeDir) / "normc" / "abi.h"))
    found.includeDir.clear();
  if (!fs::exists(found.runtimeArchive))
    found.runtimeArchive.clear();
  return found;
}

std::string requireRuntime() {
  std::string archive = findInstallation().runtimeArchive;
  if (archive.empty())
    throw Error(DiagCode::MissingTool, "normc's runtime library (libnormc_runtime.a) was not found",
                {"it is looked for in the folder lib beside the folder of the tool; 'normc doctor' says what was found"});
  return archive;
}

std::vector<std::string> findCCompiler() {
  const char *variable = std::getenv("CC");
  if (variable && *variable) {
    if (std::string path = findProgram(variable); !path.empty())
      return {path};
    std::istringstream text(variable);
    std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.empty())
      return {};
    words[0] = findProgram(words[0]);
    return words[0].empty() ? std::vector<std::string>{} : words;
  }
  for (const char *name : {"cc", "gcc", "clang"})
    if (std::string path = findProgram(name); !path.empty())
      return {path};
  return {};
}

std::vector<std::string> requireCCompiler() {
  std::vector<std::string> compiler = findCCompiler();
  if (!compiler.empty())
    return compiler;
  std::string message = "no C compiler was found, which links the kernel that is to run";
  if (const char *variable = std::getenv("CC"))
    message.append(": CC is '").append(variable).append("'");
  throw Error(DiagCode::MissingTool, std::move(message),
              {"install one (package gcc), or set CC to the path of one; 'normc run --backend reference' works without"});
}

std::string buildStamp() { return NORMC_VERSION " " + stampOf(executablePath()) + " " + stampOf(findInstallation().runtimeArchive); }

} // namespace normc
