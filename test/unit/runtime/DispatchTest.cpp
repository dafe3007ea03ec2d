// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variant runs: CPU, the three limits, the environment variable, and the report that says why.

#include "test/unit/runtime/FakeKernel.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace normc::runtime::test {
namespace {

class Dispatch : public testing::Test {
protected:
  Dispatch() {
    call.args.rows = 1;
    call.args.hidden = 8;
    call.args.x = fakeAddress(1);
    call.args.y = fakeAddress(2);
  }
  ~Dispatch() override { unsetenv("NORMC_MAX_ISA"); }

  uint32_t ran() {
    EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS) << call.diag.message;
    return bodyCalls.empty() ? 0 : bodyCalls[0].isa;
  }

  /// Lets the next call read CPU and environment, as in a new process.
  static void restart(const char *maxIsa) {
    if (maxIsa != nullptr)
      setenv("NORMC_MAX_ISA", maxIsa, 1);
    else
      unsetenv("NORMC_MAX_ISA");
    stateWord.store(0);
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Call call;
  normc_dispatch_report_t report = {};
};

TEST_F(Dispatch, WidestVariantOfTheMachine) {
  for (uint32_t isa : {NORMC_ISA_X86_64_V2, NORMC_ISA_X86_64_V3, NORMC_ISA_X86_64_V4}) {
    machine.setFeatures(featuresUpTo(isa), 0);
    EXPECT_EQ(ran(), isa);
    EXPECT_EQ(normc_detected_isa(), normc_isa_t(isa));
  }
}

TEST_F(Dispatch, OrderOfVariantsDoesNotMatter) {
  std::swap(fake.variants[0], fake.variants[2]);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V4));
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V3), 0);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
}

TEST_F(Dispatch, WidestThatTheKernelHas) {
  fake.variants[0] = fake.variants[2]; // v2, v3
  fake.kernel.variant_count = 2;
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
}

TEST_F(Dispatch, NoUsableVariantOnThisCpu) {
  fake.kernel.variant_count = 1; // v4 only
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V4) & ~(1u << FeatureAvx512bw) & ~(1u << FeatureOsZmm), 0);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_TRUE(bodyCalls.empty());
  EXPECT_STREQ(call.diag.message, "fake: no usable variant, build for x86-64-v3 (fake__x86_64_v4: this machine lacks AVX512BW, zmm state saved by the OS)");
  EXPECT_STREQ(call.diag.argument, "kernel");
  EXPECT_EQ(normc_run_forward(&fake.kernel, &call.args, nullptr), NORMC_STATUS_UNSUPPORTED_CPU);
}

TEST_F(Dispatch, CpuBelowTheLowestTarget) {
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V2) & ~(1u << FeatureSse41), 0);
  ASSERT_EQ(call.run(fake), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_EQ(
      std::string(call.diag.message).rfind("fake: this CPU is below x86-64-v2, the lowest target of normc (fake__x86_64_v4: this machine lacks SSE4.1", 0), 0u)
      << call.diag.message;
  EXPECT_EQ(normc_detected_isa(), NORMC_ISA_ANY);
}

TEST_F(Dispatch, RowsZeroNeedsNoVariant) {
  machine.setFeatures(0, 0);
  call.args.rows = 0;
  EXPECT_EQ(call.run(fake), NORMC_STATUS_SUCCESS);
}

TEST_F(Dispatch, VariantOfAnUnknownInstructionSetIsNeverChosen) {
  fake.variants[0].isa = 9;
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, nullptr, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(report.verdict[0], uint32_t(NORMC_VERDICT_CPU_LACKS));
  EXPECT_EQ(std::string(report.message).rfind("fake__x86_64_v4: needs instruction set 9, which this runtime does not know; fake__x86_64_v3: chosen", 0), 0u)
      << report.message;
}

TEST_F(Dispatch, ProcessLimit) {
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_ANY);
  for (normc_isa_t isa : {NORMC_ISA_X86_64_V2, NORMC_ISA_X86_64_V3, NORMC_ISA_X86_64_V4}) {
    ASSERT_EQ(normc_set_max_isa(isa), NORMC_STATUS_SUCCESS);
    EXPECT_EQ(normc_max_isa(), isa);
    EXPECT_EQ(ran(), uint32_t(isa));
  }
  ASSERT_EQ(normc_set_max_isa(NORMC_ISA_X86_64_V2), NORMC_STATUS_SUCCESS);
  ASSERT_EQ(normc_set_max_isa(NORMC_ISA_ANY), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V4));
}

