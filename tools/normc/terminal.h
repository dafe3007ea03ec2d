// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool says: errors and progress on stderr, tables on stdout.
#pragma once

#include "compiler/support/error.h"

#include <chrono>
#include <string>
#include <vector>

namespace normc {

/// Prints "error: message [NORMC1001]" and its notes on stderr, in colour on a terminal (unless NO_COLOR is set or TERM is dumb). Returns the exit status.
int printError(const Error &error);

/// The exception that is being handled, as an Error: OutOfMemory or InternalError where it is none of ours. To be called in a catch block.
Error currentError();

/// Columns that line up, the first row being the heading: "op           formula".
std::string tableText(const std::vector<std::vector<std::string>> &rows);

/// "12.3 kB"
std::string sizeText(int64_t bytes);
/// "0.8 s", "12 ms"
std::string secondsText(double seconds);

/// The word as a shell reads it: "'my out'"
std::string quotedForShell(const std::string &word);

/// Tells how far long work has come: nothing in the first two seconds; then, on a terminal, one line that changes, and elsewhere one line for each finished
/// thing.
class Progress {
public:
  /// `total` steps; `quiet` says nothing at all.
  Progress(size_t total, bool quiet);
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress();

  /// One step is done.
  void step(const std::string &what);
  /// Something that is worth a line of its own is done.
  void finished(const std::string &what);

private:
  bool due() const;

  const size_t total_;
  const bool quiet_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_;
  size_t done_ = 0;
  bool lineOpen_ = false;
};

} // namespace normc
