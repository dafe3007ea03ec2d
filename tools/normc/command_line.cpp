// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes CLI11, which splits arguments into options and values; values are read by the options' own functions.
#include "tools/normc/command_line.h"

#include "compiler/support/error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>

namespace normc {
namespace {

std::string dashed(const std::string &flag) { return (flag.size() == 1 ? "-" : "--") + flag; }

/// Options with one value that is available; it may be given.
struct Planned {
  std::string_view flag, available, message;
};
constexpr Planned kPlanned[] = {
    {"--direction", "forward", "backward is not available: this normc computes forward kernels"},
    {"--device", "cpu", "device kernels are not available: this normc compiles for x86-64"},
};

[[noreturn]] void refuseUnknown(const Command &command, const std::string &argument) {
  const std::string flag = argument.substr(0, argument.find('='));
  for (const Planned &planned : kPlanned)
    if (flag == planned.flag)
      throw Error(DiagCode::BadUsage, "'" + flag + "': " + std::string(planned.message));
  if (argument.size() < 2 || argument[0] != '-')
    throw Error(DiagCode::BadUsage, "unexpected argument '" + argument + "'", {"usage: normc " + command.name + " " + command.usage});
  std::vector<std::string> known;
  for (const Option &option : command.options)
    if (!option.hidden)
      known.push_back(dashed(option.flag));
  std::vector<std::string> notes = suggestion(flag, known);
  notes.push_back("'normc " + command.name + " --help' lists the options");
  throw Error(DiagCode::BadUsage, "unknown option '" + flag + "' of 'normc " + command.name + "'", std::move(notes));
}

struct Parsed {
  bool help = false;
  std::vector<std::string> positional;
  std::vector<std::vector<std::string>> values; ///< by option
};

/// `words` without the options whose only available value is given.
std::vector<std::string> withoutAvailable(const std::vector<std::string> &words) {
  std::vector<std::string> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto planned = std::find_if(std::begin(kPlanned), std::end(kPlanned), [&](const Planned &one) {
      return words[i] == std::string(one.flag) + "=" + std::string(one.available) ||
             (words[i] == one.flag && i + 1 < words.size() && words[i + 1] == one.available);
    });
    if (planned == std::end(kPlanned))
      rest.push_back(words[i]);
    else if (words[i] == planned->flag)
      ++i;
  }
  return rest;
}

/// "--flag=value" as two words: CLI11 takes an empty value after '=' for a missing one, and the next word in its place.
std::vector<std::string> separated(const Command &command, const std::vector<std::string> &arguments) {
  std::vector<std::string> words;
  for (const std::string &argument : arguments) {
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const bool takesValue = std::any_of(command.options.begin(), command.options.end(),
                                        [&](const Option &option) { return flag == dashed(option.flag) && !option.metavar.empty(); });
    words.push_back(equals != std::string::npos && takesValue ? flag : argument);
    if (equals != std::string::npos && takesValue)
      words.push_back(argument.substr(equals + 1));
  }
  return words;
}

Parsed parse(const Command &command, const std::vector<std::string> &arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Parsed parsed;
  app.add_flag("-h,--help", parsed.help);
  std::vector<CLI::Option *> options;
  for (const Option &option : command.options) {
    const bool takesValue = !option.metavar.empty();
    CLI::Option *added = takesValue ? app.add_option(dashed(option.flag)) : app.add_flag(dashed(option.flag));
    if (takesValue)
      added->expected(1)->allow_extra_args(false)->type_name(option.metavar);
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    options.push_back(added);
  }
  const bool computes = std::any_of(command.options.begin(), command.options.end(), [](const Option &option) { return option.flag == "dtype"; });
  std::vector<std::string> words = separated(command, computes ? withoutAvailable(arguments) : arguments);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch &mismatch) {
    const std::string text = mismatch.what();
    const std::string flag = text.substr(0, text.find(':'));
    throw Error(DiagCode::BadUsage, "'" + flag + "' needs a value", {"'normc " + command.name + " --help' says which"});
  } catch (const CLI::ParseError &problem) {
    throw Error(DiagCode::BadUsage, problem.what());
  }
  for (const std::string &rest : app.remaining()) {
    if (rest.size() > 1 && rest[0] == '-')
      refuseUnknown(command, rest);
    parsed.positional.push_back(rest);
  }
  for (size_t i = 0; i < options.size(); ++i) {
    const Option &option = command.options[i];
    std::vector<std::string> results = options[i]->results();
    if (results.size() > 1 && !option.repeatable)
      throw Error(DiagCode::BadUsage, "'" + dashed(option.flag) + "' is given " + (results.size() == 2 ? "twice" : std::to_string(results.size()) + " times"));
    if (option.metavar.empty() && !results.empty() && results[0] != "true")
      throw Error(DiagCode::BadUsage, "'" + dashed(option.flag) + "' takes no value");
    parsed.values.push_back(std::move(results));
  }
  return parsed;
}

