// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/process.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace normc {
namespace {

volatile std::sig_atomic_t caughtSignal = 0;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction previousActions[std::size(kSignals)], previousPipeAction;

void noteSignal(int signal) {
  caughtSignal = signal;
  // Whoever sends a second one does not want to wait.
  std::signal(signal, SIG_DFL);
}

/// In the child: this file as that descriptor.
bool redirect(const char *file, int flags, int descriptor) {
  const int opened = open(file, flags, 0600);
  return opened >= 0 && dup2(opened, descriptor) >= 0 && (opened == descriptor || close(opened) == 0);
}

/// Starts a child. An exec that fails is told through a pipe that a successful one closes.
pid_t start(const Job &job) {
  std::vector<char *> argv;
  for (const std::string &argument : job.argv)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0)
    throw Error(DiagCode::MissingTool, std::string("cannot start a process: ") + std::strerror(errno));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // A group of its own: Ctrl-C reaches the parent, which ends its children in order.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int signal : kSignals)
      std::signal(signal, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    if (getppid() == parent && redirect("/dev/null", O_RDONLY, 0) && redirect(job.stdoutFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1) &&
        redirect(job.stderrFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2))
      execv(argv[0], argv.data());
    const int error = errno;
    [[maybe_unused]] ssize_t told = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  const int forkError = errno;
  close(failure[1]);
  int error = 0;
  ssize_t got = 0;
  if (child > 0)
    do
      got = read(failure[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
  close(failure[0]);
  if (child < 0)
    throw Error(DiagCode::MissingTool, std::string("cannot start a process: ") + std::strerror(forkError));
  if (got == sizeof error) {
    waitpid(child, nullptr, 0);
    throw Error(DiagCode::MissingTool, "cannot start '" + job.argv[0] + "': " + std::strerror(error));
  }
  return child;
}

using Clock = std::chrono::steady_clock;

struct Running {
  size_t job;
  Clock::time_point since;
};

/// The children of one runJobs; those that are left at the end of its life are ended.
class Children {
public:
  Children() = default;
  Children(const Children &) = delete;
  Children &operator=(const Children &) = delete;
  ~Children() {
    for (const auto &[child, running] : running_) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  void add(pid_t child, size_t job) { running_.emplace(child, Running{job, Clock::now()}); }
  size_t size() const { return running_.size(); }

  /// Waits until one of the children ends and returns its job.
  size_t wait(ExitReport &report, double &seconds) {
    while (true) {
      checkInterrupted();
      for (auto it = running_.begin(); it != running_.end(); ++it) {
        int status = 0;
        const pid_t child = waitpid(it->first, &status, WNOHANG);
        if (child < 0 && errno != EINTR)
          throw Error(DiagCode::ToolFailed, std::string("cannot learn how a process ended: ") + std::strerror(errno));
        if (child != it->first)
          continue;
        report = WIFSIGNALED(status) ? ExitReport{0, WTERMSIG(status)} : ExitReport{WEXITSTATUS(status), 0};
        const Running ended = it->second;
        seconds = std::chrono::duration<double>(Clock::now() - ended.since).count();
        running_.erase(it);
        return ended.job;
      }
      // A signal that arrives between the check and the sleep is seen after at most this long.
      usleep(2000);
    }
  }

private:
  std::map<pid_t, Running> running_;
};

} // namespace

std::string executablePath() {
  std::error_code problem;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem)
    reportBug("/proc/self/exe cannot be read: " + problem.message());
  return path.string();
}

std::string findProgram(const std::string &name) {
  auto executable = [](const std::string &path) { return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path); };
  if (name.find('/') != std::string::npos)
    return executable(name) ? name : "";
  const char *variable = std::getenv("PATH");
  std::string path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = (end == at ? "." : path.substr(at, end - at)) + "/" + name;
    if (executable(candidate))
      return candidate;
    at = end + 1;
  }
  return "";
}

TempDir::TempDir() {
  const char *variable = std::getenv("TMPDIR");
  const std::string base = variable && *variable ? variable : "/tmp";
  path_ = base + "/normc-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw Error(DiagCode::CannotWrite, "cannot make a temporary folder in '" + base + "': " + std::strerror(errno),
                {"set TMPDIR to a folder that can be written"});
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void runJobs(const std::vector<Job> &jobs, int parallel, const std::function<void(size_t, const ExitReport &, double)> &finished) {
  Children children;
  size_t next = 0;
  while (next < jobs.size() || children.size() > 0) {
    while (next < jobs.size() && children.size() < static_cast<size_t>(std::max(parallel, 1))) {
      checkInterrupted();
      children.add(start(jobs[next]), next);
      ++next;
    }
    ExitReport report;
    double seconds = 0;
    const size_t job = children.wait(report, seconds);
    finished(job, report, seconds);
  }
}

ExitReport runJob(const Job &job) {
  ExitReport result;
  runJobs({job}, 1, [&](size_t, const ExitReport &report, double) { result = report; });
  return result;
}

void keepExitStatuses() { std::signal(SIGCHLD, SIG_DFL); }

SignalGuard::SignalGuard() {
  caughtSignal = 0;
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &previousActions[i]);
    // What the parent told us to ignore (nohup) stays ignored.
    if (previousActions[i].sa_handler != SIG_IGN)
      sigaction(kSignals[i], &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &previousPipeAction);
}

SignalGuard::~SignalGuard() {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &previousActions[i], nullptr);
  sigaction(SIGPIPE, &previousPipeAction, nullptr);
}

void checkInterrupted() {
  if (caughtSignal != 0)
    throw Error(DiagCode::Interrupted, "stopped by " + signalText(caughtSignal), {"nothing was left half-written"});
}

std::string signalText(int signal) { return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"; }

} // namespace normc
