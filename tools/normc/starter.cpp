// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/starter.h"

#include <normc/abi.h>

#include <algorithm>

namespace normc {
namespace {

/// Columns of a call of a kernel for any width.
constexpr int64_t kDynamicHidden = 768;

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[from, to] : values)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

std::string cmakeText(const Starter &starter) {
  std::string keywords;
  for (const auto &[keyword, value] : starter.keywords)
    keywords += "\n  " + keyword + (value.empty() ? "" : " " + value);
  return replaced(
      R"(cmake_minimum_required(VERSION 3.25)
project(norm_starter C)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Configure with -DCMAKE_PREFIX_PATH=<folder that normc is installed in>.
find_package(normc @VERSION@ REQUIRED)

# Runs `normc build` during the build. Keywords are the flags of `normc build --help`; lists have blanks between their elements.
normc_add_library(kernels
  NAME @NAME@
  OP @OP@@KEYWORDS@)

add_executable(app main.c)
target_link_libraries(app PRIVATE kernels)
)",
      {{"@VERSION@", std::string(NORMC_VERSION)}, {"@NAME@", starter.spec.name}, {"@OP@", std::string(opName(starter.spec.op))}, {"@KEYWORDS@", keywords}});
}

std::string typeText(DType type) { return type == DType::F32 ? "float" : type == DType::F16 ? "normc_f16_t" : "normc_bf16_t"; }

/// A small whole number as C spells it in that type: the 16-bit types are bit patterns.
std::string literal(DType type, int value) {
  const bool negative = value < 0;
  if (type == DType::F32)
    return std::to_string(value) + ".0f";
  if (value == 0)
    return "0";
  // 1 and 2 alone come up.
  const bool two = value == 2 || value == -2;
  if (type == DType::F16)
    return two ? (negative ? "0xc000" : "0x4000") : (negative ? "0xbc00" : "0x3c00");
  return two ? (negative ? "0xc000" : "0x4000") : (negative ? "0xbf80" : "0x3f80");
}

std::string sourceText(const KernelSpec &spec) {
  const std::string rowArray = "[ROWS][HIDDEN]", perColumn = "[HIDDEN]", perRow = "[ROWS]";
  const bool weight = spec.weight != Presence::Off, bias = spec.bias != Presence::Off;
  std::string arrays, fills, fields;
  auto array = [&](const char *role, DType type, const std::string &extents) {
    arrays += "  static " + typeText(type) + " " + role + extents + ";\n";
    fields += std::string("  args.") + role + " = " + role + (extents == rowArray ? "[0]" : "") + ";\n";
  };
  array("x", spec.dtype, rowArray);
  if (spec.residual)
    array("residual", spec.dtype, rowArray);
  if (weight)
    array("weight", spec.paramDtype, perColumn);
  if (bias)
    array("bias", spec.paramDtype, perColumn);
  array("y", spec.yDtype, rowArray);
  if (spec.sum)
    array("sum", spec.dtype, rowArray);
  if (spec.mean)
    array("mean", DType::F32, perRow);
  if (spec.rstd)
    array("rstd", DType::F32, perRow);
  if (weight)
    fills += "    weight[c] = " + literal(spec.paramDtype, spec.weightOffset == 1 ? 0 : 1) + ";\n";
  if (bias)
    fills += "    bias[c] = " + literal(spec.paramDtype, 0) + ";\n";
  // Bit patterns are what a program without a library for these types can print.
  const std::string print = spec.yDtype == DType::F32 ? R"(printf("row %d: %g %g ...\n", r, (double)y[r][0], (double)y[r][HIDDEN > 1]);)"
                                                      : R"(printf("row %d: bits 0x%04x 0x%04x ...\n", r, y[r][0], y[r][HIDDEN > 1]);)";
  std::string upper = spec.name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return replaced(R"(#include "@NAME@.h"

#include <stdio.h>

enum { ROWS = 2, HIDDEN = @HIDDEN@ };

int main(void) {
@ARRAYS@  for (int c = 0; c < HIDDEN; ++c) {
    /* Row 0 goes up and down, row 1 is constant. */
    x[0][c] = c % 2 ? @UP@ : @DOWN@;
    x[1][c] = @UP@;
@FILLS@  }

  /* eps and the size of the struct are set; what is left zero means absent, or rows that follow each other. */
  @NAME@_args args = @UPPER@_ARGS_INIT;
  args.rows = ROWS;
  args.hidden = HIDDEN;
@FIELDS@
  /* NULL: on this thread, with the widest instruction set that the library has and the processor runs. */
  normc_status_t status = @NAME@(&args, NULL);
  if (status != NORMC_STATUS_SUCCESS) {
    fprintf(stderr, "%s: %s\n", normc_status_name(status), normc_status_description(status));
    return 1;
  }
  for (int r = 0; r < ROWS; ++r)
    @PRINT@
  return 0;
}
)",
                  {{"@NAME@", spec.name},
                   {"@UPPER@", upper},
                   {"@HIDDEN@", std::to_string(spec.dynamic() ? kDynamicHidden : spec.hidden)},
                   {"@ARRAYS@", arrays},
                   {"@FILLS@", fills},
                   {"@FIELDS@", fields},
                   {"@UP@", literal(spec.dtype, 2)},
                   {"@DOWN@", literal(spec.dtype, -2)},
                   {"@PRINT@", print}});
}

std::string readmeText(const KernelSpec &spec) {
  return replaced(R"(# A program with a normc kernel

    cmake -S . -B build -DCMAKE_PREFIX_PATH=<folder that normc is installed in>
    cmake --build build
    build/app

| file | what it is |
| --- | --- |
| `CMakeLists.txt` | compiles the kernel `@NAME@` with normc, and the program |
| `main.c` | two rows, one call |
| `build/kernels.normc/@NAME@.h` | the kernel's header, made during the build: every argument is explained there |

`normc inspect build/kernels.normc/lib@NAME@.a` says what the library holds; `normc build --help` lists what else a kernel can do.
)",
                  {{"@NAME@", spec.name}});
}

} // namespace

std::vector<OutputFile> starterFiles(const Starter &starter) {
  return {{"CMakeLists.txt", cmakeText(starter)}, {"main.c", sourceText(starter.spec)}, {"README.md", readmeText(starter.spec)}};
}

} // namespace normc
