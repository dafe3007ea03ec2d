// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/files.h"

#include "test/unit/library/CompilerDriver.h"
#include "test/unit/support/ThrowsCode.h"

#include <filesystem>

#include <unistd.h>

#include <sys/stat.h>

namespace normc {
namespace {

namespace fs = std::filesystem;

size_t entries(const std::string &folder) {
  size_t number = 0;
  for ([[maybe_unused]] const auto &entry : fs::directory_iterator(folder))
    ++number;
  return number;
}

TEST(Files, AreWrittenIntoANewFolder) {
  TempDir folder;
  std::string target = folder.path() + "/a/b";
  std::string binary("\0\xff\n", 3);
  EXPECT_EQ(writeFiles(target, {{"one", "1"}, {"two", binary}}), (std::vector<std::string>{target + "/one", target + "/two"}));
  EXPECT_EQ(readText(target + "/one"), "1");
  EXPECT_EQ(readText(target + "/two"), binary);
  writeFiles(target, {{"one", "new"}});
  EXPECT_EQ(readText(target + "/one"), "new");
  EXPECT_EQ(entries(target), 2u) << "temporary files are left";
}

TEST(Files, AFailureLeavesTheFolderAsItWas) {
  TempDir folder;
  writeFiles(folder.path(), {{"one", "old"}});
  fs::create_directory(folder.path() + "/taken");
  EXPECT_TRUE(throwsCode([&] { writeFiles(folder.path(), {{"one", "new"}, {"taken", "x"}}); }, DiagCode::CannotWrite, "/taken': Is a directory"));
  EXPECT_EQ(readText(folder.path() + "/one"), "old");
  EXPECT_EQ(entries(folder.path()), 2u) << "temporary files are left";
  EXPECT_TRUE(throwsCode([&] { writeFiles(folder.path(), {{"one", "new"}, {"missing/two", "x"}}); }, DiagCode::CannotWrite, "No such file or directory"));
  EXPECT_EQ(readText(folder.path() + "/one"), "old");
}

TEST(Files, WhatIsNoFileKeepsWhatItIs) {
  TempDir folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(throwsCode([&] { writeFiles(folder.path(), {{"one", "1"}, {"pipe", "x"}}); }, DiagCode::CannotWrite, "/pipe': it is no regular file"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, ALinkStaysOne) {
  TempDir folder;
  fs::create_directory(folder.path() + "/other");
  writeFiles(folder.path() + "/other", {{"real", "old"}});
  fs::create_symlink("other/real", folder.path() + "/link");
  writeFiles(folder.path(), {{"link", "new"}});
  EXPECT_TRUE(fs::is_symlink(folder.path() + "/link"));
  EXPECT_EQ(readText(folder.path() + "/other/real"), "new");
  EXPECT_EQ(entries(folder.path() + "/other"), 1u) << "temporary files are left";
}

TEST(Files, ATemporaryNameThatIsTakenIsLeftAlone) {
  TempDir folder;
  const std::string taken = folder.path() + "/.one." + std::to_string(getpid()) + "-0.tmp";
  writeFiles(folder.path() + "/victim", {{"file", "precious"}});
  fs::create_symlink(folder.path() + "/victim/file", taken);
  writeFiles(folder.path(), {{"one", "1"}});
  EXPECT_EQ(readText(folder.path() + "/one"), "1");
  EXPECT_TRUE(fs::is_symlink(taken));
  EXPECT_EQ(readText(folder.path() + "/victim/file"), "precious");
}

TEST(Files, AFileInPlaceOfTheFolderIsNamed) {
  TempDir folder;
  writeFiles(folder.path(), {{"file", ""}});
  EXPECT_TRUE(throwsCode([&] { writeFiles(folder.path() + "/file/below", {{"one", "1"}}); }, DiagCode::CannotWrite, "/file/below': Not a directory"));
}

} // namespace
} // namespace normc
