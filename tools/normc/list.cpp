// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/forms.h"
#include "tools/normc/json_table.h"
#include "tools/normc/terminal.h"

#include "compiler/schedule/plan.h"

#include <iostream>

namespace normc {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows ops() {
  Rows rows = {{"op", "formula"}};
  for (const std::string &name : opNames())
    rows.push_back({name, std::string(opSummary(parseOp(name)))});
  return rows;
}

Rows dtypes() {
  return {{"dtype", "aliases", "format"},
          {"f32", "float32, float", "IEEE binary32"},
          {"f16", "float16, half", "IEEE binary16"},
          {"bf16", "bfloat16", "upper half of binary32; in .npy files as uint16"},
          {"f64", "float64, double", "IEEE binary64; with --backend reference only"}};
}

Rows targets() {
  Rows rows = {{"target", "instructions", "this machine"}};
  const std::vector<std::string> needs = {"SSE4.1 level", "AVX2, F16C", "AVX-512 F, BW, CD, DQ, VL"};
  for (const std::string &name : targetNames()) {
    const Target target = parseTarget(name);
    rows.push_back({name, needs[static_cast<size_t>(target)], hostRuns(target) ? "runs it" : "cannot run it"});
  }
  return rows;
}

Rows forms() {
  Rows rows = {{"form", "what emit prints"}};
  for (const Form &form : allForms())
    rows.push_back({std::string(form.name), std::string(form.summary)});
  return rows;
}

Rows plans() {
  Rows rows = {{"target", "hidden", "plan", "reason"}};
  for (const std::string &name : targetNames()) {
    for (int64_t hidden : {16, 768, 1000, 4096, 0}) {
      KernelSpec spec;
      spec.hidden = hidden;
      const Plan plan = choose(spec, parseTarget(name));
      rows.push_back({name, hiddenText(hidden), planText(plan), plan.reason});
    }
  }
  return rows;
}

struct Table {
  std::string_view name;
  Rows (*rows)();
};

constexpr Table kTables[] = {{"ops", ops}, {"dtypes", dtypes}, {"targets", targets}, {"forms", forms}, {"plans", plans}};

} // namespace

int listCommand(const std::vector<std::string> &arguments) {
  std::string what;
  bool json = false;
  Command command;
  command.name = "list";
  command.summary = "Prints what this normc knows.";
  command.example = "normc list targets";
  command.usage = "ops | dtypes | targets | forms | plans [--json]";
  command.positional = "ops, dtypes, targets, forms or plans";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { what = text; };
  command.options = {{"json", "", "a JSON list instead of a table", "output", [&](const std::string &) { json = true; }}};
  command.notes = {"'plans' shows the schedules of f32 layer_norm for some widths."};
  command.run = [&] {
    std::vector<std::string> known;
    for (const Table &table : kTables) {
      known.emplace_back(table.name);
      if (table.name == what) {
        std::cout << (json ? jsonTable(table.rows()) : tableText(table.rows()));
        return 0;
      }
    }
    throw Error(DiagCode::BadValue, "unknown list '" + what + "', expected " + quotedList(known), suggestion(what, known));
  };
  return runCommand(command, arguments);
}

} // namespace normc
