// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How rows become slices: every row once, at its place, within the bounds that bodies rely on.

#include "test/unit/runtime/FakeKernel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace normc::runtime::test {
namespace {

class Slices : public testing::Test {
protected:
  Slices() {
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(200);
  }

  static const char *rowAddress(const void *base, int64_t stride, int64_t outer, int64_t inner, int64_t row, int64_t elementBytes) {
    return static_cast<const char *>(base) + ((row / inner) * outer + (row % inner) * stride) * elementBytes;
  }

  /// Runs the call and checks every row of every array of every recorded slice against the formula of normc/abi.h.
  void runAndCheckRows() {
    ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
    const normc_forward_args_t &a = call.args;
    const int64_t inner = a.inner_rows != 0 ? a.inner_rows : a.rows;
    const int64_t hidden = a.hidden;
    struct View {
      const void *base;
      int64_t stride, outer, elementBytes;
    };
    auto view = [&](const void *base, int64_t stride, int64_t outer, uint32_t dtype) {
      int64_t used = stride != 0 ? stride : hidden;
      return View{base, used, outer != 0 ? outer : inner * used, dtype == NORMC_DTYPE_F32 ? 4 : 2};
    };
    const View x = view(a.x, a.x_stride, a.x_outer_stride, fake.kernel.x_dtype), y = view(a.y, a.y_stride, a.y_outer_stride, fake.kernel.y_dtype),
               residual = view(a.residual, a.residual_stride, a.residual_outer_stride, fake.kernel.x_dtype),
               sum = view(a.sum, a.sum_stride, a.sum_outer_stride, fake.kernel.x_dtype);
    int64_t row = 0;
    for (const BodyCall &body : bodyCalls) {
      const normc_slice_t &s = body.slice;
      ASSERT_GE(s.rows, 1);
      ASSERT_EQ(s.hidden, hidden);
      auto check = [&](const View &array, const void *pointer, int64_t stride, int64_t i) {
        if (array.base == nullptr) {
          ASSERT_EQ(pointer, nullptr);
          return;
        }
        ASSERT_EQ(static_cast<const char *>(pointer) + i * stride * array.elementBytes,
                  rowAddress(array.base, array.stride, array.outer, inner, row, array.elementBytes))
            << "row " << row;
        ASSERT_LT((s.rows - 1) * stride + hidden, int64_t(1) << 31);
        ASSERT_GE(stride, hidden);
      };
      for (int64_t i = 0; i < s.rows; ++i, ++row) {
        check(x, s.x, s.x_stride, i);
        check(y, s.y, s.y_stride, i);
        check(residual, s.residual, s.residual_stride, i);
        check(sum, s.sum, s.sum_stride, i);
        if (a.mean != nullptr) {
          ASSERT_EQ(s.mean + i * s.mean_stride, a.mean + row);
        }
        if (a.rstd != nullptr) {
          ASSERT_EQ(s.rstd + i * s.rstd_stride, a.rstd + row);
        }
      }
      ASSERT_EQ(s.mean_stride, a.mean != nullptr ? 1 : 0);
      ASSERT_EQ(s.rstd_stride, a.rstd != nullptr ? 1 : 0);
      ASSERT_NE(s.mean, nullptr);
      ASSERT_NE(s.rstd, nullptr);
    }
    ASSERT_EQ(row, a.rows);
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Call call;
};

TEST_F(Slices, ContiguousRowsAreOneSlice) {
  call.args.rows = 1000;
  call.args.hidden = 768;
  call.args.mean = static_cast<float *>(fakeAddress(300));
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
}

TEST_F(Slices, RowStridesAreOneSlice) {
  call.args.rows = 100;
  call.args.hidden = 768;
  call.args.x_stride = 773;
  call.args.y_stride = 800;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
}

TEST_F(Slices, BlocksThatOneStrideDescribesAreMerged) {
  call.args.rows = 100;
  call.args.hidden = 64;
  call.args.inner_rows = 10;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
  call.args.x_stride = 70;
  call.args.x_outer_stride = 700;
  call.args.y_outer_stride = 640;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
}

TEST_F(Slices, BlocksThatDoNotMergeAreSlicesOfTheirOwn) {
  call.args.rows = 95; // the last block has 5 rows
  call.args.hidden = 64;
  call.args.inner_rows = 10;
  call.args.x_outer_stride = 641;
  call.args.rstd = static_cast<float *>(fakeAddress(300));
  call.args.residual = fakeAddress(400);
  call.args.residual_stride = 66;
  call.args.sum = fakeAddress(500);
  call.args.sum_outer_stride = 10000;
  runAndCheckRows();
  ASSERT_EQ(bodyCalls.size(), 10u);
  EXPECT_EQ(bodyCalls.back().slice.rows, 5);
}

TEST_F(Slices, BlocksOfOneRowMergeByTheirOuterStride) {
  call.args.rows = 50;
  call.args.hidden = 64;
  call.args.inner_rows = 1;
  call.args.x_stride = 999; // never used
  call.args.x_outer_stride = 100;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
  EXPECT_EQ(bodyCalls[0].slice.x_stride, 100);
}

TEST_F(Slices, BlocksOfOneRowDefaultToTheirStride) {
  call.args.rows = 50;
  call.args.hidden = 64;
  call.args.inner_rows = 1;
  call.args.x_stride = 90;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
  EXPECT_EQ(bodyCalls[0].slice.x_stride, 90);
  EXPECT_EQ(bodyCalls[0].slice.y_stride, 64);
}

TEST_F(Slices, BlocksOfOneRowFarApartStaySlices) {
  call.args.rows = 3;
  call.args.hidden = 64;
  call.args.inner_rows = 1;
  call.args.x_outer_stride = int64_t(1) << 31;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 3u);
}

TEST_F(Slices, InterleavedBlocks) {
  call.args.rows = 12; // heads of [seq 4, heads 3, 64] seen as (head, seq)
  call.args.hidden = 64;
  call.args.inner_rows = 4;
  call.args.x_stride = 3 * 64;
  call.args.x_outer_stride = 64;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 3u);
}

