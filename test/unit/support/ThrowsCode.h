// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of diagnostics.
#pragma once

#include "compiler/support/error.h"

#include <gtest/gtest.h>

namespace normc {

/// Whether `action` throws an Error with that code whose message contains `message` and one of whose notes contains `note` ("" = any or none).
template <class Action>
testing::AssertionResult throwsCode(Action action, DiagCode code, const std::string &message, const std::string &note = {}) {
  try {
    action();
  } catch (const Error &error) {
    if (error.code() != code)
      return testing::AssertionFailure() << "code " << diagInfo(error.code()).name << ": " << error.what();
    if (std::string(error.what()).find(message) == std::string::npos)
      return testing::AssertionFailure() << "the message is: " << error.what();
    bool found = note.empty();
    std::string notes;
    for (const std::string &one : error.notes()) {
      found = found || one.find(note) != std::string::npos;
      notes += "\n  note: " + one;
    }
    return found ? testing::AssertionSuccess() : testing::AssertionFailure() << "no note contains '" << note << "':" << notes;
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

} // namespace normc
