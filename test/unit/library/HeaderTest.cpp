// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/files.h"
#include "test/unit/library/CompilerDriver.h"
#include "test/unit/library/SampleLibrary.h"

#include <gtest/gtest.h>

namespace normc {
namespace {

/// Kernels that between them have every kind of field.
std::vector<KernelSpec> variedSpecs() {
  KernelSpec plain = sampleSpec("plain", 64);
  KernelSpec dynamic = sampleSpec("dynamic", 0);
  KernelSpec residual = sampleSpec("residual", 64, DType::BF16);
  residual.residual = residual.sum = true;
  residual.paramDtype = DType::F32;
  residual.weight = Presence::Required;
  KernelSpec rms = sampleSpec("rms", 64, DType::F16);
  rms.op = Op::RMSNorm;
  rms.bias = Presence::Off;
  rms.mean = rms.rstd = false;
  rms.weightOffset = 1;
  rms.yDtype = DType::F32;
  return {plain, dynamic, residual, rms};
}

Library varied() { return sampleLibrary("varied", variedSpecs(), {Target::X86_64_V2}); }

TEST(Header, CompilesWithoutWarningInEveryLanguage) {
  CompilerDriver driver;
  writeFiles(driver.folder(),
             {{"varied.h", libraryHeader(varied())}, {"other.h", libraryHeader(sampleLibrary("other", {sampleSpec("other", 64)}, {Target::X86_64_V2}))}});
  struct {
    const char *language, *standard;
  } modes[] = {{"c", "-std=c99"}, {"c", "-std=c11"}, {"c++", "-std=c++11"}, {"c++", "-std=c++17"}, {"c++", "-std=c++20"}};
  for (auto [language, standard] : modes) {
    std::string source = "#include \"varied.h\"\n#include \"other.h\"\n#include \"varied.h\"\n"
                         "plain_args first = PLAIN_ARGS_INIT;\ndynamic_args second = DYNAMIC_ARGS_INIT;\nresidual_args third = RESIDUAL_ARGS_INIT;\n"
                         "rms_args fourth = RMS_ARGS_INIT;\nvaried_args fifth = VARIED_ARGS_INIT;\n";
    EXPECT_EQ(driver.compile(source, language, {standard, "-Wall", "-Wextra", "-pedantic", "-Werror"}), "") << standard;
  }
}

/// Names that the header uses itself.
TEST(Header, KernelsMayBeNamedLikeTheirArguments) {
  CompilerDriver driver;
  for (const char *name : {"x", "y", "rows", "hidden", "args", "weight", "exec"}) {
    writeFiles(driver.folder(), {{"named.h", libraryHeader(sampleLibrary(name, {sampleSpec(name, 0)}, {Target::X86_64_V2}))}});
    EXPECT_EQ(driver.compile("#include \"named.h\"\n", "c", {"-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"}), "") << name;
  }
}

TEST(Header, Section6IncludesOnlyNormc) {
  std::string header = libraryHeader(varied());
  EXPECT_EQ(count(header, "#include"), count(header, "#include <normc/"));
  EXPECT_GT(count(header, "#include"), 0u);
}

TEST(Header, Section6RolesThatAKernelLacksAreUnused) {
  std::string header = libraryHeader(sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2}));
  for (const char *line :
       {"  const float *x; /* [rows, hidden] */\n  int64_t x_stride;", "  const void *unused_residual;", "  int64_t unused_residual_outer_stride;",
        "  const float *weight; /* [hidden] or NULL */", "  float *y; /* [rows, hidden] */", "  void *unused_sum;", "  float *mean; /* [rows] or NULL */",
        "static inline normc_status_t one_simple(int64_t rows, const float *x, const float *weight, const float *bias, float *y) {",
        "extern const normc_kernel_t one_kernel;", "y may be x, as the very same array", "hidden is 64", "1e-05f"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
}

TEST(Header, TellsWhatEachKernelComputes) {
  std::string header = libraryHeader(varied());
  for (const char *line :
       {"v[r][c]   = x[r][c] + residual[r][c], a float32", "sum[r][c] = v[r][c]", "y[r][c]   = x[r][c] * rstd[r] * (1 + weight[c])\n",
        "const normc_bf16_t *residual; /* [rows, hidden] */", "normc_bf16_t *sum; /* [rows, hidden] */", "const normc_f16_t *x;",
        "const float *weight; /* [hidden] */", "y may be x, y may be residual, sum may be x, sum may be residual",
        "no output may share memory with another array", "rms_simple(int64_t rows, const normc_f16_t *x, const normc_f16_t *weight, float *y)",
        "dynamic_simple(int64_t rows, int64_t hidden, const float *x", "widths with code of their own: 64",
        "extern const normc_kernel_set_t varied_kernel_set;", "normc build layer_norm --hidden 64"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
}

/// The offsets are checked by the header itself: a struct with another layout does not compile.
TEST(Header, Section6AssertsItsLayout) {
  CompilerDriver driver;
  std::string header = libraryHeader(sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2}));
  std::string broken = replaceAll(header, "  const float *weight; /* [hidden] or NULL */\n  const float *bias; /* [hidden] or NULL */\n",
                                  "  const float *bias; /* [hidden] or NULL */\n  const float *weight; /* [hidden] or NULL */\n");
  ASSERT_NE(header, broken);
  for (const char *standard : {"-std=c99", "-std=c11"}) {
    writeFiles(driver.folder(), {{"one.h", header}});
    EXPECT_EQ(driver.compile("#include \"one.h\"\n", "c", {standard}), "");
    writeFiles(driver.folder(), {{"one.h", broken}});
    EXPECT_NE(driver.compile("#include \"one.h\"\n", "c", {standard}).find("one_weight"), std::string::npos) << standard;
  }
}

TEST(Header, Section6RefusesAnotherAbi) {
  CompilerDriver driver;
  writeFiles(driver.folder(), {{"one.h", libraryHeader(sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2}))}});
  std::string complaint = driver.compile("#include <normc/abi.h>\n#undef NORMC_ABI_VERSION\n#define NORMC_ABI_VERSION 999\n#include \"one.h\"\n", "c", {});
  EXPECT_NE(complaint.find("emit it again"), std::string::npos) << complaint;
}

TEST(Header, NamesNoFolderOfThisMachine) {
  Library library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  library.command = {"build", "layer_norm", "-o", "/home/user/my out/", "--cache-dir=/var/cache/x", "--name", "it's"};
  std::string header = libraryHeader(library);
  EXPECT_NE(header.find("normc build layer_norm -o 'my out' --cache-dir=x --name 'it'\\''s'\n"), std::string::npos) << header;
  EXPECT_EQ(header.find("/home"), std::string::npos);
}

TEST(Header, AFileNameDoesNotEndItsComment) {
  CompilerDriver driver;
  Library library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  library.command = {"build", "x*/evil.json", "a/*b", "-o", "out"};
  writeFiles(driver.folder(), {{"one.h", libraryHeader(library)}});
  EXPECT_EQ(driver.compile("#include \"one.h\"\n", "c", {"-Wall", "-Werror"}), "");
}

} // namespace
} // namespace normc
