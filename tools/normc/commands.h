// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands, one function in one file each.
#pragma once

#include <string>
#include <vector>

namespace normc {

/// Each makes its Command, which it runs on the arguments after the subcommand's name. Return the exit status; throw Error.
int buildCommand(const std::vector<std::string> &arguments);
int emitCommand(const std::vector<std::string> &arguments);
int runKernelCommand(const std::vector<std::string> &arguments);
int verifyCommand(const std::vector<std::string> &arguments);
int benchCommand(const std::vector<std::string> &arguments);
int inspectCommand(const std::vector<std::string> &arguments);
int initCommand(const std::vector<std::string> &arguments);
int listCommand(const std::vector<std::string> &arguments);
int explainCommand(const std::vector<std::string> &arguments);
int doctorCommand(const std::vector<std::string> &arguments);
/// What the others start in a process of its own; not for users.
int workerCommand(const std::vector<std::string> &arguments);

} // namespace normc
