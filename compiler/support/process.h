// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Child processes, temporary folders and signals.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace normc {

/// The path of the running program.
std::string executablePath();

/// A program in PATH, or as given where `name` has a slash; "" where there is none that can be executed.
std::string findProgram(const std::string &name);

/// A folder of its own below $TMPDIR (or /tmp), removed with all it contains at the end of the object's life.
class TempDir {
public:
  /// Throws CannotWrite.
  TempDir();
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;
  ~TempDir();

  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// How a child ended.
struct ExitReport {
  int exitCode = 0;   ///< meaningful where signal is 0
  int signal = 0;     ///< the signal that ended it, or 0
  bool ok() const { return exitCode == 0 && signal == 0; }
};

/// One child to run: argv[0] is a path. stdin is /dev/null; stdout and stderr go to these files.
struct Job {
  std::vector<std::string> argv;
  std::string stdoutFile;
  std::string stderrFile;
};

/// Runs the jobs, at most `parallel` at once, in order, and calls `finished(number, report, seconds)` as each ends. A job that fails does not stop the others;
/// `finished` may throw, which ends the running children and passes the exception on. Children die with this process.
/// Throws Interrupted when a signal arrives (see SignalGuard), after ending the children, MissingTool where a program cannot be started, and ToolFailed where
/// the system does not keep how a child ended (see keepExitStatuses).
void runJobs(const std::vector<Job> &jobs, int parallel, const std::function<void(size_t, const ExitReport &, double)> &finished);

/// Runs one job.
ExitReport runJob(const Job &job);

/// Undoes a SIGCHLD that whoever started this process told it to ignore: the system would forget the children that end. For the begin of main.
void keepExitStatuses();

/// While one is alive, SIGINT, SIGTERM and SIGHUP only take note; a second signal ends the process at once. SIGPIPE is ignored: nobody
/// reading what is said does not end the work halfway. One at a time.
class SignalGuard {
public:
  SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;
  ~SignalGuard();
};

/// Throws Interrupted where a signal has arrived since the SignalGuard was made: to be called before anything is made visible to the user.
void checkInterrupted();

/// "signal 11 (Segmentation fault)"
std::string signalText(int signal);

} // namespace normc
