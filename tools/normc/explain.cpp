// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"

#include "compiler/support/error.h"

#include <iostream>

namespace normc {

int explainCommand(const std::vector<std::string> &arguments) {
  std::string code;
  Command command;
  command.name = "explain";
  command.summary = "Says what an error code means and what to do about it.";
  command.example = "normc explain NORMC1009";
  command.usage = "CODE";
  command.positional = "CODE";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { code = text; };
  command.run = [&] {
    std::vector<std::string> known;
    for (const DiagInfo &info : allDiagnostics()) {
      known.emplace_back(info.name);
      if (code != info.name && "NORMC" + code != info.name)
        continue;
      std::cout << info.name << ": " << info.meaning << "\nexit status " << static_cast<int>(info.exitStatus) << "\n";
      return 0;
    }
    throw Error(DiagCode::BadValue, "unknown code '" + code + "', expected one such as NORMC1009", suggestion(code, known));
  };
  return runCommand(command, arguments);
}

} // namespace normc
