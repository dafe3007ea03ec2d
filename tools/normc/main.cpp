// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// normc, the command-line tool: picks the subcommand and reports what goes wrong. Subcommands are in the files of their names; docs/cli.md describes them.
#include "tools/normc/commands.h"
#include "tools/normc/terminal.h"

#include "compiler/support/process.h"

#include <csignal>
#include <cstdio>
#include <iostream>

namespace normc {
namespace {

struct Entry {
  std::string_view name;
  std::string_view summary; ///< "" for what is not shown
  int (*run)(const std::vector<std::string> &arguments);
};

constexpr Entry kCommands[] = {
    {"build", "compile kernels into a library, a C header and a manifest", buildCommand},
    {"emit", "print what a kernel is compiled through: stages, LLVM IR, assembly", emitCommand},
    {"run", "run a kernel on .npy files", runKernelCommand},
    {"verify", "compare compiled kernels with the reference, bit for bit", verifyCommand},
    {"bench", "time a kernel against memcpy of as many bytes", benchCommand},
    {"inspect", "say what is in a library: kernels, arguments, variants, plans", inspectCommand},
    {"init", "write a small CMake project that builds and calls a kernel", initCommand},
    {"list", "print what there is: ops, dtypes, targets, forms, plans", listCommand},
    {"explain", "say what an error code means and what to do", explainCommand},
    {"doctor", "say what this machine has and what is missing", doctorCommand},
    {"worker", "", workerCommand},
};

std::string overview() {
  std::string text = "normc compiles normalization kernels ahead of time into C libraries.\n\n"
                     "  example: normc build layer_norm --hidden 768 --dtype f32 -o out\n"
                     "  usage:   normc COMMAND [arguments], normc COMMAND --help, normc --version\n\ncommands:\n";
  for (const Entry &entry : kCommands)
    if (!entry.summary.empty())
      text += "  " + std::string(entry.name) + std::string(10 - entry.name.size(), ' ') + std::string(entry.summary) + "\n";
  return text;
}

int dispatch(const std::vector<std::string> &arguments) {
  if (arguments.empty())
    throw Error(DiagCode::BadUsage, "no command is given", {"'normc --help' lists the commands"});
  const std::string &name = arguments[0];
  if (name == "help" && arguments.size() > 1)
    return dispatch({arguments[1], "--help"});
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << overview();
    return 0;
  }
  if (name == "--version") {
    std::cout << "normc " NORMC_VERSION "\n";
    return 0;
  }
  std::vector<std::string> known;
  for (const Entry &entry : kCommands) {
    if (entry.name == name)
      return entry.run({arguments.begin() + 1, arguments.end()});
    if (!entry.summary.empty())
      known.emplace_back(entry.name);
  }
  std::vector<std::string> notes = suggestion(name, known);
  notes.push_back("'normc --help' lists the commands");
  throw Error(DiagCode::BadUsage, "unknown command '" + name + "'", std::move(notes));
}

/// stdout is the result: one that could not be written in full is a failure.
void flushResult() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0)
    throw Error(DiagCode::CannotWrite, "cannot write to the standard output");
}

int guarded(const std::vector<std::string> &arguments) {
  try {
    const int status = dispatch(arguments);
    flushResult();
    return status;
  } catch (const std::exception &) {
    return printError(currentError());
  }
}

} // namespace
} // namespace normc

int main(int argc, char **argv) {
  // A file that would exceed a size limit is then an error of the write, which is reported and cleaned up after.
  std::signal(SIGXFSZ, SIG_IGN);
  normc::keepExitStatuses();
  return normc::guarded({argv + (argc > 0 ? 1 : 0), argv + argc});
}
