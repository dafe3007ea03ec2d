// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick checks of small calls against the full ones: they vouch for nothing that the full checks refuse, and for all that they are made for.

#include "runtime/quick_call.h"
#include "test/unit/runtime/FakeKernel.h"

#include <gtest/gtest.h>
#include <random>

namespace normc::runtime::test {
namespace {

/// Kernels and calls with mostly good fields, close together in memory, so that each check decides some of them.
class RandomCall {
public:
  explicit RandomCall(uint32_t seed) : random(seed) {}

  void next() {
    kernel = fake.kernel;
    kernel.x_dtype = dtype(), kernel.y_dtype = rarely() ? dtype() : kernel.x_dtype, kernel.param_dtype = dtype();
    kernel.hidden = pick(0, 2) == 0 ? 0 : pick(1, 20);
    kernel.accepts = rarely() ? uint32_t(pick(0, 255)) : 0xFF;
    kernel.required = rarely() ? uint32_t(pick(0, 255)) : NORMC_ROLE_X | NORMC_ROLE_Y;
    if (hardlyEver())
      kernel.abi_version += 1;
    if (hardlyEver())
      kernel.struct_size += 8;
    if (hardlyEver())
      kernel.variant_count = pick(0, 1) == 0 ? 0 : NORMC_VARIANT_MAX + 1;
    if (hardlyEver())
      kernel.variants = nullptr;
    args = {};
    args.struct_size = uint32_t(sizeof args) + (hardlyEver() ? 8 : 0);
    args.flags = hardlyEver();
    args.reserved = hardlyEver();
    args.rows = rarely() ? pick(-2, 3) : pick(1, 6);
    args.inner_rows = rarely() ? pick(-1, 7) : 0;
    args.hidden = kernel.hidden == 0 || pick(0, 2) == 0 ? (rarely() ? pick(-2, 20) : kernel.hidden != 0 ? kernel.hidden : pick(1, 20)) : 0;
    if (hardlyEver())
      args.rows = int64_t(1) << pick(20, 62);
    if (hardlyEver())
      args.hidden = (int64_t(1) << pick(22, 62)) + pick(-1, 1);
    const bool optional = pick(0, 2) != 0;
    args.x = address(20);
    args.y = pick(0, 4) == 0 ? const_cast<void *>(args.x) : address(20);
    args.weight = address(2);
    args.bias = address(2);
    if (optional) {
      args.residual = pick(0, 4) == 0 ? args.y : address(2);
      args.sum = pick(0, 3) == 0 ? const_cast<void *>(pick(0, 1) == 0 ? args.x : args.residual) : address(2);
      args.mean = static_cast<float *>(address(2));
      args.rstd = static_cast<float *>(address(2));
    }
    for (int64_t *stride : {&args.x_stride, &args.residual_stride, &args.y_stride, &args.sum_stride})
      *stride = pick(0, 3) == 0 ? pick(0, 2) != 0 ? width() : width() + pick(-1, 1) : 0;
    for (int64_t *stride : {&args.x_outer_stride, &args.residual_outer_stride, &args.y_outer_stride, &args.sum_outer_stride})
      *stride = rarely() ? pick(-1, 30) : 0;
  }

  int64_t width() const { return args.hidden != 0 ? args.hidden : kernel.hidden; }

  /// What the quick checks are for, given that the full ones find no fault.
  bool isPlainEnough() const {
    auto contiguous = [&](const void *array, int64_t stride) { return array == nullptr || stride == 0 || stride == width(); };
    const void *const arrays[] = {args.x, args.residual, args.weight, args.bias, args.y, args.sum, args.mean, args.rstd};
    for (const void *array : arrays)
      if ((addressOf(array) & suspiciousAddressBits) != 0)
        return false;
    return args.rows > 0 && args.rows < 1000 && width() < 1000 && (args.inner_rows == 0 || args.inner_rows >= args.rows) && contiguous(args.x, args.x_stride) &&
           contiguous(args.residual, args.residual_stride) && contiguous(args.y, args.y_stride) && contiguous(args.sum, args.sum_stride) &&
           kernel.param_dtype != NORMC_DTYPE_NONE && kernel.param_dtype <= NORMC_DTYPE_BF16; // checked even where neither weight nor bias is given
  }
  bool isPlain() const {
    return args.residual == nullptr && args.sum == nullptr && args.mean == nullptr && args.rstd == nullptr && args.inner_rows == 0 && args.x_stride == 0 &&
           args.y_stride == 0 && args.x_outer_stride == 0 && args.y_outer_stride == 0;
  }

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  normc_kernel_t kernel = {};
  normc_forward_args_t args = {};

private:
  bool rarely() { return pick(0, 11) == 0; }
  bool hardlyEver() { return pick(0, 99) == 0; }
  uint32_t dtype() { return hardlyEver() ? uint32_t(pick(0, 1) * 4) : uint32_t(pick(NORMC_DTYPE_F32, NORMC_DTYPE_BF16)); }
  /// NULL once in `absence` times.
  void *address(int absence) {
    if (pick(1, absence) == 1)
      return nullptr;
    const uint64_t misalignment = rarely() ? uint64_t(pick(1, 3)) : 0;
    if (hardlyEver())
      return reinterpret_cast<void *>(~uint64_t(255) + uint64_t(pick(0, 63)) * 4);
    return reinterpret_cast<void *>((uint64_t(1) << 40) + uint64_t(pick(0, 1500)) * 4 + misalignment);
  }

