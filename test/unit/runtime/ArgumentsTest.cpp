// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every refusal of a forward call: its status, role, field and message, and that no body has run.

#include "test/unit/runtime/FakeKernel.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <limits>

namespace normc::runtime::test {
namespace {

class Arguments : public testing::Test {
protected:
  Arguments() {
    call.args.rows = 4;
    call.args.hidden = 768;
    call.args.x = fakeAddress(1);
    call.args.y = static_cast<float *>(fakeAddress(2));
  }

  void expectFailure(normc_status_t expected, uint32_t role, const char *argument, const char *message) {
    ASSERT_EQ(call.run(fake), expected) << call.diag.message;
    EXPECT_TRUE(bodyCalls.empty());
    EXPECT_EQ(call.diag.code, uint32_t(expected));
    EXPECT_EQ(call.diag.role, role);
    EXPECT_STREQ(call.diag.argument, argument);
    EXPECT_STREQ(call.diag.message, message);
    call.exec.diag = nullptr; // the status must not depend on whether anyone listens
    EXPECT_EQ(call.run(fake), expected);
    EXPECT_TRUE(bodyCalls.empty());
    call.exec.diag = &call.diag;
  }

  void expectSuccess() {
    ASSERT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
    EXPECT_FALSE(bodyCalls.empty());
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake{768};
  Call call;
};

TEST_F(Arguments, GoodCallRunsAndLeavesTheDiagAlone) {
  call.diag.code = 77;
  expectSuccess();
  EXPECT_EQ(call.diag.code, 77u);
  ASSERT_EQ(bodyCalls.size(), 1u);
  const normc_slice_t &slice = bodyCalls[0].slice;
  EXPECT_EQ(slice.rows, 4);
  EXPECT_EQ(slice.hidden, 768);
  EXPECT_EQ(slice.eps, 1e-5f);
  EXPECT_EQ(slice.reserved, 0u);
  EXPECT_EQ(slice.x, call.args.x);
  EXPECT_EQ(slice.y, call.args.y);
  EXPECT_EQ(slice.x_stride, 768);
  EXPECT_EQ(slice.y_stride, 768);
  EXPECT_EQ(slice.residual, nullptr);
  EXPECT_EQ(slice.weight, nullptr);
  EXPECT_EQ(slice.bias, nullptr);
  EXPECT_EQ(slice.sum, nullptr);
  EXPECT_EQ(slice.mean_stride, 0);
  EXPECT_EQ(slice.rstd_stride, 0);
  EXPECT_NE(slice.mean, nullptr);
  EXPECT_NE(slice.rstd, nullptr);
}

TEST_F(Arguments, NullExecRuns) {
  EXPECT_EQ(normc_run_forward(&fake.kernel, &call.args, nullptr), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(bodyCalls.size(), 1u);
}

TEST_F(Arguments, FailureWithoutExec) {
  call.args.rows = -1;
  EXPECT_EQ(normc_run_forward(&fake.kernel, &call.args, nullptr), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(normc_run_forward(nullptr, &call.args, nullptr), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_EQ(normc_run_forward(&fake.kernel, nullptr, nullptr), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_TRUE(bodyCalls.empty());
}

TEST_F(Arguments, NullKernel) {
  EXPECT_EQ(normc_run_forward(nullptr, &call.args, &call.exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "kernel is NULL, expected the <name>_kernel of an emitted header");
}

TEST_F(Arguments, NullArgs) {
  EXPECT_EQ(normc_run_forward(&fake.kernel, nullptr, &call.exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "fake: args is NULL, expected the arguments of the call");
}

TEST_F(Arguments, KernelOfAnotherAbi) {
  fake.kernel.abi_version = 2;
  expectFailure(
      NORMC_STATUS_ABI_MISMATCH, 0, "kernel",
      "the kernel was emitted for normc ABI 2 (88 bytes), this runtime has ABI 1 (88 bytes): build the kernel with the normc that the runtime is from");
}

TEST_F(Arguments, KernelOfAnotherSize) {
  fake.kernel.struct_size = 96;
  expectFailure(
      NORMC_STATUS_ABI_MISMATCH, 0, "kernel",
      "the kernel was emitted for normc ABI 1 (96 bytes), this runtime has ABI 1 (88 bytes): build the kernel with the normc that the runtime is from");
}

TEST_F(Arguments, KernelWithoutVariants) {
  fake.kernel.variant_count = 0;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, 0, "kernel", "fake: the kernel has 0 variants, expected 1 to 8: emit it again");
}

TEST_F(Arguments, KernelWithTooManyVariants) {
  fake.kernel.variant_count = 9;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, 0, "kernel", "fake: the kernel has 9 variants, expected 1 to 8: emit it again");
}

TEST_F(Arguments, KernelWithUnknownTypes) {
  fake.kernel.x_dtype = 9;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, NORMC_ROLE_X, "kernel", "fake: the kernel's type of x is 9, which this runtime does not know");
  fake.kernel.x_dtype = NORMC_DTYPE_F32;
  fake.kernel.y_dtype = NORMC_DTYPE_NONE;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, NORMC_ROLE_Y, "kernel", "fake: the kernel's type of y is 0, which this runtime does not know");
  fake.kernel.y_dtype = NORMC_DTYPE_F32;
  fake.kernel.param_dtype = NORMC_DTYPE_NONE;
  expectSuccess();
  call.args.bias = fakeAddress(3);
  expectFailure(NORMC_STATUS_ABI_MISMATCH, NORMC_ROLE_BIAS, "kernel", "fake: the kernel's type of bias is 0, which this runtime does not know");
}

TEST_F(Arguments, StructSizeOfOlderAndNewerVersions) {
  call.args.struct_size = 0;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, 0, "struct_size",
                "fake: struct_size is 0, expected 168: initialize the arguments with the emitted header's ..._ARGS_INIT and compile against the headers of the "
                "linked runtime");
  for (uint32_t size : {160u, 176u, 0xFFFFFFFFu}) {
    call.args.struct_size = size;
    EXPECT_EQ(call.run(fake), NORMC_STATUS_ABI_MISMATCH);
    EXPECT_TRUE(bodyCalls.empty());
  }
}

/// A struct of another version may be shorter than ours: only struct_size may be read before it is known.
TEST_F(Arguments, NothingBehindTheSizeOfAnotherVersionIsRead) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *pages = static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  uint32_t *size = reinterpret_cast<uint32_t *>(pages + page - 8);
  *size = 8;
  const auto *args = reinterpret_cast<const normc_forward_args_t *>(size);
  EXPECT_EQ(normc_run_forward(&fake.kernel, args, nullptr), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_EQ(normc_run_forward(&fake.kernel, args, &call.exec), NORMC_STATUS_ABI_MISMATCH);
  munmap(pages, 2 * page);
}

TEST_F(Arguments, Flags) {
  call.args.flags = 2;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "flags", "fake: flags is 2, expected 0 (no flag is defined)");
}

TEST_F(Arguments, Reserved) {
  call.args.reserved = 1;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "reserved", "fake: reserved is 1, expected 0: initialize the whole struct");
}

TEST_F(Arguments, NegativeRows) {
  call.args.rows = -3;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "rows", "fake: rows is -3, expected 0 or more");
}

TEST_F(Arguments, NegativeInnerRows) {
  call.args.inner_rows = -1;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "inner_rows", "fake: inner_rows is -1, expected 0 (= rows) or more");
}

