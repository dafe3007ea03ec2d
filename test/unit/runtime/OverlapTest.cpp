// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arrays may share memory: the alias matrix, interleaved arrays, and the exact test against counting bytes.

#include "runtime/forward_call.h"
#include "test/unit/runtime/FakeKernel.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace normc::runtime::test {
namespace {

constexpr uint32_t allRoles[] = {NORMC_ROLE_X, NORMC_ROLE_RESIDUAL, NORMC_ROLE_WEIGHT, NORMC_ROLE_BIAS,
                                 NORMC_ROLE_Y, NORMC_ROLE_SUM,      NORMC_ROLE_MEAN,   NORMC_ROLE_RSTD};
constexpr const char *roleNames[] = {"x", "residual", "weight", "bias", "y", "sum", "mean", "rstd"};
constexpr uint32_t outputs = NORMC_ROLE_Y | NORMC_ROLE_SUM | NORMC_ROLE_MEAN | NORMC_ROLE_RSTD;

class Overlap : public testing::Test {
protected:
  Overlap() {
    call.args.rows = 6;
    call.args.hidden = 32;
    for (int i = 0; i < 8; ++i)
      place(allRoles[i], fakeAddress(uint64_t(i) + 1));
  }

  void place(uint32_t role, const void *pointer) {
    void *writable = const_cast<void *>(pointer);
    normc_forward_args_t &a = call.args;
    switch (role) {
    case NORMC_ROLE_X:
      a.x = pointer;
      break;
    case NORMC_ROLE_RESIDUAL:
      a.residual = pointer;
      break;
    case NORMC_ROLE_WEIGHT:
      a.weight = pointer;
      break;
    case NORMC_ROLE_BIAS:
      a.bias = pointer;
      break;
    case NORMC_ROLE_Y:
      a.y = writable;
      break;
    case NORMC_ROLE_SUM:
      a.sum = writable;
      break;
    case NORMC_ROLE_MEAN:
      a.mean = static_cast<float *>(writable);
      break;
    default:
      a.rstd = static_cast<float *>(writable);
    }
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Call call;
};

bool mayBeTheSame(uint32_t a, uint32_t b) {
  const uint32_t pair = a | b;
  return pair == (NORMC_ROLE_Y | NORMC_ROLE_X) || pair == (NORMC_ROLE_SUM | NORMC_ROLE_X) || pair == (NORMC_ROLE_SUM | NORMC_ROLE_RESIDUAL) ||
         pair == (NORMC_ROLE_Y | NORMC_ROLE_RESIDUAL);
}

TEST_F(Overlap, MatrixOfSection6) {
  const normc_forward_args_t apart = call.args;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == j)
        continue;
      SCOPED_TRACE(std::string(roleNames[i]) + " at " + roleNames[j]);
      bool harmless = ((allRoles[i] | allRoles[j]) & outputs) == 0; // two inputs
      call.args = apart;
      place(allRoles[i], fakeAddress(uint64_t(j) + 1));
      bool same = call.run(fake) == NORMC_STATUS_SUCCESS;
      EXPECT_EQ(same, harmless || mayBeTheSame(allRoles[i], allRoles[j])) << call.diag.message;
      if (!same) {
        EXPECT_EQ(call.diag.code, uint32_t(NORMC_STATUS_OVERLAP));
        EXPECT_TRUE(bodyCalls.empty());
        std::string message = call.diag.message;
        EXPECT_NE(message.find(roleNames[i]), std::string::npos) << message;
        EXPECT_NE(message.find(roleNames[j]), std::string::npos) << message;
        EXPECT_NE((call.diag.role & outputs), 0u);
      }
      call.args = apart;
      place(allRoles[i], fakeAddress(uint64_t(j) + 1, 4)); // one element on
      EXPECT_EQ(call.run(fake) == NORMC_STATUS_SUCCESS, harmless) << call.diag.message;
    }
  }
}

TEST_F(Overlap, MessageNamesBothArrays) {
  call.args.y = fakeAddress(1, 4);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  EXPECT_STREQ(call.diag.message, "fake: y (from 0x1000000004) overlaps x (from 0x1000000000): pass a separate buffer, or exactly the same one");
  EXPECT_EQ(call.diag.role, uint32_t(NORMC_ROLE_Y));
  call.args.y = const_cast<void *>(call.args.weight);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  EXPECT_STREQ(call.diag.message, "fake: y (from 0x3000000000) overlaps weight (from 0x3000000000): pass separate buffers");
}

