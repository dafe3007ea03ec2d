// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace normc {

const std::vector<DiagInfo> &allDiagnostics() {
  static const std::vector<DiagInfo> table = {
#define NORMC_DIAGNOSTIC(name, number, exitStatus, meaning) {DiagCode::name, "NORMC" #number, ExitStatus::exitStatus, meaning},
#include "compiler/support/diagnostics.def"
#undef NORMC_DIAGNOSTIC
  };
  return table;
}

const DiagInfo &diagInfo(DiagCode code) {
  for (const DiagInfo &info : allDiagnostics())
    if (info.code == code)
      return info;
  return allDiagnostics().back();
}

void reportBug(const std::string &what) { throw Error(DiagCode::InternalError, what); }

namespace {

/// Characters that are inserted, dropped, replaced or swapped with their neighbour to make `b` of `a`.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> beforeLast, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    beforeLast = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
  }
  return row[b.size()];
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> suggestion(std::string_view word, const std::vector<std::string> &candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? std::vector<std::string>{} : std::vector<std::string>{"did you mean '" + near + "'?"};
}

std::string quotedList(const std::vector<std::string> &words, std::string_view conjunction) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      text += i + 1 == words.size() ? " " + std::string(conjunction) + " " : ", ";
    text += "'" + words[i] + "'";
  }
  return text;
}

} // namespace normc
