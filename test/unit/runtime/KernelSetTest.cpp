// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of several widths: which kernel runs, and what is refused.

#include "test/unit/runtime/FakeKernel.h"

#include <gtest/gtest.h>
#include <memory>

namespace normc::runtime::test {
namespace {

class KernelSet : public testing::Test {
protected:
  KernelSet() {
    call.args.rows = 1;
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(2);
    set.struct_size = sizeof set;
    set.abi_version = NORMC_ABI_VERSION;
    set.name = "fakes";
  }

  void build(std::initializer_list<int64_t> widths) {
    fakes.clear();
    kernels.clear();
    for (int64_t width : widths) {
      fakes.push_back(std::make_unique<FakeKernel>(width));
      kernels.push_back(&fakes.back()->kernel);
    }
    set.kernel_count = uint32_t(kernels.size());
    set.kernels = kernels.data();
  }

  normc_status_t run(int64_t hidden) {
    bodyCalls.clear();
    call.args.hidden = hidden;
    return normc_run_forward_set(&set, &call.args, &call.exec);
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  std::vector<std::unique_ptr<FakeKernel>> fakes;
  std::vector<const normc_kernel_t *> kernels;
  normc_kernel_set_t set = {};
  Call call;
};

TEST_F(KernelSet, StaticWidthWhereThereIsOneElseTheDynamicKernel) {
  build({128, 384, 768, 1024, 4096, 0});
  for (size_t i = 0; i + 1 < kernels.size(); ++i)
    EXPECT_EQ(normc_kernel_set_find(&set, kernels[i]->hidden), kernels[i]);
  for (int64_t other : {1, 127, 129, 385, 1023, 4097, 1 << 24})
    EXPECT_EQ(normc_kernel_set_find(&set, other), kernels.back());
  ASSERT_EQ(run(768), NORMC_STATUS_SUCCESS) << call.diag.message;
  EXPECT_EQ(bodyCalls[0].slice.hidden, 768);
  ASSERT_EQ(run(5), NORMC_STATUS_SUCCESS) << call.diag.message;
  EXPECT_EQ(bodyCalls[0].slice.hidden, 5);
}

TEST_F(KernelSet, EachPosition) {
  build({1, 2, 3, 4, 5, 6, 7});
  for (int64_t width = 1; width <= 7; ++width)
    EXPECT_EQ(normc_kernel_set_find(&set, width), kernels[size_t(width) - 1]);
  EXPECT_EQ(normc_kernel_set_find(&set, 8), nullptr);
}

TEST_F(KernelSet, OnlyADynamicKernel) {
  build({0});
  EXPECT_EQ(normc_kernel_set_find(&set, 17), kernels[0]);
}

TEST_F(KernelSet, WidthThatIsNotThere) {
  build({384, 768});
  ASSERT_EQ(run(512), NORMC_STATUS_HIDDEN_MISMATCH);
  EXPECT_STREQ(call.diag.message, "fakes: hidden is 512, but the library has 384, 768: build that width, or a dynamic kernel with --hidden dynamic");
  EXPECT_TRUE(bodyCalls.empty());
}

TEST_F(KernelSet, ListOfManyWidthsIsCut) {
  std::vector<int64_t> widths;
  for (int64_t i = 0; i < 40; ++i) {
    fakes.push_back(std::make_unique<FakeKernel>(1000000 + i));
    kernels.push_back(&fakes.back()->kernel);
  }
  set.kernel_count = 40;
  set.kernels = kernels.data();
  ASSERT_EQ(run(512), NORMC_STATUS_HIDDEN_MISMATCH);
  std::string message = call.diag.message;
  EXPECT_NE(message.find("1000000, 1000001, "), std::string::npos) << message;
  EXPECT_NE(message.find(", ...: build that width"), std::string::npos) << message;
}

TEST_F(KernelSet, HiddenMustBeGiven) {
  build({384, 0});
  ASSERT_EQ(run(0), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "fakes: hidden is 0, but a library of several widths needs it: pass hidden, 1 to 16777216");
  EXPECT_EQ(run(-1), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(run((1 << 24) + 1), NORMC_STATUS_TOO_LARGE) << "the dynamic kernel says so";
}

TEST_F(KernelSet, Refusals) {
  build({384});
  EXPECT_EQ(normc_run_forward_set(nullptr, &call.args, &call.exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "set is NULL, expected the <name>_kernel_set of an emitted header");
  EXPECT_EQ(normc_run_forward_set(&set, nullptr, &call.exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "fakes: args is NULL, expected the arguments of the call");
  call.args.struct_size = 4;
  EXPECT_EQ(run(384), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_STREQ(call.diag.argument, "struct_size");
  call.args.struct_size = sizeof call.args;
  call.exec.threads = 2;
  EXPECT_EQ(run(384), NORMC_STATUS_INVALID_ARGUMENT);
  call.exec.threads = 0;
  set.abi_version = 3;
  EXPECT_EQ(run(384), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_STREQ(call.diag.message,
               "the kernel set was emitted for normc ABI 3 (32 bytes, 1 kernels), this runtime has ABI 1 (32 bytes): build it with the normc that the "
               "runtime is from");
  EXPECT_EQ(normc_kernel_set_find(&set, 384), nullptr);
  set.abi_version = NORMC_ABI_VERSION;
  set.kernel_count = 0;
  EXPECT_EQ(run(384), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_EQ(normc_kernel_set_find(nullptr, 384), nullptr);
  EXPECT_TRUE(bodyCalls.empty());
}

TEST_F(KernelSet, RowsZero) {
  build({384});
  call.args.rows = 0;
  call.args.x = nullptr;
  call.args.y = nullptr;
  EXPECT_EQ(run(384), NORMC_STATUS_SUCCESS);
}

} // namespace
} // namespace normc::runtime::test