TEST_F(Slices, TypesOfDifferentSize) {
  fake.kernel.x_dtype = NORMC_DTYPE_BF16;
  call.args.rows = 12;
  call.args.hidden = 64;
  call.args.inner_rows = 5;
  call.args.x_outer_stride = 1000;
  runAndCheckRows();
}

TEST_F(Slices, PartsOfOneRowLeftMakeNoDivision) {
  call.args.rows = 7;
  call.args.hidden = 3;
  call.args.inner_rows = 100; // more than there are
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 1u);
}

/// A range of addresses that faults when touched: what is not mapped at all would not show a runtime that reads an array.
class Reserved {
public:
  explicit Reserved(size_t bytes) : bytes(bytes), base(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Reserved() {
    if (base != MAP_FAILED)
      munmap(base, bytes);
  }
  Reserved(const Reserved &) = delete;
  Reserved &operator=(const Reserved &) = delete;

  size_t bytes;
  void *base;
};

TEST_F(Slices, RowStrideOf2To30) {
  const int64_t stride = int64_t(1) << 30, rows = 9;
  Reserved x(size_t(rows * stride) * 4), y(1 << 20);
  ASSERT_NE(x.base, MAP_FAILED);
  ASSERT_NE(y.base, MAP_FAILED);
  call.args.rows = rows;
  call.args.hidden = 128;
  call.args.x = x.base;
  call.args.x_stride = stride;
  call.args.y = y.base;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 5u) << "two rows reach 2^30 + 128, three would reach 2^31 + 128";
}

TEST_F(Slices, CutsWhereTheLastElementWouldPass31Bits) {
  // (rows - 1) * stride + hidden < 2^31 holds for rows = 2^21 with stride 1024 only while hidden < 1024: so hidden 1024 cuts one row earlier.
  call.args.hidden = 1024;
  call.args.rows = (int64_t(1) << 21) - 1;
  call.args.y = fakeAddress(5000);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  EXPECT_EQ(bodyCalls.size(), 1u);
  call.args.rows += 1;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  ASSERT_EQ(bodyCalls.size(), 2u);
  EXPECT_EQ(bodyCalls[0].slice.rows, (int64_t(1) << 21) - 1);
  EXPECT_EQ(bodyCalls[1].slice.rows, 1);
}

TEST_F(Slices, TheLargestStrideOfAnyArrayCuts) {
  call.args.rows = 8;
  call.args.hidden = 16;
  call.args.sum = fakeAddress(5000);
  call.args.residual = fakeAddress(4000);
  call.args.sum_stride = (int64_t(1) << 31) - 1; // two rows would pass the bound
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 8u);
  call.args.sum_stride = 0;
  call.args.residual_stride = (int64_t(1) << 31) / 4;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 2u);
}

TEST_F(Slices, MoreThan2To32Rows) {
  call.args.rows = (int64_t(1) << 33) + 5;
  call.args.hidden = 1;
  call.args.mean = static_cast<float *>(fakeAddress(900));
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  ASSERT_EQ(bodyCalls.size(), 5u);
  int64_t row = 0;
  for (const BodyCall &body : bodyCalls) {
    EXPECT_EQ(static_cast<const char *>(body.slice.x), static_cast<const char *>(call.args.x) + row * 4);
    EXPECT_EQ(body.slice.mean, call.args.mean + row);
    row += body.slice.rows;
  }
  EXPECT_EQ(row, call.args.rows);
}

TEST_F(Slices, WidestRow) {
  call.args.rows = 200;
  call.args.hidden = 1 << 24;
  runAndCheckRows();
  EXPECT_EQ(bodyCalls.size(), 2u) << "127 rows of 2^24 stay below 2^31";
  EXPECT_EQ(bodyCalls[0].slice.rows, 127);
}

} // namespace
} // namespace normc::runtime::test
