// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/bits/row_buffer.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace normc::bits {
namespace {

constexpr size_t kMargin = 256;
/// All ones: a NaN of every type.
constexpr std::byte kGuard{0xff};
/// No NaN, so that an element that is never written does not pass for one.
constexpr std::byte kUnwritten{0x5a};

size_t roundUp(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

} // namespace

int64_t RowLayout::extent() const {
  int64_t last = 0;
  for (int64_t row = 0; row < rows; ++row)
    last = std::max(last, start(row));
  return last + hidden;
}

RowBuffer::RowBuffer(DType dtype, const RowLayout &layout) : dtype_(dtype), layout_(layout) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), element = static_cast<size_t>(dtypeBytes(dtype));
  const size_t bytes = static_cast<size_t>(layout.extent()) * element, shift = static_cast<size_t>(layout.misalignment) * element;
  const size_t usable = roundUp(bytes + shift + 2 * kMargin, page);
  mapped_ = usable + 2 * page;
  void *mapping = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    reportBug("no memory for a test's array");
  mapping_ = static_cast<std::byte *>(mapping);
  begin_ = mapping_ + page;
  end_ = begin_ + usable;
  if (mprotect(begin_, usable, PROT_READ | PROT_WRITE) != 0)
    reportBug("memory for a test's array cannot be written");
  std::fill(begin_, end_, kGuard);
  first_ = layout.edge == Edge::PageBefore ? begin_ : layout.edge == Edge::PageAfter ? end_ - bytes : begin_ + kMargin + shift;
}

RowBuffer::~RowBuffer() { munmap(mapping_, mapped_); }

void RowBuffer::put(const Array &array, int64_t firstRow) {
  const int64_t bytes = dtypeBytes(dtype_);
  for (int64_t row = 0; row < layout_.rows; ++row)
    std::memcpy(first_ + layout_.start(row) * bytes, array.bytes.data() + (firstRow + row) * layout_.hidden * bytes,
                static_cast<size_t>(layout_.hidden * bytes));
}

void RowBuffer::spoil() {
  const int64_t bytes = dtypeBytes(dtype_);
  for (int64_t row = 0; row < layout_.rows; ++row)
    std::fill_n(first_ + layout_.start(row) * bytes, layout_.hidden * bytes, kUnwritten);
}

Array RowBuffer::take(std::vector<int64_t> shape) const {
  const int64_t bytes = dtypeBytes(dtype_);
  Array array{dtype_, std::move(shape), std::vector<std::byte>(static_cast<size_t>(layout_.rows * layout_.hidden * bytes))};
  for (int64_t row = 0; row < layout_.rows; ++row)
    std::memcpy(array.bytes.data() + row * layout_.hidden * bytes, first_ + layout_.start(row) * bytes, static_cast<size_t>(layout_.hidden * bytes));
  return array;
}

bool RowBuffer::gapsAreIntact() const {
  std::vector<std::byte> now(begin_, end_);
  const int64_t bytes = dtypeBytes(dtype_);
  for (int64_t row = 0; row < layout_.rows; ++row) {
    const std::ptrdiff_t offset = first_ + layout_.start(row) * bytes - begin_;
    std::copy_n(remembered_.begin() + offset, layout_.hidden * bytes, now.begin() + offset);
  }
  return now == remembered_;
}

bool RowBuffer::isIntact() const { return std::equal(begin_, end_, remembered_.begin(), remembered_.end()); }

} // namespace normc::bits