TEST_F(Arguments, NegativeHidden) {
  call.args.hidden = -768;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "fake: hidden is -768, expected 0 (= the built width) or that width");
  fake.kernel.hidden = 0;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "fake: hidden is -768, expected 1 to 16777216");
  call.args.hidden = std::numeric_limits<int64_t>::min();
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "fake: hidden is -9223372036854775808, expected 1 to 16777216");
}

TEST_F(Arguments, HiddenIsNotTheBuiltWidth) {
  call.args.hidden = 767;
  expectFailure(NORMC_STATUS_HIDDEN_MISMATCH, 0, "hidden", "fake: hidden is 767, but the kernel was built for 768: pass 0 or 768, or build the other width");
}

TEST_F(Arguments, HiddenZeroIsTheBuiltWidth) {
  call.args.hidden = 0;
  expectSuccess();
  EXPECT_EQ(bodyCalls[0].slice.hidden, 768);
  EXPECT_EQ(bodyCalls[0].slice.x_stride, 768);
}

TEST_F(Arguments, DynamicKernelNeedsHidden) {
  fake.kernel.hidden = 0;
  call.args.hidden = 0;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "fake: hidden is 0, but the kernel has no built width: pass hidden, 1 to 16777216");
  call.args.rows = 0;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "hidden", "fake: hidden is 0, but the kernel has no built width: pass hidden, 1 to 16777216");
}

