// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From C through an emitted entry, the runtime and a descriptor to the body: the right one runs.
#include "test/unit/library/CompilerDriver.h"
#include "test/unit/library/SampleLibrary.h"
#include "test/unit/require_target.h"

#include <gtest/gtest.h>

namespace normc {
namespace {

TEST(Call, Section6RunsTheBodyForIsaAndParameters) {
  CompilerDriver driver;
  writeLibrary(sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V3, Target::X86_64_V2}), driver.folder());
  NORMC_REQUIRE_TARGET("x86-64-v3");
  std::string program = R"(
#include "one.h"
#include <normc/dispatch.h>
#include <stdio.h>
int main(void) {
  static float x[128], weight[64], bias[64], y[128];
  const normc_isa_t limits[] = {NORMC_ISA_X86_64_V2, NORMC_ISA_X86_64_V3};
  for (int level = 0; level < 2; ++level) {
    normc_exec_t exec = NORMC_EXEC_INIT;
    exec.max_isa = limits[level];
    for (int affine = 0; affine < 4; ++affine) {
      one_args args = ONE_ARGS_INIT;
      args.rows = 2;
      args.x = x;
      args.weight = affine & 1 ? weight : NULL;
      args.bias = affine & 2 ? bias : NULL;
      args.y = y;
      normc_status_t status = one(&args, &exec);
      printf("%d:%g,%g ", (int)status, y[0], y[127]);
    }
  }
  printf("%s %s %d %d ", one_kernel.name, one_kernel.variants[0].symbol, (int)one_kernel.variant_count, (int)one_kernel.variants[0].stream_alignment);
  printf("%d %d\n", (int)one_workspace(7, 64), (int)one_simple(0, NULL, NULL, NULL, NULL));
  return 0;
}
)";
  std::string expected;
  for (Target target : {Target::X86_64_V2, Target::X86_64_V3}) {
    for (unsigned affine = 0; affine < 4; ++affine) {
      std::string mark = std::to_string(sampleMark(1, target, affine));
      expected += "0:" + mark + "," + mark + " ";
    }
  }
  EXPECT_EQ(driver.run(program, {"libone.a"}), expected + "one one__x86_64_v3 2 64 0 0\n");
}

TEST(Call, Section6OneEntryPicksTheWidth) {
  CompilerDriver driver;
  writeLibrary(sampleLibrary("norms", {sampleSpec("any", 0), sampleSpec("wide", 128), sampleSpec("small", 64)}, {Target::X86_64_V2}), driver.folder());
  std::string program = R"(
#include "norms.h"
#include <stdio.h>
int main(void) {
  static float x[256], y[256];
  const int widths[] = {64, 96, 128};
  for (int i = 0; i < 3; ++i) {
    normc_status_t status = norms_simple(2, widths[i], x, NULL, NULL, y);
    printf("%d:%g ", (int)status, y[2 * widths[i] - 1]);
  }
  printf("%s\n", normc_kernel_set_find(&norms_kernel_set, 96)->name);
  return 0;
}
)";
  auto mark = [](int kernel) { return std::to_string(sampleMark(kernel, Target::X86_64_V2, 0)); };
  EXPECT_EQ(driver.run(program, {"libnorms.a"}), "0:" + mark(3) + " 0:" + mark(1) + " 0:" + mark(2) + " any\n");
}

TEST(Call, Section6SeveralLibrariesLinkIntoOneProgram) {
  CompilerDriver driver;
  writeLibrary(sampleLibrary("first", {sampleSpec("first", 64)}, {Target::X86_64_V2}), driver.folder());
  writeLibrary(sampleLibrary("second", {sampleSpec("filler", 32), sampleSpec("second", 64, DType::BF16)}, {Target::X86_64_V2}), driver.folder());
  std::string program = R"(
#include "first.h"
#include "second.h"
#include <stdio.h>
int main(void) {
  static float x[64], y[64];
  static normc_bf16_t half[64], out[64];
  printf("%d", (int)first_simple(1, x, NULL, NULL, y));
  printf("%d", (int)second_simple(1, half, NULL, NULL, out));
  printf(" %g %d\n", y[63], (int)out[63]);
  return 0;
}
)";
  EXPECT_EQ(driver.run(program, {"libfirst.a", "libsecond.a"}),
            "00 " + std::to_string(sampleMark(1, Target::X86_64_V2, 0)) + " " + bitsOf(sampleMark(2, Target::X86_64_V2, 0), DType::BF16) + "\n");
}

TEST(Call, WhatTheKernelLacksIsRefused) {
  KernelSpec spec = sampleSpec("one", 64);
  spec.weight = Presence::Required;
  spec.bias = Presence::Off;
  spec.mean = false;
  CompilerDriver driver;
  writeLibrary(sampleLibrary("one", {spec}, {Target::X86_64_V2}), driver.folder());
  std::string program = R"(
#include "one.h"
#include <stdio.h>
int main(void) {
  static float x[64], weight[64], y[64];
  one_args args = ONE_ARGS_INIT;
  args.rows = 1;
  args.x = x;
  args.y = y;
  printf("%s ", normc_status_name(one(&args, NULL)));
  args.weight = weight;
  args.unused_bias = weight;
  printf("%s ", normc_status_name(one(&args, NULL)));
  args.unused_bias = NULL;
  printf("%s\n", normc_status_name(one(&args, NULL)));
  return 0;
}
)";
  EXPECT_EQ(driver.run(program, {"libone.a"}), "NORMC_STATUS_MISSING_ARGUMENT NORMC_STATUS_UNSUPPORTED_ARGUMENT NORMC_STATUS_SUCCESS\n");
}

} // namespace
} // namespace normc
