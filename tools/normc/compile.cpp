// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/compile.h"

#include "compiler/pipeline/lowering.h"
#include "tools/normc/terminal.h"

#include "compiler/support/error.h"
#include "compiler/support/files.h"
#include "compiler/support/process.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <sched.h>

namespace normc {
namespace {

// The files of a worker's folder.
constexpr const char *kResultFile = "result";   // the object or the form's text
constexpr const char *kSymbolsFile = "symbols"; // bytes of code, then one symbol a line
constexpr const char *kErrorFile = "error";     // code, message and notes, one a line

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : "";
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<std::string> workerArguments(const CompileTask &task, const std::string &form) {
  std::vector<std::string> arguments = {"worker"};
  std::istringstream words(canonicalSpelling(task.spec));
  for (std::string word; words >> word;)
    arguments.push_back(word);
  for (const std::string &word :
       {std::string("--name"), task.spec.name, std::string("--target"), std::string(targetName(task.target)), std::string("--as"), form})
    arguments.push_back(word);
  return arguments;
}

std::string replayLine(const CompileTask &task, const std::string &form) {
  std::string line = "normc";
  for (const std::string &argument : workerArguments(task, form))
    line += " " + argument;
  return line + " -o replay";
}

Job workerJob(const CompileTask &task, const std::string &form, const std::string &directory) {
  Job job;
  job.argv = workerArguments(task, form);
  job.argv.insert(job.argv.begin(), executablePath());
  job.argv.insert(job.argv.end(), {"-o", directory});
  job.stdoutFile = directory + ".out";
  job.stderrFile = directory + ".err";
  return job;
}

/// Throws what a worker that did not succeed has to say.
void checkWorker(const CompileTask &task, const std::string &form, const std::string &directory, const ExitReport &report) {
  if (report.ok())
    return;
  const std::string replay = "to replay it: " + replayLine(task, form);
  const std::vector<std::string> said = linesOf(readFile(directory + "/" + kErrorFile));
  if (report.signal == 0 && said.size() >= 2) {
    std::vector<std::string> notes(said.begin() + 2, said.end());
    const DiagCode code = static_cast<DiagCode>(std::stoi(said[0]));
    if (diagInfo(code).exitStatus == ExitStatus::Bug)
      notes.push_back(replay);
    throw Error(code, said[1], std::move(notes));
  }
  std::vector<std::string> notes;
  const std::vector<std::string> talk = linesOf(readFile(directory + ".err"));
  // How LLVM ends the process when a file that it writes meets a full disk or a limit; where not a byte can be written, there is no message either.
  const std::string ioFailure = "LLVM ERROR: IO failure on output stream: ";
  const bool saidSo = !talk.empty() && talk.back().rfind(ioFailure, 0) == 0;
  if (saidSo || (report.signal == 0 && report.exitCode == static_cast<int>(ExitStatus::Failed) && talk.empty()))
    throw Error(DiagCode::CannotWrite, "cannot write an intermediate file" + (saidSo ? ": " + talk.back().substr(ioFailure.size()) : ""),
                {"free some space, or raise the limit of file sizes; TMPDIR says where such files go"});
  if (!talk.empty())
    notes.push_back("its last words: " + talk.back());
  if (report.signal == SIGKILL)
    notes.push_back("the system ends processes in this way where memory is short: fewer at once (-j 1) need less");
  notes.push_back(replay);
  throw Error(DiagCode::WorkerDied,
              "the process that compiled '" + task.spec.name + "' for " + std::string(targetName(task.target)) + " ended with " +
                  (report.signal ? signalText(report.signal) : "exit status " + std::to_string(report.exitCode)),
              std::move(notes));
}

VariantObject readObject(const std::string &directory) {
  VariantObject code;
  code.object = readFile(directory + "/" + kResultFile);
  std::vector<std::string> lines = linesOf(readFile(directory + "/" + kSymbolsFile));
  if (code.object.empty() || lines.empty())
    reportBug("a worker wrote no object into its folder");
  code.codeBytes = std::stoll(lines[0]);
  code.symbols.assign(lines.begin() + 1, lines.end());
  return code;
}

} // namespace

std::vector<Target> requestedTargets(const std::vector<std::string> &names) {
  std::vector<Target> targets;
  for (const std::string &name : names.empty() ? targetNames() : names) {
    const Target target = parseTarget(name);
    if (std::find(targets.begin(), targets.end(), target) != targets.end())
      throw Error(DiagCode::BadValue, "target has '" + std::string(targetName(target)) + "' twice" + (name == "host" ? ": it is what 'host' means here" : ""));
    targets.push_back(target);
  }
  return targets;
}

std::vector<Target> runnableTargets(const std::vector<std::string> &names) {
  std::vector<Target> runnable;
  for (Target target : requestedTargets(names)) {
    if (hostRuns(target))
      runnable.push_back(target);
    else
      std::cerr << "skipped: " << targetName(target) << ", which this machine's processor cannot run\n";
  }
  if (runnable.empty())
    throw Error(DiagCode::UnsupportedCpu, "this machine's processor can run none of the targets", {"'normc list targets' says what it runs"});
  return runnable;
}

void requireBackend(const std::string &backend) {
  if (backend == "reference")
    throw Error(DiagCode::ImpossibleCombination, "the back end 'reference' interprets kernels and makes no code",
                {"use it with 'normc run' or 'normc verify'; libraries are built by 'halide'"});
  if (!haveHalide())
    throw Error(DiagCode::MissingBackend, "this normc was built without the Halide back end",
                {"configure normc with -DNORMC_ENABLE_HALIDE=ON", "'normc run --backend reference' works without it"});
}

int defaultJobs() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

std::vector<LibraryKernel> compileKernels(const std::vector<KernelSpec> &specs, const std::vector<Target> &targets, int jobs, bool quiet) {
  TempDir folder;
  std::vector<CompileTask> tasks;
  std::vector<Job> workers;
  std::vector<LibraryKernel> kernels;
  for (const KernelSpec &spec : specs) {
    kernels.push_back({spec, std::vector<LibraryVariant>(targets.size())});
    for (Target target : targets) {
      tasks.push_back({spec, target});
      workers.push_back(workerJob(tasks.back(), "object", folder.path() + "/" + std::to_string(workers.size())));
    }
  }
  Progress progress(tasks.size(), quiet);
  std::vector<size_t> left(specs.size(), targets.size());
  std::vector<double> spent(specs.size(), 0);
  runJobs(workers, jobs, [&](size_t number, const ExitReport &report, double seconds) {
    const CompileTask &task = tasks[number];
    const std::string directory = folder.path() + "/" + std::to_string(number);
    checkWorker(task, "object", directory, report);
    const size_t kernel = number / targets.size();
    LibraryVariant &variant = kernels[kernel].variants[number % targets.size()];
    variant.target = task.target;
    variant.backend = "halide";
    variant.plan = choose(task.spec, task.target);
    variant.code = readObject(directory);
    spent[kernel] += seconds;
    progress.step(task.spec.name + " " + std::string(targetName(task.target)));
    if (--left[kernel] == 0)
      progress.finished("compiled " + task.spec.name + ", " + std::to_string(targets.size()) + (targets.size() == 1 ? " target, " : " targets, ") +
                        secondsText(spent[kernel]));
  });
  return kernels;
}

std::string compiledForm(const CompileTask &task, const std::string &form) {
  TempDir folder;
  const std::string directory = folder.path() + "/form";
  checkWorker(task, form, directory, runJob(workerJob(task, form, directory)));
  return readFile(directory + "/" + kResultFile);
}

void runWorker(const CompileTask &task, const std::string &form, const std::string &directory) {
  try {
    if (form != "object") {
      writeFiles(directory, {{kResultFile, lowerToForm(task.spec, task.target, form)}});
      return;
    }
    const VariantObject code = lowerToObject(task.spec, task.target);
    std::string symbols = std::to_string(code.codeBytes) + "\n";
    for (const std::string &symbol : code.symbols)
      symbols += symbol + "\n";
    writeFiles(directory, {{kResultFile, code.object}, {kSymbolsFile, symbols}});
  } catch (const std::exception &) {
    const Error error = currentError();
    std::string text = std::to_string(static_cast<int>(error.code())) + "\n" + oneLine(error.what()) + "\n";
    for (const std::string &note : error.notes())
      text += oneLine(note) + "\n";
    writeFiles(directory, {{kErrorFile, text}});
    throw error;
  }
}

} // namespace normc
