// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/npy.h"
#include "compiler/support/process.h"
#include "test/unit/support/ThrowsCode.h"

#include <cstring>
#include <fstream>
#include <thread>

#include <sys/stat.h>

namespace normc {
namespace {

std::string withVersion(int major, int minor, const std::string &dictionary) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(major);
  bytes += static_cast<char>(minor);
  const size_t size = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(size >> (8 * i) & 255);
  return bytes + dictionary;
}

std::string plain(const std::string &dictionary) { return withVersion(1, 0, dictionary); }

std::string dictionary(const std::string &descr, const std::string &order, const std::string &shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

testing::AssertionResult refused(const std::string &bytes, const std::string &message) {
  return throwsCode([&] { parseNpyHeader(bytes, "a.npy"); }, DiagCode::BadNpy, "a.npy: " + message);
}

class NpyFile : public testing::Test {
protected:
  std::string write(const std::string &bytes) {
    const std::string file = folder_.path() + "/a.npy";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  TempDir folder_;
};

TEST(NpyHeader, ReadsTheThreeFormats) {
  for (int major : {1, 2, 3}) {
    const std::string bytes = withVersion(major, 0, dictionary("'<f4'", "False", "(2, 3)"));
    const NpyHeader header = parseNpyHeader(bytes + "data", "a.npy");
    EXPECT_EQ(header.type, NpyType::F32);
    EXPECT_EQ(header.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(header.dataOffset, bytes.size());
  }
}

TEST(NpyHeader, ReadsTypesShapesAndAnyKeyOrder) {
  EXPECT_EQ(parseNpyHeader(plain(dictionary("'<f8'", "False", "()")), "a").type, NpyType::F64);
  EXPECT_EQ(parseNpyHeader(plain(dictionary("'<f2'", "False", "(7,)")), "a").shape, (std::vector<int64_t>{7}));
  EXPECT_EQ(parseNpyHeader(plain("{\"shape\":(0,4),\"descr\":\"<u2\",\"fortran_order\":False}"), "a").type, NpyType::U16);
}

TEST(NpyHeader, FortranOrderOfOneDimensionIsCOrder) {
  EXPECT_EQ(parseNpyHeader(plain(dictionary("'<f4'", "True", "(1, 7, 1)")), "a").shape.size(), 3u);
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "True", "(2, 3)")), "it is in Fortran order"));
}

TEST(NpyHeader, RefusesWhatIsNoNpyFile) {
  EXPECT_TRUE(refused("", "the file is empty"));
  EXPECT_TRUE(refused("PK\x03\x04", "not a .npy file"));
  EXPECT_TRUE(refused("1.0 2.0 3.0 4.0\n", "not a .npy file"));
  EXPECT_TRUE(refused("\x93NUM", "the file ends within its header"));
  EXPECT_TRUE(refused(std::string("\x93NUMPY\x01", 7), "the file ends within its header"));
  EXPECT_TRUE(refused(std::string("\x93NUMPY\x01\0\x10\0", 10), "the file ends within its header"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(2,)")).substr(0, 30), "the file ends within its header"));
  EXPECT_TRUE(refused(withVersion(4, 0, "{}  "), "its format version is 4.0"));
  EXPECT_TRUE(refused(withVersion(1, 1, "{}  "), "its format version is 1.1"));
  EXPECT_TRUE(refused(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), "its header claims 4294967307 bytes"));
}

TEST(NpyHeader, RefusesDamagedDictionaries) {
  const char *damaged[] = {"", "[]", "{'descr'", "{'descr': '<f4'", "{'descr': '<f4' 'shape': ()}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
                           "{descr: '<f4'}"};
  for (const char *text : damaged)
    EXPECT_TRUE(refused(plain(std::string(text) + "    "), "its header is damaged")) << text;
  EXPECT_TRUE(refused(plain("{}  "), "its header lacks 'descr'"));
  EXPECT_TRUE(refused(plain("{'descr': '<f4'}"), "its header lacks 'fortran_order'"));
  EXPECT_TRUE(refused(plain("{'descr': '<f4', 'fortran_order': False}"), "its header lacks 'shape'"));
  EXPECT_TRUE(refused(plain("{'descr': '<f4', 'descr': '<f4'}"), "its header has an unexpected key 'descr'"));
  EXPECT_TRUE(refused(plain("{'color': 'red'}"), "its header has an unexpected key 'color'"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "0", "()")), "its header's 'fortran_order' is neither True nor False"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(2.5,)")), "its header's 'shape' is not a tuple of whole numbers"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(2, x)")), "its header's 'shape' is not a tuple of whole numbers"));
}

TEST(NpyHeader, RefusesOtherTypes) {
  EXPECT_TRUE(refused(plain(dictionary("'|O'", "False", "(2,)")), "it holds Python objects"));
  EXPECT_TRUE(refused(plain(dictionary("'>f4'", "False", "(2,)")), "its elements are big-endian ('>f4')"));
  EXPECT_TRUE(refused(plain(dictionary("'<i8'", "False", "(2,)")), "its element type is '<i8', but only '<f4', '<f8', '<f2' and '<u2'"));
  EXPECT_TRUE(refused(plain(dictionary("'|b1'", "False", "(2,)")), "its element type is '|b1'"));
  EXPECT_TRUE(refused(plain(dictionary("[('a', '<f4')]", "False", "(2,)")), "it holds records"));
  EXPECT_TRUE(refused(plain(dictionary("'\x1b[31m'", "False", "(2,)")), "its element type is '?[31m'"));
}

TEST(NpyHeader, RefusesImpossibleShapes) {
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(2, -3)")), "its shape has the negative extent -3"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(9223372036854775808,)")), "its shape has the extent 9223372036854775808, which exceeds 2^63 - 1"));
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", "(4294967296, 4294967296)")), "its shape (4294967296, 4294967296) has more elements"));
  EXPECT_TRUE(refused(plain(dictionary("'<f8'", "False", "(2305843009213693952,)")), "its shape"));
  std::string many = "(";
  for (int i = 0; i < 33; ++i)
    many += "1, ";
  EXPECT_TRUE(refused(plain(dictionary("'<f4'", "False", many + ")")), "it has more than 32 dimensions"));
  EXPECT_EQ(shapeElements({4294967296, 4294967296, 0}), 0);
}

