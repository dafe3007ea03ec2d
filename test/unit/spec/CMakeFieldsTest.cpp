// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/fields.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace normc {
namespace {

std::string_view kindName(FieldKind kind) {
  switch (kind) {
  case FieldKind::Positional: return "Positional";
  case FieldKind::Word: return "Word";
  case FieldKind::WordList: return "WordList";
  case FieldKind::Number: return "Number";
  case FieldKind::NumberList: return "NumberList";
  case FieldKind::Switch: return "Switch";
  }
  return "";
}

/// CMake reads its keywords at configure time, before there is a normc to ask, so the table stands in a file as well.
TEST(CMakeFields, FileSaysWhatTheTableSays) {
  std::string expected = "# Keywords of normc_add_library and the flags of `normc build` that they stand for. Follows compiler/spec/fields.cpp; unit.SpecTest compares the two.\n"
                         "set(NORMC_FIELDS\n";
  for (const Field &field : kernelFields())
    expected.append("  \"").append(field.cmake).append(" ").append(field.flag).append(" ").append(kindName(field.kind)).append("\"\n");
  expected += ")\n";

  std::ifstream file(NORMC_CMAKE_FIELDS);
  std::stringstream found;
  found << file.rdbuf();
  EXPECT_EQ(found.str(), expected) << "write the expected text into " << NORMC_CMAKE_FIELDS;
}

} // namespace
} // namespace normc