TEST_F(Overlap, NeighboursTouchWithoutOverlap) {
  const uint64_t bytes = 6 * 32 * 4;
  call.args.y = fakeAddress(1, bytes);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.x = fakeAddress(5, bytes);
  call.args.y = fakeAddress(5);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.y = fakeAddress(5, 4);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  call.args.y = fakeAddress(5);
  call.args.mean = static_cast<float *>(fakeAddress(5, bytes - 4));
  call.args.x = fakeAddress(1);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
}

TEST_F(Overlap, SameBufferNeedsSameTypeAndStrides) {
  call.args.y = const_cast<void *>(call.args.x);
  call.args.y_stride = 40;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  EXPECT_STREQ(call.diag.message, "fake: y is the buffer of x, which needs the same type and strides: y is f32 with strides 40, 0 and x is f32 with 32, 0");
  call.args.x_stride = 40;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  fake.kernel.x_dtype = NORMC_DTYPE_F16; // f16 and bf16 rows take the same bytes and are still not the same array
  fake.kernel.y_dtype = NORMC_DTYPE_BF16;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  EXPECT_STREQ(call.diag.message, "fake: y is the buffer of x, which needs the same type and strides: y is bf16 with strides 40, 0 and x is f16 with 40, 0");
  fake.kernel.y_dtype = NORMC_DTYPE_F32;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
}

TEST_F(Overlap, StridesThatAreNotUsedDoNotCount) {
  call.args.rows = 1;
  call.args.y = const_cast<void *>(call.args.x);
  call.args.y_stride = 100;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
}

TEST_F(Overlap, BothOutputsInPlace) {
  call.args.y = const_cast<void *>(call.args.residual);
  call.args.sum = const_cast<void *>(call.args.x);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.sum = call.args.y;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP) << "y and sum would be one array";
}

TEST_F(Overlap, InPlaceDoesNotExcuseAnotherInput) {
  call.args.y = const_cast<void *>(call.args.x);
  call.args.residual = fakeAddress(1, 64);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
}

TEST_F(Overlap, HeadsOfPackedQkv) {
  // [tokens 3, (q, k, v), heads 2, 32]: rows are (token, head).
  call.args.inner_rows = 2;
  call.args.x_outer_stride = call.args.y_outer_stride = 3 * 2 * 32;
  call.args.y = fakeAddress(1, 2 * 32 * 4); // x normalizes q, y is k
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.y = fakeAddress(1, 2 * 32 * 4 - 4);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP) << "one element of q";
  call.args.y = fakeAddress(1, 2 * 2 * 32 * 4);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << "v";
  call.args.y = fakeAddress(1, 2 * 2 * 32 * 4 + 4);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP) << "the first element of the next token's q";
}

TEST_F(Overlap, InterleavedArraysWithDifferentStridesAreRefused) {
  call.args.x_stride = 100;
  call.args.y = fakeAddress(1, 40 * 4);
  call.args.y_stride = 200;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  EXPECT_STREQ(call.diag.message,
               "fake: y (from 0x10000000a0) overlaps x (from 0x1000000000): their ranges meet and their strides differ; pass a separate buffer, exactly the "
               "same one, or strides that are equal in bytes");
}

TEST_F(Overlap, InterleavedTypesOfDifferentSize) {
  fake.kernel.y_dtype = NORMC_DTYPE_BF16;
  call.args.x_stride = 64; // 256 bytes: 128 of x, 64 of y
  call.args.y_stride = 128;
  call.args.y = fakeAddress(1, 128);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.y = fakeAddress(1, 126);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
  call.args.y = fakeAddress(1, 192);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.y = fakeAddress(1, 194);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
}

TEST_F(Overlap, PartialLastBlockMayEndBeforeTheOneBeforeIt) {
  call.args.rows = 5; // blocks of 3, the last of 2: interleaved blocks at 0 and 32, rows every 64
  call.args.inner_rows = 3;
  call.args.x_stride = 64;
  call.args.x_outer_stride = 32;
  call.args.y = fakeAddress(1, (2 * 64 + 32) * 4); // right after row 2 of block 0, which ends last
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
  call.args.y = fakeAddress(1, (2 * 64 + 32) * 4 - 4);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_OVERLAP);
}

