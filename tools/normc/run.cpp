// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/array_arguments.h"
#include "tools/normc/command_line.h"
#include "tools/normc/commands.h"
#include "tools/normc/compile.h"
#include "tools/normc/loaded_kernel.h"

#include "compiler/library/outline.h"
#include "compiler/support/error.h"
#include "compiler/support/files.h"
#include "compiler/support/process.h"

#include <algorithm>
#include <filesystem>

namespace normc {
namespace {

/// Results by role, in C order.
using Results = std::map<std::string, std::vector<std::byte>>;

KernelCall callOf(const KernelProblem &problem) {
  KernelCall call{problem.rows, problem.hidden, problem.spec.eps, {}, {}};
  for (const auto &[role, array] : problem.inputs)
    call.inputs[role] = array.data.data();
  return call;
}

Results interpretProblem(const KernelProblem &problem) {
  std::set<std::string> wanted;
  for (const auto &[role, type] : problem.outputs)
    wanted.insert(role);
  const Precision precision = problem.spec.dtype == DType::F64 ? Precision::Double : Precision::Float32;
  Results results;
  for (auto &[role, array] : interpretCall(problem.spec, callOf(problem), wanted, precision)) {
    if (array.dtype != problem.outputs.at(role))
      reportBug("the reference gives '" + role + "' as " + std::string(dtypeName(array.dtype)));
    results[role] = std::move(array.bytes);
  }
  return results;
}

Results callKernel(const KernelProblem &problem, const LoadedKernel &kernel, const CallOptions &options) {
  KernelCall call = callOf(problem);
  Results results;
  auto output = [&](const std::string &role, DType type, const std::vector<int64_t> &shape) {
    std::vector<std::byte> &bytes = results[role];
    bytes.resize(static_cast<size_t>(shapeElements(shape) * dtypeBytes(type)));
    call.outputs[role] = bytes.data();
  };
  for (const auto &[role, type] : problem.outputs)
    output(role, type, problem.outputShapes.at(role));
  // A call writes these whether they are wanted or not.
  if (!problem.outputs.count("y"))
    output("y", problem.spec.yDtype, {problem.rows, problem.hidden});
  if (problem.spec.sum && !problem.outputs.count("sum"))
    output("sum", problem.spec.dtype, {problem.rows, problem.hidden});
  kernel.prepare(call, options).run();
  return results;
}

void writeResults(const KernelProblem &problem, const Results &results, const std::vector<ArrayArgument> &outputs) {
  std::vector<OutputFile> files;
  for (const ArrayArgument &output : outputs) {
    std::string contents = npyHeaderBytes(npyTypeOf(problem.outputs.at(output.role)), problem.outputShapes.at(output.role));
    const std::vector<std::byte> &bytes = results.at(output.role);
    contents.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    files.push_back({output.file, std::move(contents)});
  }
  writeFiles(files);
}

/// Before minutes of work.
void checkFolders(const std::vector<ArrayArgument> &outputs) {
  for (const ArrayArgument &output : outputs) {
    const std::filesystem::path folder = std::filesystem::path(output.file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
      throw Error(DiagCode::CannotWrite, "cannot write '" + output.file + "': there is no folder '" + folder.string() + "'", {"make it first"});
  }
}

/// Where no target is said: the widest one that this machine runs and that is not wider than the limit ("" = none).
std::vector<Target> runTargets(const KernelRequest &request, const std::string &maxIsa) {
  if (!request.targets.empty())
    return requestedTargets(request.targets);
  const Target widest = parseTarget("host");
  return {maxIsa.empty() ? widest : std::min(widest, parseTarget(maxIsa))};
}

} // namespace

int runKernelCommand(const std::vector<std::string> &arguments) {
  KernelRequest request;
  ArrayArguments arrays;
  CallOptions options;
  int threads = 1;
  std::string maxIsa, cacheDir;
  int jobs = defaultJobs();
  Command command;
  command.name = "run";
  command.summary = "Runs a kernel on .npy files. What is not said follows from the arrays.";
  command.example = "normc run layer_norm --input x=x.npy --output y=y.npy";
  command.usage = "OP --input ROLE=FILE --output ROLE=FILE... [what] [where]";
  command.positional = "OP";
  command.positionalRequired = true;
  command.setPositional = [&](const std::string &text) { setField(request, kernelField("op"), text); };
  auto array = [](const std::string &flag, std::vector<ArrayArgument> &list) {
    return [&list, flag](const std::string &text) { list.push_back(parseArrayArgument(flag, text)); };
  };
  command.options = {
      {"input", "ROLE=FILE", "x, residual (skip), weight (gamma), bias (beta)", "arrays", array("input", arrays.inputs), true},
      {"output", "ROLE=FILE", "y, mean, rstd, sum", "arrays", array("output", arrays.outputs), true},
      {"normalized-shape", "A,B", "the last dimensions of x", "arrays", [&](const std::string &text) { arrays.normalizedShape = parseShape(text); }},
      {"axis", "K", "first of them; negative counts from the end", "arrays", [&](const std::string &text) { arrays.axis = parseWhole("axis", text, -32, 31); }},
  };
  for (FieldGroup group : {FieldGroup::What, FieldGroup::Where})
    for (Option &option : fieldOptions(request, group, {"name"})) {
      if (option.flag == "target")
        option.help = "x86-64-v2, x86-64-v3, x86-64-v4, host (default: host)";
      if (option.flag == "dtype" || option.flag == "hidden" || option.flag == "weight" || option.flag == "bias" || option.flag == "param-dtype")
        option.help = option.help.substr(0, option.help.find(" (default"));
      command.options.push_back(std::move(option));
    }
  const std::string where = "where to run";
  command.options.push_back({"threads", "N", "threads of this call (default: 1)", where,
                             [&](const std::string &text) { threads = static_cast<int>(parseWhole("threads", text, 1, 1024)); }});
  command.options.push_back({"max-isa", "T", "run no wider variant than this", where, [&](const std::string &text) {
                               options.maxIsa = library::isaOf(parseTarget(text));
                               maxIsa = text;
                             }});
  command.options.push_back(
      {"cache-dir", "DIR", "where built kernels are kept (default: ~/.cache/normc)", where, [&](const std::string &text) { cacheDir = text; }});
  command.options.push_back(
      {"j", "N", "processes at once while building", where, [&](const std::string &text) { jobs = static_cast<int>(parseWhole("j", text, 1, 4096)); }});
  command.notes = {"ROLE:DTYPE=FILE says a type: x:bf16=FILE has bfloat16 bits in uint16, y:f32=FILE is wanted as f32."};
  command.run = [&] {
    checkFolders(arrays.outputs);
    KernelProblem problem = readProblem(request, arrays);
    Results results;
    SignalGuard guard;
    if (request.backend == "reference") {
      results = interpretProblem(problem);
    } else {
      requireBackend(request.backend);
      problem.spec.name = defaultName(problem.spec);
      const LoadedKernel kernel(problem.spec, runTargets(request, maxIsa), cacheDir.empty() ? defaultCacheDir() : cacheDir, jobs);
      ThreadPool pool(threads);
      options.pool = &pool;
      results = callKernel(problem, kernel, options);
    }
    checkInterrupted();
    writeResults(problem, results, arrays.outputs);
    return 0;
  };
  return runCommand(command, arguments);
}

} // namespace normc
