// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/process.h"
#include "test/unit/support/ThrowsCode.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace normc {
namespace {

using Clock = std::chrono::steady_clock;

std::string contents(const std::string &file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class ProcessTest : public testing::Test {
protected:
  Job shell(const std::string &script, const std::string &name = "job") {
    return {{"/bin/sh", "-c", script}, folder_.path() + "/" + name + ".out", folder_.path() + "/" + name + ".err"};
  }
  TempDir folder_;
};

TEST_F(ProcessTest, ExitCodeAndOutput) {
  const ExitReport report = runJob(shell("echo result; echo talk >&2; exit 7"));
  EXPECT_EQ(report.exitCode, 7);
  EXPECT_EQ(report.signal, 0);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(contents(folder_.path() + "/job.out"), "result\n");
  EXPECT_EQ(contents(folder_.path() + "/job.err"), "talk\n");
  EXPECT_TRUE(runJob(shell("exit 0")).ok());
}

TEST_F(ProcessTest, ASignalIsReported) {
  const ExitReport report = runJob(shell("kill -SEGV $$"));
  EXPECT_EQ(report.signal, SIGSEGV);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(signalText(SIGSEGV), "signal 11 (Segmentation fault)");
}

TEST_F(ProcessTest, StdinIsEmpty) { EXPECT_TRUE(runJob(shell("! read line")).ok()); }

TEST_F(ProcessTest, AProgramThatIsNotThere) {
  EXPECT_TRUE(throwsCode([&] { runJob({{"/nonexistent/tool"}, folder_.path() + "/o", folder_.path() + "/e"}); }, DiagCode::MissingTool, "/nonexistent/tool"));
}

TEST_F(ProcessTest, AllJobsRunAtMostSoManyAtOnce) {
  std::vector<Job> jobs;
  const std::string busy = folder_.path() + "/busy";
  std::filesystem::create_directory(busy);
  for (int i = 0; i < 8; ++i)
    jobs.push_back(shell("touch " + busy + "/$$; ls " + busy + " | wc -l; sleep 0.1; rm " + busy + "/$$", std::to_string(i)));
  std::set<size_t> seen;
  runJobs(jobs, 3, [&](size_t job, const ExitReport &report, double seconds) {
    EXPECT_TRUE(report.ok());
    EXPECT_GE(seconds, 0.1);
    seen.insert(job);
  });
  EXPECT_EQ(seen.size(), jobs.size());
  for (int i = 0; i < 8; ++i)
    EXPECT_LE(std::stoi(contents(folder_.path() + "/" + std::to_string(i) + ".out")), 3);
}

TEST_F(ProcessTest, AnExceptionEndsTheOthers) {
  const auto start = Clock::now();
  std::vector<Job> jobs = {shell("exit 1", "a"), shell("sleep 20", "b")};
  EXPECT_TRUE(throwsCode([&] { runJobs(jobs, 2, [](size_t, const ExitReport &, double) { throw Error(DiagCode::ToolFailed, "stop"); }); },
                         DiagCode::ToolFailed, "stop"));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST_F(ProcessTest, ASignalEndsTheJobsAndIsReportedOnce) {
  SignalGuard guard;
  checkInterrupted();
  const std::string pidFile = folder_.path() + "/pid";
  std::thread killer([&] {
    while (contents(pidFile).empty())
      usleep(1000);
    kill(getpid(), SIGINT);
  });
  EXPECT_TRUE(throwsCode([&] { runJob(shell("echo $$ > " + pidFile + "; sleep 20")); }, DiagCode::Interrupted, "signal 2 (Interrupt)", "half-written"));
  killer.join();
  EXPECT_NE(kill(std::stoi(contents(pidFile)), 0), 0) << "the child is still there";
  EXPECT_TRUE(throwsCode([] { checkInterrupted(); }, DiagCode::Interrupted, "signal 2"));
}

TEST(SignalGuardTest, IgnoredSignalsStayIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    SignalGuard guard;
    raise(SIGHUP);
    checkInterrupted();
  }
  std::signal(SIGHUP, SIG_DFL);
}

TEST(SignalGuardTest, NobodyReadingDoesNotEndTheWork) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  {
    SignalGuard guard;
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  struct sigaction after = {};
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL);
  close(ends[1]);
}

TEST_F(ProcessTest, AJobWhoseReaderLeavesEndsAsUsual) {
  SignalGuard guard;
  EXPECT_EQ(runJob(shell("kill -PIPE $$")).signal, SIGPIPE);
}

TEST(TempDirTest, IsOfItsOwnAndRemoved) {
  std::string path;
  {
    TempDir a, b;
    path = a.path();
    EXPECT_NE(a.path(), b.path());
    std::filesystem::create_directories(path + "/x/y");
    std::ofstream(path + "/x/y/z") << "z";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDirTest, SaysWhereItCannotBeMade) {
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_TRUE(throwsCode([] { TempDir folder; }, DiagCode::CannotWrite, "'/nonexistent'", "TMPDIR"));
  unsetenv("TMPDIR");
}

TEST(FindProgram, LooksInPath) {
  EXPECT_NE(findProgram("sh"), "");
  EXPECT_EQ(findProgram("/bin/sh"), "/bin/sh");
  EXPECT_EQ(findProgram("no-such-program-here"), "");
  EXPECT_EQ(findProgram("/etc/passwd"), "");
}

TEST(ExecutablePath, IsThisProgram) { EXPECT_NE(executablePath().find("SupportTest"), std::string::npos); }

} // namespace
} // namespace normc
