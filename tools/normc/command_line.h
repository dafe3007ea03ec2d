// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subcommands and how their arguments are read.
#pragma once

#include "compiler/spec/fields.h"

#include <functional>
#include <string>
#include <vector>

namespace normc {

/// One option of a subcommand.
struct Option {
  std::string flag;                             ///< without dashes: "output"; one letter makes a short option
  std::string metavar;                          ///< "" for a switch
  std::string help;                             ///< one line
  std::string group;                            ///< a heading of the help text
  std::function<void(const std::string &)> set; ///< called with each value; a switch's is ""
  bool repeatable = false;
  bool hidden = false;  ///< not in the help text
  bool recorded = true; ///< whether it bears on what is made; false for where and how
};

/// A subcommand: its arguments, what the help text says, and what it does.
struct Command {
  std::string name;
  std::string summary;    ///< one line
  std::string example;    ///< a command that works
  std::string usage;      ///< "OP | FILE.json [options] -o DIR"
  std::string positional; ///< name of the positional argument, "" where there is none
  bool positionalRequired = false;
  size_t positionals = 1;                                 ///< how many there may be, where there may be one
  std::function<void(const std::string &)> setPositional; ///< called with each
  std::vector<Option> options;
  std::vector<std::string> notes; ///< further lines of the help text
  std::function<int()> run;       ///< returns the exit status; throws Error
};

/// Reads the arguments after the subcommand's name and runs it; `--help` prints the help text instead. Throws BadUsage.
int runCommand(const Command &command, const std::vector<std::string> &arguments);

/// What made a result, for its record: the subcommand and those arguments that bear on it, so that builds which differ in nothing but where and how they were
/// made have the same bytes.
std::vector<std::string> recordedCommand(const Command &command, const std::vector<std::string> &arguments);

/// The text that `--help` prints: an example first, options in groups, at most 80 columns.
std::string helpText(const Command &command);

/// The options of the field table that belong to `group`, filling `request`; without those that `without` names.
std::vector<Option> fieldOptions(KernelRequest &request, FieldGroup group, const std::vector<std::string> &without = {});

/// Reads a whole number from `least` to `most`. Throws BadNumber, naming the flag and the range.
int64_t parseWhole(const std::string &flag, const std::string &text, int64_t least, int64_t most);

} // namespace normc