TEST_F(Arguments, HiddenLimits) {
  fake.kernel.hidden = 0;
  call.args.hidden = 1;
  expectSuccess();
  call.args.hidden = 1 << 24;
  expectSuccess();
  call.args.hidden = (1 << 24) + 1;
  expectFailure(NORMC_STATUS_TOO_LARGE, 0, "hidden", "fake: hidden is 16777217, expected at most 16777216 (2^24)");
  call.args.hidden = std::numeric_limits<int64_t>::max();
  expectFailure(NORMC_STATUS_TOO_LARGE, 0, "hidden", "fake: hidden is 9223372036854775807, expected at most 16777216 (2^24)");
}

TEST_F(Arguments, RequiredRoles) {
  void *const spare = fakeAddress(3);
  struct Case {
    uint32_t role;
    const char *name;
  };
  call.args.residual = spare;
  call.args.weight = fakeAddress(4);
  call.args.bias = fakeAddress(5);
  call.args.sum = fakeAddress(6);
  call.args.mean = static_cast<float *>(fakeAddress(7));
  call.args.rstd = static_cast<float *>(fakeAddress(8));
  fake.kernel.required = 0xFF;
  expectSuccess();
  const normc_forward_args_t all = call.args;
  const Case cases[] = {{NORMC_ROLE_X, "x"}, {NORMC_ROLE_RESIDUAL, "residual"}, {NORMC_ROLE_WEIGHT, "weight"}, {NORMC_ROLE_BIAS, "bias"},
                        {NORMC_ROLE_Y, "y"}, {NORMC_ROLE_SUM, "sum"},           {NORMC_ROLE_MEAN, "mean"},     {NORMC_ROLE_RSTD, "rstd"}};
  for (const Case &missing : cases) {
    call.args = all;
    switch (missing.role) {
    case NORMC_ROLE_X:
      call.args.x = nullptr;
      break;
    case NORMC_ROLE_RESIDUAL:
      call.args.residual = nullptr;
      break;
    case NORMC_ROLE_WEIGHT:
      call.args.weight = nullptr;
      break;
    case NORMC_ROLE_BIAS:
      call.args.bias = nullptr;
      break;
    case NORMC_ROLE_Y:
      call.args.y = nullptr;
      break;
    case NORMC_ROLE_SUM:
      call.args.sum = nullptr;
      break;
    case NORMC_ROLE_MEAN:
      call.args.mean = nullptr;
      break;
    default:
      call.args.rstd = nullptr;
    }
    std::string message = std::string("fake: ") + missing.name + " is NULL, but the kernel needs it: pass the array";
    expectFailure(NORMC_STATUS_MISSING_ARGUMENT, missing.role, missing.name, message.c_str());
  }
}

TEST_F(Arguments, XAndYAreNeededWhateverTheMaskSays) {
  fake.kernel.required = 0;
  call.args.y = nullptr;
  expectFailure(NORMC_STATUS_MISSING_ARGUMENT, NORMC_ROLE_Y, "y", "fake: y is NULL, but the kernel needs it: pass the array");
}