TEST_F(Dispatch, ProcessLimitRefusesOtherValues) {
  ASSERT_EQ(normc_set_max_isa(NORMC_ISA_X86_64_V3), NORMC_STATUS_SUCCESS);
  for (int value : {1, 5, 7})
    EXPECT_EQ(normc_set_max_isa(normc_isa_t(value)), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_X86_64_V3);
}

TEST_F(Dispatch, LowerOfCallAndProcessLimitHolds) {
  call.exec.max_isa = NORMC_ISA_X86_64_V3;
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
  normc_set_max_isa(NORMC_ISA_X86_64_V2);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V2));
  normc_set_max_isa(NORMC_ISA_X86_64_V4);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
}

TEST_F(Dispatch, LimitAboveTheMachineChangesNothing) {
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V3), 0);
  normc_set_max_isa(NORMC_ISA_X86_64_V4);
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V3));
}

TEST_F(Dispatch, LimitBelowEveryVariant) {
  fake.kernel.variant_count = 2; // v4, v3
  call.exec.max_isa = NORMC_ISA_X86_64_V2;
  ASSERT_EQ(call.run(fake), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_STREQ(call.diag.message,
               "fake: no usable variant, build for x86-64-v2 or raise the limit (fake__x86_64_v4: above the limit of x86-64-v2 by exec->max_isa; "
               "fake__x86_64_v3: above the limit of x86-64-v2 by exec->max_isa)");
}

TEST_F(Dispatch, EnvironmentLimitsThisMachine) {
  restart(nullptr);
  normc_isa_t detected = normc_detected_isa();
  ASSERT_GE(detected, NORMC_ISA_X86_64_V2);
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_ANY);
  EXPECT_EQ(ran(), uint32_t(detected));
  restart("x86-64-v2");
  EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V2));
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_X86_64_V2);
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, nullptr, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(report.limit_source, uint32_t(NORMC_LIMIT_ENVIRONMENT));
  restart("x86-64-v3");
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_X86_64_V3);
  restart("x86-64-v4");
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_X86_64_V4);
  restart("");
  EXPECT_EQ(normc_max_isa(), NORMC_ISA_ANY);
  EXPECT_EQ(ran(), uint32_t(detected));
}

TEST_F(Dispatch, SetMaxIsaReplacesTheEnvironment) {
  restart("x86-64-v2");
  ASSERT_EQ(normc_set_max_isa(NORMC_ISA_ANY), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(ran(), uint32_t(normc_detected_isa()));
}

TEST_F(Dispatch, BadEnvironmentIsNeverIgnored) {
  for (const char *text : {"avx2", "x86-64-v5", "x86-64-v3 ", "X86-64-V3", "3", "any"}) {
    restart(text);
    ASSERT_EQ(call.run(fake), NORMC_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(bodyCalls.empty());
    EXPECT_EQ(std::string(call.diag.message), std::string("the environment variable NORMC_MAX_ISA is \"") + text +
                                                  "\", expected x86-64-v2, x86-64-v3 or x86-64-v4: correct or unset it, or call normc_set_max_isa");
    EXPECT_STREQ(call.diag.argument, "NORMC_MAX_ISA");
    ASSERT_EQ(call.run(fake), NORMC_STATUS_INVALID_ARGUMENT) << "at every call, not only the first";
    EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_INVALID_ARGUMENT);
    ASSERT_EQ(normc_set_max_isa(NORMC_ISA_X86_64_V2), NORMC_STATUS_SUCCESS);
    EXPECT_EQ(ran(), uint32_t(NORMC_ISA_X86_64_V2));
  }
}

TEST_F(Dispatch, FirstCallsOfManyThreadsAgree) {
  for (int round = 0; round < 50; ++round) {
    restart("x86-64-v3");
    std::vector<std::thread> threads;
    std::vector<normc_isa_t> seen(8, NORMC_ISA_ANY);
    for (size_t i = 0; i < seen.size(); ++i)
      threads.emplace_back([&seen, i] { seen[i] = normc_max_isa(); });
    for (std::thread &thread : threads)
      thread.join();
    for (normc_isa_t isa : seen)
      EXPECT_EQ(isa, NORMC_ISA_X86_64_V3);
  }
}

TEST_F(Dispatch, Report) {
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V3), 0);
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, nullptr, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(report.detected, uint32_t(NORMC_ISA_X86_64_V3));
  EXPECT_EQ(report.limit, uint32_t(NORMC_ISA_ANY));
  EXPECT_EQ(report.limit_source, uint32_t(NORMC_LIMIT_NONE));
  EXPECT_EQ(report.chosen, &fake.variants[1]);
  EXPECT_EQ(report.variant_count, 3u);
  EXPECT_EQ(report.verdict[0], uint32_t(NORMC_VERDICT_CPU_LACKS));
  EXPECT_EQ(report.verdict[1], uint32_t(NORMC_VERDICT_CHOSEN));
  EXPECT_EQ(report.verdict[2], uint32_t(NORMC_VERDICT_NARROWER));
  EXPECT_EQ(report.verdict[3], 0u);
  EXPECT_STREQ(report.message,
               "fake__x86_64_v4: this machine lacks AVX512F, AVX512BW, AVX512CD, AVX512DQ, AVX512VL, zmm state saved by the OS; fake__x86_64_v3: chosen; "
               "fake__x86_64_v2: usable, but narrower");
}

