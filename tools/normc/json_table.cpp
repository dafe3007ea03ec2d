// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/json_table.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace normc {

std::string jsonTable(const std::vector<std::vector<std::string>> &rows, const std::vector<std::string> &numbers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.array([&] {
    for (size_t i = 1; i < rows.size(); ++i)
      json.object([&] {
        for (size_t column = 0; column < rows[i].size(); ++column) {
          const std::string &key = rows[0][column], &cell = rows[i][column];
          if (std::find(numbers.begin(), numbers.end(), key) == numbers.end())
            json.attribute(key, llvm::json::fixUTF8(cell));
          else
            json.attributeBegin(key), json.rawValue(cell.empty() ? "null" : cell), json.attributeEnd();
        }
      });
  });
  json.flush();
  return text + "\n";
}

} // namespace normc