TEST_F(Arguments, RolesThatTheKernelLacks) {
  call.args.residual = fakeAddress(3);
  call.args.weight = fakeAddress(4);
  call.args.bias = fakeAddress(5);
  call.args.sum = fakeAddress(6);
  call.args.mean = static_cast<float *>(fakeAddress(7));
  call.args.rstd = static_cast<float *>(fakeAddress(8));
  for (uint32_t role : {NORMC_ROLE_RESIDUAL, NORMC_ROLE_WEIGHT, NORMC_ROLE_BIAS, NORMC_ROLE_SUM, NORMC_ROLE_MEAN, NORMC_ROLE_RSTD}) {
    fake.kernel.accepts = 0xFF & ~role;
    const char *const names[] = {"x", "residual", "weight", "bias", "y", "sum", "mean", "rstd"};
    const char *name = names[__builtin_ctz(role)];
    std::string message = std::string("fake: ") + name + " is given, but the kernel was built without it: pass NULL, or build the kernel with " + name;
    expectFailure(NORMC_STATUS_UNSUPPORTED_ARGUMENT, role, name, message.c_str());
  }
}

TEST_F(Arguments, StridesOfAbsentArraysAreIgnored) {
  call.args.residual_stride = -5;
  call.args.sum_outer_stride = -7;
  expectSuccess();
}

TEST_F(Arguments, EveryAffineCombinationHasItsBody) {
  for (uint32_t affine = 0; affine < NORMC_AFFINE_COUNT; ++affine) {
    call.args.weight = (affine & NORMC_AFFINE_WEIGHT) != 0 ? fakeAddress(4) : nullptr;
    call.args.bias = (affine & NORMC_AFFINE_BIAS) != 0 ? fakeAddress(5) : nullptr;
    expectSuccess();
    EXPECT_EQ(bodyCalls[0].affine, affine);
    EXPECT_EQ(bodyCalls[0].slice.weight, call.args.weight);
    EXPECT_EQ(bodyCalls[0].slice.bias, call.args.bias);
  }
}

TEST_F(Arguments, AffineCombinationWithoutBody) {
  for (normc_variant_t &variant : fake.variants)
    variant.body[NORMC_AFFINE_BIAS] = variant.body[NORMC_AFFINE_WEIGHT] = nullptr;
  call.args.bias = fakeAddress(5);
  expectFailure(NORMC_STATUS_UNSUPPORTED_ARGUMENT, NORMC_ROLE_BIAS, "bias",
                "fake: the kernel has no body for weight NULL and bias given: pass another combination, or build the kernel with weight and bias optional");
  call.args.bias = nullptr;
  call.args.weight = fakeAddress(4);
  expectFailure(NORMC_STATUS_UNSUPPORTED_ARGUMENT, NORMC_ROLE_WEIGHT, "weight",
                "fake: the kernel has no body for weight given and bias NULL: pass another combination, or build the kernel with weight and bias optional");
}

TEST_F(Arguments, RowsZeroIsSuccessWithNullPointers) {
  call.args.rows = 0;
  call.args.x = nullptr;
  call.args.y = nullptr;
  fake.kernel.required = 0xFF;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
  EXPECT_TRUE(bodyCalls.empty());
  call.args.hidden = 5;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_HIDDEN_MISMATCH) << "an empty call is still checked for what it says";
}

TEST_F(Arguments, Strides) {
  call.args.x_stride = 767;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "x_stride", "fake: x_stride is 767 elements, expected 0 (= hidden) or at least hidden, 768");
  call.args.x_stride = -768;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "x_stride", "fake: x_stride is -768 elements, expected 0 (= hidden) or at least hidden, 768");
  call.args.x_stride = 768;
  call.args.y_stride = 1;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_Y, "y_stride", "fake: y_stride is 1 elements, expected 0 (= hidden) or at least hidden, 768");
  call.args.y_stride = 773;
  call.args.residual = fakeAddress(3);
  call.args.residual_stride = 700;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_RESIDUAL, "residual_stride",
                "fake: residual_stride is 700 elements, expected 0 (= hidden) or at least hidden, 768");
  call.args.residual_stride = 0;
  call.args.sum = fakeAddress(4);
  call.args.sum_stride = 700;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_SUM, "sum_stride", "fake: sum_stride is 700 elements, expected 0 (= hidden) or at least hidden, 768");
  call.args.sum_stride = 0;
  expectSuccess();
  EXPECT_EQ(bodyCalls[0].slice.x_stride, 768);
  EXPECT_EQ(bodyCalls[0].slice.y_stride, 773);
}