  std::mt19937 random;
  FakeKernel fake;
};

TEST(QuickCall, AgreesWithTheFullChecks) {
  RandomCall random(20240729);
  int vouched = 0, plain = 0, inPlace = 0, refused = 0, left = 0;
  for (int round = 0; round < 1000000; ++round) {
    random.next();
    normc_exec_t threads = {};
    threads.parallel_for = [](void *, int64_t, void (*)(void *, int64_t), void *) {};
    threads.threads = 4;
    const normc_exec_t *exec = random.pick(0, 3) == 0 ? &threads : nullptr;
    ForwardCall call = {};
    const normc_status_t status = prepareForward(&random.kernel, &random.args, nullptr, call);
    const uint32_t given = quickRoles<QuickKind::Any>(random.kernel, random.args, exec);
    const uint32_t plainlyGiven = quickRoles<QuickKind::Plain>(random.kernel, random.args, nullptr);
    SCOPED_TRACE("round " + std::to_string(round));
    if (given == 0) {
      ASSERT_EQ(plainlyGiven, 0u);
      ASSERT_FALSE(status == NORMC_STATUS_SUCCESS && random.isPlainEnough()) << "left to the full checks for no reason";
      refused += status != NORMC_STATUS_SUCCESS;
      left += status == NORMC_STATUS_SUCCESS;
      continue;
    }
    ASSERT_EQ(status, NORMC_STATUS_SUCCESS) << normc_status_name(status);
    ASSERT_EQ(plainlyGiven, random.isPlain() ? given : 0u);
    ASSERT_EQ(given / 4 % 4, call.affine);
    ASSERT_EQ(quickWidth(random.kernel, random.args), call.slice.hidden);
    ASSERT_EQ(call.innerRows, call.rows);
    ASSERT_GE(call.sliceRows, call.rows);
    for (const RowArray &array : call.arrays) {
      if (array.begin != 0 && call.rows > 1) {
        ASSERT_EQ(array.stride, call.slice.hidden);
      }
    }
    ASSERT_EQ((given & NORMC_ROLE_RESIDUAL) != 0, random.args.residual != nullptr);
    ASSERT_EQ((given & NORMC_ROLE_SUM) != 0, random.args.sum != nullptr);
    ASSERT_EQ((given & NORMC_ROLE_MEAN) != 0, random.args.mean != nullptr);
    ASSERT_EQ((given & NORMC_ROLE_RSTD) != 0, random.args.rstd != nullptr);
    ++vouched;
    plain += plainlyGiven != 0;
    inPlace += call.inPlace;
  }
  // All outcomes are among the rounds, often.
  EXPECT_GT(vouched, 50000);
  EXPECT_GT(plain, 10000);
  EXPECT_GT(inPlace, 5000);
  EXPECT_GT(refused, 50000);
  EXPECT_GT(left, 5000);
}

TEST(QuickCall, LargeCallsAreLeftToTheFullChecks) {
  FakeKernel fake;
  Call call;
  call.args.x = fakeAddress(1);
  call.args.y = fakeAddress(2);
  call.args.residual = fakeAddress(3);
  call.args.sum = fakeAddress(4);
  for (int shift = 0; shift <= 32; ++shift)
    for (int64_t hidden : {1, 3, 768, 1 << 24})
      for (bool parallel : {false, true})
        for (bool residual : {false, true}) {
          if (hidden << shift > int64_t(1) << 33)
            continue; // fake addresses are no farther apart
          call.args.rows = int64_t(1) << shift;
          call.args.hidden = hidden;
          call.args.residual = residual ? fakeAddress(3) : nullptr;
          call.args.sum = residual ? fakeAddress(4) : nullptr;
          call.exec.parallel_for = parallel ? [](void *, int64_t, void (*)(void *, int64_t), void *) {} : normc_parallel_for_t(nullptr);
          call.exec.threads = parallel ? 1000 : 0;
          ForwardCall full = {};
          ASSERT_EQ(prepareForward(&fake.kernel, &call.args, &call.exec, full), NORMC_STATUS_SUCCESS) << call.diag.message;
          if (quickRoles<QuickKind::Any>(fake.kernel, call.args, &call.exec) != 0) {
            EXPECT_LE(full.bytes, streamingThreshold(1)) << "this one may have to stream";
            EXPECT_TRUE(!parallel || taskCount(1000, full.rows, full.bytes) == 1) << "this one is split";
          } else {
            EXPECT_GT(full.bytes, parallel ? uint64_t(32) << 10 : uint64_t(500) << 10) << "this one is small";
          }
          if (!residual && quickRoles<QuickKind::Plain>(fake.kernel, call.args, nullptr) != 0) {
            EXPECT_LE(full.bytes, streamingThreshold(1));
          }
        }
}

TEST(QuickCall, AllKindsRunTheirBodyOnce) {
  Machine machine(NORMC_ISA_X86_64_V4);
  FakeKernel fake(16);
  Call call;
  call.args.rows = 2;
  call.args.x = fakeAddress(1);
  call.args.y = fakeAddress(2);
  for (uint32_t isa : {NORMC_ISA_X86_64_V2, NORMC_ISA_X86_64_V3, NORMC_ISA_X86_64_V4}) {
    ASSERT_EQ(normc_set_max_isa(normc_isa_t(isa)), NORMC_STATUS_SUCCESS);
    for (uint32_t count = 1; count <= 3; ++count)
      for (int first = 0; first + int(count) <= 3; ++first) {
        fake.kernel.variants = fake.variants + first;
        fake.kernel.variant_count = count;
        uint32_t expected = 0;
        for (uint32_t i = 0; i < count; ++i)
          if (const uint32_t variant = fake.kernel.variants[i].isa; variant <= isa && variant > expected)
            expected = variant;
        for (const normc_exec_t *exec : {static_cast<const normc_exec_t *>(nullptr), static_cast<const normc_exec_t *>(&call.exec)}) {
          bodyCalls.clear();
          const normc_status_t status = normc_run_forward(&fake.kernel, &call.args, exec);
          ASSERT_EQ(status, expected != 0 ? NORMC_STATUS_SUCCESS : NORMC_STATUS_UNSUPPORTED_CPU);
          ASSERT_EQ(bodyCalls.size(), expected != 0 ? 1u : 0u);
          if (expected != 0) {
            EXPECT_EQ(bodyCalls[0].isa, expected);
          }
        }
      }
  }
}

TEST(QuickCall, BeforeTheCpuIsKnownAndWithABadLimit) {
  Machine machine(NORMC_ISA_X86_64_V4);
  FakeKernel fake(16);
  for (normc_variant_t &variant : fake.variants)
    variant.isa = NORMC_ISA_ANY; // such a variant must not pass for what fits a level that is not known
  Call call;
  call.args.rows = 2;
  call.args.x = fakeAddress(1);
  call.args.y = fakeAddress(2);
  stateWord.store(State(featuresUpTo(NORMC_ISA_X86_64_V4), 0, NORMC_ISA_ANY, NORMC_LIMIT_NONE, true).raw());
  EXPECT_EQ(normc_run_forward(&fake.kernel, &call.args, nullptr), NORMC_STATUS_INVALID_ARGUMENT);
  stateWord.store(0);
  EXPECT_EQ(normc_run_forward(&fake.kernel, &call.args, nullptr), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_TRUE(bodyCalls.empty());
}

TEST(QuickCall, CallersFloatingPointState) {
  Machine machine(NORMC_ISA_X86_64_V4);
  FakeKernel fake(16);
  Call call;
  call.args.rows = 2;
  call.args.x = fakeAddress(1);
  call.args.y = fakeAddress(2);
  const unsigned before = _mm_getcsr();
  for (unsigned state : {0x9fc0u, 0x5f80u, 0x1f80u, 0x1fa0u, 0xffffu}) {
    bodyCalls.clear();
    _mm_setcsr(state);
    const normc_status_t status = normc_run_forward(&fake.kernel, &call.args, nullptr);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    ASSERT_EQ(status, NORMC_STATUS_SUCCESS);
    ASSERT_EQ(bodyCalls.size(), 1u);
    EXPECT_EQ(bodyCalls[0].mxcsr & ~0x3fu, 0x1f80u);
    EXPECT_EQ(after, state);
  }
}

} // namespace
} // namespace normc::runtime::test
