// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in .npy files (NumPy's format; https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

/// The element types that normc reads and writes, all little-endian. NumPy has no bfloat16: such arrays are stored as the uint16 bit patterns.
enum class NpyType : uint8_t { F32, F64, F16, U16 };

/// The spelling in a header: "<f4", "<f8", "<f2", "<u2".
std::string_view npyDescr(NpyType type);
/// For messages: "float32", "float64", "float16", "uint16".
std::string_view npyTypeName(NpyType type);
int64_t npyBytes(NpyType type);

/// What a header says.
struct NpyHeader {
  NpyType type = NpyType::F32;
  std::vector<int64_t> shape; ///< empty for a scalar
  size_t dataOffset = 0;      ///< bytes before the first element
};

struct NpyArray {
  NpyType type = NpyType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data; ///< C order, little-endian

  int64_t elements() const;
};

/// A longer header is refused.
inline constexpr size_t kMaxNpyHeader = size_t{1} << 20;

/// Reads the header at the beginning of a file. `bytes` may go on with data. `file` is for messages.
/// Throws BadNpy: no .npy file, unknown version, damaged header, an element type or a memory order that normc does not read, a shape whose product does not
/// fit.
NpyHeader parseNpyHeader(std::string_view bytes, const std::string &file);

/// Reads a whole file. Throws CannotRead, or BadNpy where the header is not readable or the file is longer or shorter than it says.
NpyArray readNpy(const std::string &file);

/// The header of a format 1.0 file, as NumPy writes it: padded with blanks so that the data begin at a multiple of 64 bytes.
std::string npyHeaderBytes(NpyType type, const std::vector<int64_t> &shape);

/// "(2, 3)", "(3,)", "()"
std::string shapeText(const std::vector<int64_t> &shape);

/// The number of elements; -1 where that exceeds 2^63 - 1.
int64_t shapeElements(const std::vector<int64_t> &shape);

} // namespace normc
