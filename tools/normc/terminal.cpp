// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/terminal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include <unistd.h>

namespace normc {
namespace {

bool stderrIsTerminal() {
  const char *term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

std::string inColour(std::string_view word, std::string_view code) {
  const char *noColour = std::getenv("NO_COLOR");
  if (!stderrIsTerminal() || (noColour && *noColour))
    return std::string(word);
  return "\x1b[" + std::string(code) + "m" + std::string(word) + "\x1b[0m";
}

std::string formatted(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

} // namespace

int printError(const Error &error) {
  const DiagInfo &info = diagInfo(error.code());
  std::string text = inColour("error:", "1;31") + " " + error.what() + " [" + std::string(info.name) + "]\n";
  for (const std::string &note : error.notes())
    text += inColour("note:", "1;36") + " " + note + "\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  return static_cast<int>(info.exitStatus);
}

Error currentError() {
  try {
    throw;
  } catch (const Error &error) {
    return error;
  } catch (const std::bad_alloc &) {
    return Error(DiagCode::OutOfMemory, "not enough memory");
  } catch (const std::exception &problem) {
    return Error(DiagCode::InternalError, problem.what());
  }
}

std::string tableText(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string sizeText(int64_t bytes) {
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  return bytes < 1000000 ? formatted("%.1f kB", static_cast<double>(bytes) / 1e3) : formatted("%.1f MB", static_cast<double>(bytes) / 1e6);
}

std::string secondsText(double seconds) { return seconds < 0.1 ? formatted("%.0f ms", seconds * 1e3) : formatted("%.1f s", seconds); }

std::string quotedForShell(const std::string &word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=") == std::string::npos)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Progress::Progress(size_t total, bool quiet) : total_(total), quiet_(quiet), terminal_(stderrIsTerminal()), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (lineOpen_)
    std::fputs("\r\x1b[K", stderr);
}

bool Progress::due() const { return !quiet_ && std::chrono::steady_clock::now() - start_ > std::chrono::seconds(2); }

void Progress::step(const std::string &what) {
  ++done_;
  if (!terminal_ || !due())
    return;
  std::fprintf(stderr, "\r\x1b[K[%zu/%zu] %s", done_, total_, what.c_str());
  std::fflush(stderr);
  lineOpen_ = true;
}

void Progress::finished(const std::string &what) {
  if (!terminal_ && due())
    std::fprintf(stderr, "[%zu/%zu] %s\n", done_, total_, what.c_str());
}

} // namespace normc
