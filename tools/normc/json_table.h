// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace normc {

/// A table as JSON: a list of objects with the words of the first row as keys. Values are strings, but numbers in the columns that `numbers` names, and null
/// where such a cell is empty.
std::string jsonTable(const std::vector<std::vector<std::string>> &rows, const std::vector<std::string> &numbers = {});

} // namespace normc