/// rowsOverlap against the sets of bytes, over small random layouts.
TEST(RowsOverlap, AgreesWithCountingBytes) {
  std::mt19937 random(20240611);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int overlapping = 0, interleaved = 0;
  for (int round = 0; round < 200000; ++round) {
    int64_t inner = pick(1, 4), blocks = pick(1, 4);
    int64_t firstWidth = pick(1, 6), secondWidth = pick(1, 6), width = std::max(firstWidth, secondWidth);
    int64_t stride = width + pick(0, 8), outer = (inner - 1) * stride + width + pick(0, 12);
    if (pick(0, 1) == 1 && inner > 1 && blocks > 1) { // blocks that interleave
      outer = width + pick(0, 8);
      stride = (blocks - 1) * outer + width + pick(0, 12);
    }
    if (inner == 1)
      stride = 0;
    if (blocks == 1)
      outer = 0;
    auto make = [&](int64_t begin, int64_t rowBytes) {
      RowArray array = {};
      array.begin = uintptr_t(begin);
      array.end = uintptr_t(begin + (inner - 1) * stride + (blocks - 1) * outer + rowBytes);
      array.stride = stride;
      array.outer = outer;
      array.elementBytes = 1;
      array.rowBytes = rowBytes;
      return array;
    };
    RowArray first = make(1000, firstWidth), second = make(1000 + pick(-60, 60), secondWidth);
    std::set<int64_t> bytes;
    auto visit = [&](const RowArray &array, auto &&use) {
      for (int64_t j = 0; j < blocks; ++j)
        for (int64_t i = 0; i < inner; ++i)
          for (int64_t b = 0; b < array.rowBytes; ++b)
            use(int64_t(array.begin) + j * outer + i * stride + b);
    };
    visit(first, [&](int64_t at) { bytes.insert(at); });
    bool expected = false;
    visit(second, [&](int64_t at) { expected = expected || bytes.count(at) != 0; });
    ASSERT_EQ(rowsOverlap(first, second, inner, blocks), expected) << "inner " << inner << " blocks " << blocks << " stride " << stride << " outer " << outer
                                                                   << " widths " << firstWidth << ' ' << secondWidth << " at " << int64_t(second.begin) - 1000;
    ASSERT_EQ(rowsOverlap(second, first, inner, blocks), expected);
    overlapping += expected;
    interleaved += !expected && first.begin < second.end && second.begin < first.end;
  }
  EXPECT_GT(overlapping, 10000);
  EXPECT_GT(interleaved, 10000) << "layouts whose ranges meet without a shared byte must be among the rounds";
}

/// Every small layout of y: refused exactly where two of its rows share an element, or where the offsets of rows are not what the rules of normc/runtime.h name.
TEST_F(Overlap, RowsOfOneArrayNeverOverlap) {
  constexpr int64_t hidden = 3;
  call.args.hidden = hidden;
  int accepted = 0, interleaved = 0;
  for (int64_t rows = 1; rows <= 6; ++rows)
    for (int64_t inner = 1; inner <= rows; ++inner)
      for (int64_t stride = hidden; stride <= 14; ++stride)
        for (int64_t outer = 1; outer <= 20; ++outer) {
          call.args.rows = rows;
          call.args.inner_rows = inner;
          call.args.y_stride = stride;
          call.args.y_outer_stride = outer;
          std::set<int64_t> elements;
          bool overlaps = false;
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < hidden; ++c)
              overlaps |= !elements.insert(r / inner * outer + r % inner * stride + c).second;
          const normc_status_t status = call.run(fake);
          SCOPED_TRACE(testing::Message() << "rows " << rows << " inner " << inner << " stride " << stride << " outer " << outer);
          if (overlaps) {
            ASSERT_EQ(status, NORMC_STATUS_INVALID_STRIDE);
          }
          accepted += status == NORMC_STATUS_SUCCESS;
          interleaved += status == NORMC_STATUS_SUCCESS && inner > 1 && inner < rows && outer < (inner - 1) * stride + hidden;
        }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(interleaved, 50) << "blocks that interleave without overlap must be among the layouts";
}

TEST(RowsOverlap, DifferentStridesFallBackToRanges) {
  RowArray first = {}, second = {};
  first.begin = 100, first.end = 200, first.stride = 10, first.elementBytes = 4, first.rowBytes = 4;
  second = first;
  second.stride = 11;
  second.begin = 106;
  second.end = 206;
  EXPECT_TRUE(rowsOverlap(first, second, 3, 1));
  second.begin = 200;
  EXPECT_FALSE(rowsOverlap(first, second, 3, 1));
}

} // namespace
} // namespace normc::runtime::test
