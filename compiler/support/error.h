// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the compiler reports what it cannot do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

/// Exit statuses of the command-line tool. Contract: pinned.
enum class ExitStatus : int { Ok = 0, Failed = 1, Usage = 2, Missing = 3, Bug = 70 };

/// Every diagnostic that the compiler can give; the table is diagnostics.def.
enum class DiagCode : int {
#define NORMC_DIAGNOSTIC(name, number, exitStatus, meaning) name = number,
#include "compiler/support/diagnostics.def"
#undef NORMC_DIAGNOSTIC
};

/// One row of the table of diagnostics.
struct DiagInfo {
  DiagCode code;
  std::string_view name;    ///< "NORMC1203"
  ExitStatus exitStatus;
  std::string_view meaning; ///< what it means and what to do, for `normc explain`
};

const DiagInfo &diagInfo(DiagCode code);
const std::vector<DiagInfo> &allDiagnostics();

/// A failure that is reported to the user: one message (what was found, what was expected) and notes (the next step).
/// Messages start in lower case and carry no final period.
class Error : public std::runtime_error {
public:
  Error(DiagCode code, std::string message, std::vector<std::string> notes = {})
      : std::runtime_error(std::move(message)), code_(code), notes_(std::move(notes)) {}

  DiagCode code() const { return code_; }
  const std::vector<std::string> &notes() const { return notes_; }
  ExitStatus exitStatus() const { return diagInfo(code_).exitStatus; }

private:
  DiagCode code_;
  std::vector<std::string> notes_;
};

/// Throws Error(DiagCode::InternalError): an invariant of ours does not hold.
[[noreturn]] void reportBug(const std::string &what);

/// The candidate nearest to `word` by edit distance, or "" where none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string> &candidates);

/// The note "did you mean 'NEAREST'?", or none where none is near: what an error about an unknown word begins its notes with.
std::vector<std::string> suggestion(std::string_view word, const std::vector<std::string> &candidates);

/// "'f32', 'f16' or 'bf16'"
std::string quotedList(const std::vector<std::string> &words, std::string_view conjunction = "or");

} // namespace normc