/// `text` from column `indent` on, in lines of at most 80 columns.
std::string wrapped(const std::string &text, size_t indent) {
  std::string lines;
  size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > 80) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += " ";
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

} // namespace

std::string helpText(const Command &command) {
  constexpr size_t kColumn = 26;
  std::string text = command.summary + "\n\n  example: " + command.example + "\n  usage:   normc " + command.name + " " + command.usage + "\n";
  std::vector<std::string> groups;
  for (const Option &option : command.options)
    if (!option.hidden && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string &group : groups) {
    text += "\n" + group + ":\n";
    for (const Option &option : command.options) {
      if (option.hidden || option.group != group)
        continue;
      std::string head = "  " + dashed(option.flag) + (option.metavar.empty() ? "" : " " + option.metavar);
      head += head.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - head.size(), ' ');
      text += head + wrapped(option.help, kColumn) + "\n";
    }
  }
  if (!command.notes.empty())
    text += "\n";
  for (const std::string &note : command.notes)
    text += wrapped(note, 0) + "\n";
  return text;
}

std::vector<std::string> recordedCommand(const Command &command, const std::vector<std::string> &arguments) {
  std::vector<std::string> recorded = {command.name};
  for (size_t i = 0, end = 0; i < arguments.size(); i = end) {
    const std::string &word = arguments[i];
    bool keep = true;
    end = i + 1;
    for (const Option &option : command.options) {
      const std::string flag = dashed(option.flag);
      const bool takesValue = !option.metavar.empty(), isShort = option.flag.size() == 1;
      // "--flag=value", "-xvalue"
      const bool joined = takesValue && word.size() > flag.size() && word.rfind(flag, 0) == 0 && (isShort || word[flag.size()] == '=');
      if (word != flag && !joined)
        continue;
      keep = option.recorded;
      end = std::min(i + (takesValue && !joined ? 2 : 1), arguments.size());
      break;
    }
    if (keep)
      recorded.insert(recorded.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return recorded;
}

int runCommand(const Command &command, const std::vector<std::string> &arguments) {
  Parsed parsed = parse(command, arguments);
  if (parsed.help) {
    std::cout << helpText(command);
    return 0;
  }
  if (const size_t most = command.positional.empty() ? 0 : command.positionals; parsed.positional.size() > most)
    refuseUnknown(command, parsed.positional[most]);
  if (command.positionalRequired && parsed.positional.empty())
    throw Error(DiagCode::BadUsage, "'normc " + command.name + "' needs an argument: " + command.positional,
                {"for example: " + command.example, "'normc " + command.name + " --help' says more"});
  for (const std::string &word : parsed.positional)
    command.setPositional(word);
  for (size_t i = 0; i < command.options.size(); ++i)
    for (const std::string &value : parsed.values[i])
      command.options[i].set(command.options[i].metavar.empty() ? "" : value);
  return command.run();
}

std::vector<Option> fieldOptions(KernelRequest &request, FieldGroup group, const std::vector<std::string> &without) {
  std::vector<Option> options;
  for (const Field &field : kernelFields()) {
    if (field.group != group || field.kind == FieldKind::Positional || std::find(without.begin(), without.end(), field.flag) != without.end())
      continue;
    Option option;
    option.flag = field.flag;
    option.metavar = field.metavar;
    option.help = field.help;
    if (!field.defaultText.empty() && field.kind != FieldKind::Switch)
      option.help += " (default: " + std::string(field.defaultText) + ")";
    option.group = group == FieldGroup::What ? "what to compute" : "where to run";
    option.set = [&request, &field](const std::string &text) { setField(request, field, field.kind == FieldKind::Switch ? "true" : text); };
    options.push_back(std::move(option));
  }
  return options;
}

int64_t parseWhole(const std::string &flag, const std::string &text, int64_t least, int64_t most) {
  int64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw Error(DiagCode::BadNumber,
                "'" + dashed(flag) + "' is '" + text + "', but must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

} // namespace normc