TEST_F(Dispatch, ReportWithLimits) {
  normc_set_max_isa(NORMC_ISA_X86_64_V3);
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(report.limit, uint32_t(NORMC_ISA_X86_64_V3));
  EXPECT_EQ(report.limit_source, uint32_t(NORMC_LIMIT_PROCESS));
  EXPECT_STREQ(report.message,
               "fake__x86_64_v4: above the limit of x86-64-v3 by normc_set_max_isa; fake__x86_64_v3: chosen; fake__x86_64_v2: usable, but narrower");
  call.exec.max_isa = NORMC_ISA_X86_64_V2;
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(report.limit, uint32_t(NORMC_ISA_X86_64_V2));
  EXPECT_EQ(report.limit_source, uint32_t(NORMC_LIMIT_CALL));
  EXPECT_EQ(report.chosen, &fake.variants[2]);
  EXPECT_EQ(report.verdict[1], uint32_t(NORMC_VERDICT_ABOVE_LIMIT));
}

TEST_F(Dispatch, ReportWithoutUsableVariantIsFilled) {
  fake.kernel.variant_count = 1;
  machine.setFeatures(featuresUpTo(NORMC_ISA_X86_64_V2), 0);
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_EQ(report.chosen, nullptr);
  EXPECT_EQ(report.verdict[0], uint32_t(NORMC_VERDICT_CPU_LACKS));
  EXPECT_EQ(call.diag.code, uint32_t(NORMC_STATUS_UNSUPPORTED_CPU));
}

TEST_F(Dispatch, ReportRefusals) {
  EXPECT_EQ(normc_dispatch_info(nullptr, &call.exec, &report), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, nullptr), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(call.diag.message, "report is NULL, expected a normc_dispatch_report_t to fill");
  report.struct_size = 40;
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_ABI_MISMATCH);
  EXPECT_STREQ(call.diag.message, "report->struct_size is 40, expected 0 or 576: compile against the headers of the linked runtime");
  report.struct_size = sizeof report;
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_SUCCESS);
  fake.kernel.abi_version = 7;
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_ABI_MISMATCH);
  call.exec.max_isa = 6;
  EXPECT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_INVALID_ARGUMENT);
}

TEST_F(Dispatch, LongSymbolsDoNotOverflowTheMessages) {
  const std::string symbol(700, 's');
  for (normc_variant_t &variant : fake.variants)
    variant.symbol = symbol.c_str();
  ASSERT_EQ(normc_dispatch_info(&fake.kernel, &call.exec, &report), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(std::strlen(report.message), sizeof report.message - 1);
  machine.setFeatures(0, 0);
  EXPECT_EQ(call.run(fake), NORMC_STATUS_UNSUPPORTED_CPU);
  EXPECT_LT(std::strlen(call.diag.message), sizeof call.diag.message);
}

TEST(IsaNames, AllValues) {
  EXPECT_STREQ(normc_isa_name(NORMC_ISA_ANY), "any");
  EXPECT_STREQ(normc_isa_name(NORMC_ISA_X86_64_V2), "x86-64-v2");
  EXPECT_STREQ(normc_isa_name(NORMC_ISA_X86_64_V3), "x86-64-v3");
  EXPECT_STREQ(normc_isa_name(NORMC_ISA_X86_64_V4), "x86-64-v4");
  EXPECT_STREQ(normc_isa_name(normc_isa_t(1)), "unknown");
}

} // namespace
} // namespace normc::runtime::test