TEST_F(Arguments, StrideBeyondTheLimit) {
  call.args.rows = 1;
  call.args.x_stride = (int64_t(1) << 31) - 1;
  expectSuccess();
  call.args.x_stride = int64_t(1) << 31;
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "x_stride", "fake: x_stride is 2147483648 elements, expected less than 2147483648 (2^31)");
}

TEST_F(Arguments, OuterStrides) {
  call.args.inner_rows = 2;
  call.args.x_outer_stride = -1;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "x_outer_stride", "fake: x_outer_stride is -1 elements, expected 0 (= inner_rows * stride) or more");
  call.args.x_outer_stride = 2 * 768 - 1;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "x_outer_stride",
                "fake: x_outer_stride is 1535 elements, expected 0 or at least 1536 (a block of inner_rows rows), since rows of x would overlap");
  call.args.x_outer_stride = 2 * 768;
  expectSuccess();
  call.args.y_stride = 800;
  call.args.y_outer_stride = 800 + 767;
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_Y, "y_outer_stride",
                "fake: y_outer_stride is 1567 elements, expected 0 or at least 1568 (a block of inner_rows rows), since rows of y would overlap");
  call.args.y_outer_stride = 800 + 768;
  expectSuccess();
}

TEST_F(Arguments, InterleavedBlocks) {
  call.args.inner_rows = 2; // 2 blocks of 2 rows: row r at (r / 2) * 768 + (r % 2) * 1536
  call.args.x_stride = 1536;
  call.args.x_outer_stride = 768;
  expectSuccess();
  call.args.x_stride = 1535;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_INVALID_STRIDE);
  EXPECT_EQ(call.diag.role, uint32_t(NORMC_ROLE_X));
}

TEST_F(Arguments, UnusedOuterStrideOfOneBlockIsOnlyCheckedForItsSign) {
  call.args.inner_rows = 100;
  call.args.x_outer_stride = 3;
  expectSuccess();
  call.args.x_outer_stride = -3;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_INVALID_STRIDE);
}

TEST_F(Arguments, ElementAlignmentIsEnough) {
  call.args.x = fakeAddress(1, 4);
  call.args.y = fakeAddress(2, 12);
  expectSuccess();
  call.args.x = fakeAddress(1, 2);
  expectFailure(NORMC_STATUS_MISALIGNED, NORMC_ROLE_X, "x", "fake: x is 0x1000000002, expected a multiple of 4 (its element, f32)");
  fake.kernel.x_dtype = NORMC_DTYPE_BF16;
  expectSuccess();
  call.args.x = fakeAddress(1, 1);
  expectFailure(NORMC_STATUS_MISALIGNED, NORMC_ROLE_X, "x", "fake: x is 0x1000000001, expected a multiple of 2 (its element, bf16)");
}

TEST_F(Arguments, AlignmentOfEveryRole) {
  fake.kernel.param_dtype = NORMC_DTYPE_F16;
  const normc_forward_args_t good = call.args;
  const std::function<void()> spoil[] = {[&] { call.args.y = fakeAddress(3, 2); }, [&] { call.args.residual = fakeAddress(3, 2); },
                                         [&] { call.args.sum = fakeAddress(3, 2); }, [&] { call.args.mean = static_cast<float *>(fakeAddress(3, 2)); },
                                         [&] { call.args.rstd = static_cast<float *>(fakeAddress(3, 2)); }};
  for (const auto &change : spoil) {
    call.args = good;
    change();
    EXPECT_EQ(call.run(fake), NORMC_STATUS_MISALIGNED);
    EXPECT_NE(std::string(call.diag.message).find(" is 0x3000000002, expected a multiple of 4 (its element, f32)"), std::string::npos) << call.diag.message;
  }
  call.args = good;
  call.args.weight = fakeAddress(3, 1);
  expectFailure(NORMC_STATUS_MISALIGNED, NORMC_ROLE_WEIGHT, "weight", "fake: weight is 0x3000000001, expected a multiple of 2 (its element, f16)");
  call.args.weight = nullptr;
  call.args.bias = fakeAddress(3, 1);
  expectFailure(NORMC_STATUS_MISALIGNED, NORMC_ROLE_BIAS, "bias", "fake: bias is 0x3000000001, expected a multiple of 2 (its element, f16)");
}

