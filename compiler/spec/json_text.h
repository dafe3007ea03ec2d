// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a JSON parser does not check or say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace normc {

/// Objects and lists inside each other that are read; parsers recurse, and the stack ends somewhere.
constexpr int kMaxJsonDepth = 64;

/// Whether `text`, JSON or not, opens more than kMaxJsonDepth objects and lists inside each other.
bool tooDeep(std::string_view text);

/// A key that stands twice in one object of `text`, which is valid JSON.
std::optional<std::string> duplicateKey(std::string_view text);

/// A message that names command-line flags of the field table, in the words of a JSON file: "add --hidden N" becomes "add \"hidden\": N".
std::string spokenInJson(std::string_view message);

} // namespace normc
