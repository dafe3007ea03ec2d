// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about LLVM IR and objects that tests assert. No LLVM type appears here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace normc::test {

/// The symbols that an ELF object needs from elsewhere.
std::vector<std::string> undefinedSymbols(const std::string &object);

/// Bytes of stack that the function of a module (IR as text) allocates; nullopt where that depends on the call.
std::optional<int64_t> stackBytes(const std::string &ir, const std::string &function);

/// Bytes that a body loads from the array of that role for one row: the sizes of its loads times the trip counts of the loops around them, without the
/// outermost, which goes over rows. nullopt where a trip count inside a row is not a constant.
std::optional<int64_t> loadedBytesPerRow(const std::string &ir, const std::string &function, const std::string &role);

} // namespace normc::test
