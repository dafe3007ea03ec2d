// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/library/CompilerDriver.h"

#include "compiler/support/files.h"

#include <fstream>
#include <sstream>

namespace normc {

std::string readText(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What the program wrote, with a last line that names its status where that is not 0.
std::string CompilerDriver::call(const std::vector<std::string> &argv) {
  ExitReport report = runJob({argv, file("stdout"), file("stderr")});
  std::string text = readText(file("stdout")) + readText(file("stderr"));
  return report.ok() ? text : text + "exit " + std::to_string(report.exitCode) + " signal " + std::to_string(report.signal) + "\n";
}

std::string CompilerDriver::compile(const std::string &source, const std::string &language, const std::vector<std::string> &flags) {
  writeFiles(folder(), {{"source", source}});
  std::vector<std::string> argv = {findProgram(language == "c" ? NORMC_TEST_CC : NORMC_TEST_CXX),
                                   "-x",
                                   language,
                                   "-I" NORMC_TEST_INCLUDE,
                                   "-I" + folder(),
                                   "-c",
                                   "-o",
                                   file("source.o"),
                                   file("source")};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return call(argv);
}

std::string CompilerDriver::run(const std::string &source, const std::vector<std::string> &archives, const std::vector<std::string> &flags) {
  std::vector<std::string> compileFlags = {"-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"};
  compileFlags.insert(compileFlags.end(), flags.begin(), flags.end());
  if (std::string complaint = compile(source, "c", compileFlags); !complaint.empty())
    return complaint;
  std::vector<std::string> argv = {findProgram(NORMC_TEST_CC), "-o", file("program"), file("source.o")};
  for (const std::string &archive : archives)
    argv.push_back(file(archive));
  argv.insert(argv.end(), {NORMC_TEST_RUNTIME, "-lm", "-ldl"});
  std::istringstream sanitizer(NORMC_TEST_SANITIZER_FLAGS);
  for (std::string flag; sanitizer >> flag;)
    argv.push_back(flag);
  if (std::string complaint = call(argv); !complaint.empty())
    return complaint;
  return call({file("program")});
}

} // namespace normc
