// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the body with non-temporal stores runs.

#include "runtime/policy.h"
#include "test/unit/runtime/FakeKernel.h"

#include <gtest/gtest.h>

namespace normc::runtime::test {
namespace {

class Streaming : public testing::Test {
protected:
  Streaming() {
    call.args.rows = 4096; // 32 MiB of x and y
    call.args.hidden = 1024;
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(2);
  }

  bool streamed() {
    EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
    return !bodyCalls.empty() && bodyCalls[0].streaming;
  }

  Machine machine{NORMC_ISA_X86_64_V4, uint64_t(30) << 20}; // threshold 10 MiB
  FakeKernel fake;
  Call call;
};

TEST_F(Streaming, LargeAlignedCall) {
  EXPECT_TRUE(streamed());
  EXPECT_EQ(bodyCalls[0].isa, uint32_t(NORMC_ISA_X86_64_V4));
  call.args.weight = fakeAddress(3);
  EXPECT_TRUE(streamed());
  EXPECT_EQ(bodyCalls[0].affine, uint32_t(NORMC_AFFINE_WEIGHT));
}

TEST_F(Streaming, ThresholdCountsAllArrays) {
  call.args.rows = 1280; // 10 MiB of x and y
  EXPECT_FALSE(streamed());
  call.args.rows = 1281;
  EXPECT_TRUE(streamed());
  call.args.rows = 640;
  call.args.residual = fakeAddress(3);
  call.args.sum = fakeAddress(4);
  EXPECT_FALSE(streamed());
  call.args.rows = 641;
  EXPECT_TRUE(streamed());
}

TEST_F(Streaming, AlignmentOfPointerStrideOuterStrideAndHidden) {
  call.args.y = fakeAddress(2, 32);
  EXPECT_FALSE(streamed());
  call.args.y = fakeAddress(2, 64);
  EXPECT_TRUE(streamed());
  call.args.x = fakeAddress(1, 4); // inputs may lie anywhere
  call.args.x_stride = 1027;
  EXPECT_TRUE(streamed());
  call.args.y_stride = 1032;
  EXPECT_FALSE(streamed());
  call.args.y_stride = 1040;
  EXPECT_TRUE(streamed());
  call.args.inner_rows = 16;
  call.args.y_outer_stride = 16 * 1040 + 8;
  EXPECT_FALSE(streamed());
  call.args.y_outer_stride = 16 * 1040 + 16;
  EXPECT_TRUE(streamed());
  call.args = {};
  call.args.struct_size = sizeof call.args;
  call.args.rows = 4096;
  call.args.hidden = 1000;
  call.args.x = fakeAddress(1);
  call.args.y = fakeAddress(2);
  call.args.y_stride = 1024;
  EXPECT_FALSE(streamed()) << "rows end inside a line";
  call.args.hidden = 1008;
  EXPECT_TRUE(streamed());
}

TEST_F(Streaming, SumCountsToo) {
  call.args.residual = fakeAddress(3);
  call.args.sum = fakeAddress(4, 4);
  EXPECT_FALSE(streamed());
  call.args.sum = fakeAddress(4);
  EXPECT_TRUE(streamed());
  call.args.sum_stride = 1025;
  EXPECT_FALSE(streamed());
}

TEST_F(Streaming, BytesFollowTheTypeOfY) {
  call.args.hidden = 1040; // 16-bit: 2080 bytes, no multiple of 64
  call.args.rows = 8192;
  EXPECT_TRUE(streamed());
  fake.kernel.y_dtype = NORMC_DTYPE_BF16;
  EXPECT_FALSE(streamed());
  call.args.hidden = 1056;
  EXPECT_TRUE(streamed());
}

TEST_F(Streaming, NotInPlace) {
  call.args.y = const_cast<void *>(call.args.x);
  EXPECT_FALSE(streamed());
  call.args.y = fakeAddress(2);
  call.args.residual = fakeAddress(3);
  call.args.sum = const_cast<void *>(call.args.residual);
  EXPECT_FALSE(streamed());
}

TEST_F(Streaming, KernelWithoutStreamingBodies) {
  fake.variants[0].stream_alignment = 0;
  EXPECT_FALSE(streamed());
  fake.variants[0].stream_alignment = 64;
  fake.variants[0].streaming[0] = nullptr;
  EXPECT_FALSE(streamed());
  call.args.bias = fakeAddress(5);
  EXPECT_TRUE(streamed());
}

TEST_F(Streaming, EachVariantHasItsAlignment) {
  fake.variants[2].stream_alignment = 16;
  call.args.y = fakeAddress(2, 16);
  EXPECT_FALSE(streamed());
  call.exec.max_isa = NORMC_ISA_X86_64_V2;
  EXPECT_TRUE(streamed());
}

TEST(StreamingThreshold, FollowsTheCacheWithinBounds) {
  EXPECT_EQ(streamingThreshold(0), uint64_t(10) << 20);
  EXPECT_EQ(streamingThreshold(uint64_t(30) << 20), uint64_t(10) << 20);
  EXPECT_EQ(streamingThreshold(uint64_t(1) << 20), uint64_t(4) << 20);
  EXPECT_EQ(streamingThreshold(uint64_t(1) << 30), uint64_t(64) << 20);
}

} // namespace
} // namespace normc::runtime::test