TEST(NpyHeader, IsWrittenAsNumPyWritesIt) {
  // numpy.save of a float32 array of shape (3, 4, 6), NumPy 1.26.
  const std::string expected =
      std::string("\x93NUMPY\x01\0\x76\0", 10) + "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 6), }" + std::string(55, ' ') + "\n";
  const std::string header = npyHeaderBytes(NpyType::F32, {3, 4, 6});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header, expected);
}

TEST(NpyHeader, WhatIsWrittenReadsBack) {
  for (NpyType type : {NpyType::F32, NpyType::F64, NpyType::F16, NpyType::U16}) {
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {0}, {1}, {5, 0, 3}, {2, 3, 4, 5}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
      const std::string bytes = npyHeaderBytes(type, shape);
      const NpyHeader header = parseNpyHeader(bytes, "a.npy");
      EXPECT_EQ(header.type, type);
      EXPECT_EQ(header.shape, shape);
      EXPECT_EQ(header.dataOffset, bytes.size());
      EXPECT_EQ(bytes.size() % 64, 0u);
    }
  }
}

TEST_F(NpyFile, RoundTrip) {
  const float values[6] = {1, 2, 3, 4, 5, -0.0f};
  std::string bytes = npyHeaderBytes(NpyType::F32, {2, 3});
  bytes.append(reinterpret_cast<const char *>(values), sizeof values);
  const NpyArray array = readNpy(write(bytes));
  EXPECT_EQ(array.type, NpyType::F32);
  EXPECT_EQ(array.elements(), 6);
  ASSERT_EQ(array.data.size(), sizeof values);
  EXPECT_EQ(std::memcmp(array.data.data(), values, sizeof values), 0);
}

TEST_F(NpyFile, AHeaderBeyondOnePageIsRead) {
  std::string text = dictionary("'<u2'", "False", "(1,)");
  text.insert(text.size() - 1, 9000, ' ');
  EXPECT_EQ(readNpy(write(withVersion(2, 0, text) + "ab")).data.size(), 2u);
}

TEST_F(NpyFile, EmptyArray) { EXPECT_EQ(readNpy(write(npyHeaderBytes(NpyType::F16, {0, 7}))).elements(), 0); }

TEST_F(NpyFile, RefusesTooFewAndTooManyBytes) {
  const std::string header = npyHeaderBytes(NpyType::F32, {2});
  auto refusedFile = [&](const std::string &bytes, const std::string &message) {
    const std::string file = write(bytes);
    return throwsCode([&] { readNpy(file); }, DiagCode::BadNpy, message);
  };
  EXPECT_TRUE(refusedFile(header + "1234567", "it holds 7 bytes of data, but shape (2,) of float32 takes 8"));
  EXPECT_TRUE(refusedFile(header + "123456789", "it holds 9 bytes of data"));
  EXPECT_TRUE(refusedFile(npyHeaderBytes(NpyType::F32, {int64_t{1} << 50}), "it holds 0 bytes of data"));
  EXPECT_TRUE(refusedFile(header.substr(0, 11), "ends within its header"));
  EXPECT_TRUE(refusedFile(header.substr(0, 50), "ends within its header"));
}

TEST_F(NpyFile, ReadsAPipeAndRefusesAWrongLength) {
  const std::string pipe = folder_.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto feed = [&](const std::string &bytes) { return std::thread([&pipe, bytes] { std::ofstream(pipe, std::ios::binary) << bytes; }); };
  const std::string header = npyHeaderBytes(NpyType::U16, {2});
  std::thread good = feed(header + "abcd");
  EXPECT_EQ(readNpy(pipe).data.size(), 4u);
  good.join();
  std::thread shorter = feed(header + "abc");
  EXPECT_TRUE(throwsCode([&] { readNpy(pipe); }, DiagCode::BadNpy, "it holds 3 bytes of data"));
  shorter.join();
  std::thread longer = feed(header + "abcde");
  EXPECT_TRUE(throwsCode([&] { readNpy(pipe); }, DiagCode::BadNpy, "it holds more than 4 bytes of data"));
  longer.join();
}

TEST_F(NpyFile, RefusesWhatCannotBeRead) {
  EXPECT_TRUE(throwsCode([&] { readNpy(folder_.path() + "/none.npy"); }, DiagCode::CannotRead, "No such file"));
  EXPECT_TRUE(throwsCode([&] { readNpy(folder_.path()); }, DiagCode::CannotRead, "directory"));
}

TEST(Npy, ShapesAsText) {
  EXPECT_EQ(shapeText({}), "()");
  EXPECT_EQ(shapeText({3}), "(3,)");
  EXPECT_EQ(shapeText({3, 4}), "(3, 4)");
}

} // namespace
} // namespace normc