TEST_F(Arguments, RangesBeyondTheAddressSpace) {
  call.args.rows = int64_t(1) << 53; // times 768 * 4 bytes: past 2^62
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "x",
                "fake: x would reach beyond the address space: check rows, 9007199254740992, and its strides, which count elements");
  call.args.rows = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(call.run(fake), NORMC_STATUS_TOO_LARGE);
  call.args.inner_rows = int64_t(1) << 60;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_TOO_LARGE);
  EXPECT_EQ(call.diag.role, uint32_t(NORMC_ROLE_X));
  EXPECT_STREQ(call.diag.argument, "x_outer_stride");
  EXPECT_STREQ(call.diag.message, "fake: x spans more than 2^62 bytes: check rows, inner_rows and its strides");
  call.args.inner_rows = 2;
  call.args.x_outer_stride = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(call.run(fake), NORMC_STATUS_TOO_LARGE);
  EXPECT_TRUE(bodyCalls.empty());
}

TEST_F(Arguments, VectorBeyondTheAddressSpace) {
  call.args.weight = reinterpret_cast<void *>(~uintptr_t(3));
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_WEIGHT, "weight", "fake: weight would reach beyond the address space: check rows, 4");
  call.args.weight = nullptr;
  call.args.mean = reinterpret_cast<float *>(~uintptr_t(3));
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_MEAN, "mean", "fake: mean would reach beyond the address space: check rows, 4");
}

TEST_F(Arguments, AnyEpsIsAllowed) {
  for (float eps : {0.0f, -0.0f, -0.5f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    call.args.eps = eps;
    expectSuccess();
    EXPECT_EQ(std::memcmp(&bodyCalls[0].slice.eps, &eps, sizeof eps), 0);
  }
}

TEST_F(Arguments, LongKernelNamesDoNotPushTheMessageOut) {
  const std::string name(300, 'n');
  fake.kernel.name = name.c_str();
  call.args.rows = -1;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(call.diag.message), std::string(64, 'n') + ": rows is -1, expected 0 or more");
}

TEST_F(Arguments, ExecStructSize) {
  call.exec.struct_size = sizeof(normc_exec_t);
  call.diag.struct_size = sizeof(normc_diag_t);
  expectSuccess();
  for (uint32_t size : {8u, 64u, 80u}) {
    call.exec.struct_size = size;
    EXPECT_EQ(call.run(fake), NORMC_STATUS_ABI_MISMATCH);
  }
  call.exec.struct_size = 0;
  call.diag.struct_size = 12;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_TRUE(bodyCalls.empty());
}

TEST_F(Arguments, ExecFields) {
  call.exec.reserved = 5;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->reserved", "exec->reserved is 5, expected 0: initialize the struct with NORMC_EXEC_INIT");
  call.exec.reserved = 0;
  for (uint32_t isa : {1u, 5u, 99u}) {
    call.exec.max_isa = isa;
    std::string message = "exec->max_isa is " + std::to_string(isa) + ", expected 0 (no limit), 2 (x86-64-v2), 3 (x86-64-v3) or 4 (x86-64-v4)";
    expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->max_isa", message.c_str());
  }
  call.exec.max_isa = 0;
  call.exec.threads = 8;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->threads",
                "exec->threads is 8 but exec->parallel_for is NULL: set parallel_for (normc/adapters), or threads to 0 or 1");
  call.exec.threads = 1;
  expectSuccess();
  call.exec.threads = 0;
  call.exec.parallel_for = [](void *, int64_t, void (*)(void *, int64_t), void *) {};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "exec->threads",
                "exec->threads is 0 but exec->parallel_for is set: set threads to the number of tasks that a call may be split into");
}

} // namespace
} // namespace normc::runtime::test
