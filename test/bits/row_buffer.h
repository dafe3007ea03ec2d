// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of rows in memory as a caller may lay them out, with guards on everything that is not an element.
#pragma once

#include "compiler/reference/interpreter.h"

#include <cstddef>

namespace normc::bits {

/// What lies beside the first or the last element.
enum class Edge : uint8_t {
  Margin,     ///< bytes that must stay as they are
  PageBefore, ///< the first element is the first of its page, and the page before cannot be touched
  PageAfter,  ///< the last element is the last of its page, and the page after cannot be touched
};

/// Where row r starts: (r / innerRows) * outer + (r mod innerRows) * stride, in elements.
struct RowLayout {
  int64_t rows = 0, hidden = 0;
  int64_t stride = 0;
  int64_t innerRows = 0;
  int64_t outer = 0;
  int64_t misalignment = 0; ///< the first element lies this many elements past a multiple of 64 bytes; without effect beside a page
  Edge edge = Edge::Margin;

  int64_t start(int64_t row) const { return row / innerRows * outer + row % innerRows * stride; }
  /// Elements from the first to the last.
  int64_t extent() const;

  /// Rows one after another.
  static RowLayout contiguous(int64_t rows, int64_t hidden) { return {rows, hidden, hidden, rows, rows * hidden, 0, Edge::Margin}; }
};

/// An array laid out so. Whatever is no element holds bytes that no call may change, and that make a NaN of whatever is computed from them.
class RowBuffer {
public:
  RowBuffer(DType dtype, const RowLayout &layout);
  RowBuffer(const RowBuffer &) = delete;
  RowBuffer &operator=(const RowBuffer &) = delete;
  ~RowBuffer();

  /// The first element.
  void *data() { return first_; }
  const RowLayout &layout() const { return layout_; }

  /// Copies rows firstRow .. of an array (rows, hidden), or elements of a vector, in.
  void put(const Array &array, int64_t firstRow);
  /// Gives all elements a value that no test expects.
  void spoil();
  /// The elements in C order, with the given shape.
  Array take(std::vector<int64_t> shape) const;

  /// Remembers all bytes as they are now.
  void remember() { remembered_.assign(begin_, end_); }
  /// Whether what is no element is as remembered.
  bool gapsAreIntact() const;
  /// Whether every byte is as remembered.
  bool isIntact() const;

private:
  DType dtype_;
  RowLayout layout_;
  std::byte *mapping_ = nullptr;
  size_t mapped_ = 0;
  std::byte *begin_ = nullptr, *end_ = nullptr; ///< of what may be touched
  std::byte *first_ = nullptr;
  std::vector<std::byte> remembered_;
};

} // namespace normc::bits
