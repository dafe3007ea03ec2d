// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arrays of a call at once begin at the begin of a page, or end at the end of one, beside a page that faults; the rest of their pages holds bytes that must
// stay. Sanitizers do not see emitted code, these pages do. Design sections 4.5 and 6.
#include "compiler/library/library.h"
#include "test/bits/call.h"

#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace normc::bits {
namespace {

/// A form of kernel. Together they have every role, element type and pair of types of x and y, and of x and weight.
struct Form {
  std::string name;
  KernelSpec spec;
};

std::vector<Form> forms() {
  KernelSpec plain; // layer norm of float32 with optional weight and bias, mean and rstd
  KernelSpec half = plain;
  half.dtype = half.yDtype = half.paramDtype = DType::F16;
  half.weight = half.bias = Presence::Required;
  KernelSpec residual = plain;
  residual.dtype = residual.yDtype = DType::BF16;
  residual.residual = residual.sum = true;
  residual.weight = residual.bias = Presence::Required;
  KernelSpec rms = plain;
  rms.op = Op::RMSNorm;
  rms.bias = Presence::Off;
  rms.mean = false;
  rms.weight = Presence::Required;
  rms.residual = rms.sum = true;
  KernelSpec narrow = rms; // two widths of element in one row
  narrow.yDtype = DType::BF16;
  narrow.residual = narrow.sum = false;
  KernelSpec wide = plain;
  wide.dtype = wide.paramDtype = DType::BF16;
  wide.yDtype = DType::F32;
  wide.weight = wide.bias = Presence::Required;
  return {{"layer_f32", plain}, {"layer_f16", half},         {"add_layer_bf16", residual},
          {"add_rms_f32", rms}, {"rms_f32_to_bf16", narrow}, {"layer_bf16_to_f32", wide}};
}

/// Widths that take each path through the static bodies: less than a vector, vectors with a rest, whole lanes, one segment and several, with and without a
/// rest.
const std::vector<int64_t> kStaticWidths = {1, 5, 16, 31, 64, 100, 512, 768, 1000, 1023, 4099};

/// Says which call it was, where one faults.
class FaultReport {
public:
  FaultReport() {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text_, std::strlen(text_));
      _exit(1);
    };
    sigaction(SIGSEGV, &action, &before_);
  }
  FaultReport(const FaultReport &) = delete;
  FaultReport &operator=(const FaultReport &) = delete;
  ~FaultReport() { sigaction(SIGSEGV, &before_, nullptr); }

  void next(const Problem &problem, const Call &call) {
    std::snprintf(text_, sizeof text_, "a byte beside an array was touched:\n%s\n", describe(problem, call).c_str());
  }

private:
  static char text_[2048];
  struct sigaction before_ = {};
};
char FaultReport::text_[2048];

bool mayStream(const normc_variant_t &variant, const Problem &problem) {
  const int64_t alignment = variant.stream_alignment;
  return alignment != 0 && problem.hidden * dtypeBytes(problem.spec.yDtype) % alignment == 0 &&
         (!problem.spec.sum || problem.hidden * dtypeBytes(problem.spec.dtype) % alignment == 0);
}

/// The problem on every target at both edges, alone and among rows, with and without gaps, in place where that is allowed. The streaming bodies that ran.
int checkEdges(const Product &product, size_t index, const Problem &problem) {
  int streamed = 0;
  FaultReport report;
  auto check = [&](const Call &call) {
    report.next(problem, call);
    EXPECT_TRUE(givesReferenceBits(product, index, problem, call));
  };
  const std::vector<Sharing> sharings = legalSharings(problem.spec);
  for (Target target : runnableTargets())
    for (Edge edge : {Edge::PageBefore, Edge::PageAfter}) {
      const Call base{.target = target, .edge = edge};
      for (int64_t rows : {int64_t{1}, int64_t{2}, problem.rows}) {
        Call call = base;
        call.rows = rows;
        check(call);
        call.gap = 3;
        call.sharing = sharings[static_cast<size_t>(rows) % sharings.size()];
        check(call);
        call.mean = call.rstd = false; // the body then stores them elsewhere
        check(call);
        if (!mayStream(product.variant(index, target), problem))
          continue;
        call = base;
        call.rows = rows;
        call.streaming = true;
        check(call);
        ++streamed;
      }
    }
  return streamed;
}

TEST(EdgesDeathTest, PagesBesideArraysFault) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    RowLayout layout = RowLayout::contiguous(3, 5);
    layout.edge = Edge::PageBefore;
    RowBuffer first(dtype, layout);
    EXPECT_DEATH(static_cast<void>(static_cast<volatile char *>(first.data())[-1]), "");
    layout.edge = Edge::PageAfter;
    RowBuffer last(dtype, layout);
    EXPECT_DEATH(static_cast<void>(static_cast<volatile char *>(last.data())[15 * dtypeBytes(dtype)]), "");
  }
}

class EdgesTest : public testing::TestWithParam<Form> {};

TEST_P(EdgesTest, StaticKernelsTouchNothingBesideTheirArrays_6) {
  std::vector<KernelSpec> specs;
  for (int64_t hidden : kStaticWidths) {
    specs.push_back(GetParam().spec);
    specs.back().hidden = hidden;
  }
  Product product(specs);
  int streamed = 0;
  for (size_t i = 0; i < kStaticWidths.size(); ++i)
    for (unsigned affine : affineCombinations(GetParam().spec)) {
      streamed += checkEdges(product, i, makeProblem(product.specs()[i], affine, 7, kStaticWidths[i], static_cast<uint32_t>(i)));
      if (HasFailure())
        return;
    }
  EXPECT_GT(streamed, 0) << "no kernel had a streaming body";
}

TEST_P(EdgesTest, DynamicKernelsTouchNothingBesideTheirArrays_6) {
  Product product({GetParam().spec});
  std::vector<int64_t> widths = {511, 512, 513, 767, 768, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 33333};
  for (int64_t hidden = 1; hidden <= 130; ++hidden)
    widths.push_back(hidden);
  const unsigned affine = affineCombinations(GetParam().spec).back();
  int streamed = 0;
  for (int64_t hidden : widths) {
    streamed += checkEdges(product, 0, makeProblem(product.specs()[0], affine, 3, hidden, static_cast<uint32_t>(hidden)));
    if (HasFailure())
      return;
  }
  EXPECT_GT(streamed, 0) << "no kernel had a streaming body";
}

INSTANTIATE_TEST_SUITE_P(Forms, EdgesTest, testing::ValuesIn(forms()), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace normc::bits
