// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user does with an emitted library: compile and link with cc, run.
#pragma once

#include "compiler/support/process.h"

#include <string>
#include <vector>

namespace normc {

/// A folder in which programs are compiled against the public headers and whatever is written into it.
class CompilerDriver {
public:
  const std::string &folder() const { return folder_.path(); }
  std::string file(const std::string &name) const { return folder_.path() + "/" + name; }

  /// Compiles a source with extra flags; what the compiler said, "" where it was content.
  std::string compile(const std::string &source, const std::string &language, const std::vector<std::string> &flags);

  /// Compiles a C program, links it with `archives` and the runtime, and returns what it prints, or what went wrong.
  std::string run(const std::string &source, const std::vector<std::string> &archives, const std::vector<std::string> &flags = {});

private:
  std::string call(const std::vector<std::string> &argv);

  TempDir folder_;
};

std::string readText(const std::string &path);

} // namespace normc
