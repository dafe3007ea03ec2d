// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel is called changes no bit: batches, threads, shared arrays, strides, alignment, what lies beside the arrays, streaming stores and the caller's
// floating-point state. Design sections 4.3, 4.4 and 6.
#include "compiler/library/library.h"
#include "test/bits/call.h"
#include "test/bits/hostile_rows.h"

#include <xmmintrin.h>

namespace normc::bits {
namespace {

/// A kernel with a width at which it is called and the rows that make the runtime split a call among eight threads.
struct Case {
  std::string name;
  KernelSpec spec;
  int64_t hidden;
  unsigned affine;
};

KernelSpec base(Op op, DType dtype, DType paramDtype, int64_t hidden, bool residual) {
  KernelSpec spec;
  spec.op = op;
  spec.dtype = spec.yDtype = dtype;
  spec.paramDtype = paramDtype;
  spec.hidden = hidden;
  spec.residual = spec.sum = residual;
  spec.weight = Presence::Required;
  spec.bias = op == Op::LayerNorm ? Presence::Required : Presence::Off;
  spec.mean = op == Op::LayerNorm;
  return spec;
}

/// Long conversions between the loads and stores of an element; statistics of the rounded sum.
KernelSpec mixed() {
  KernelSpec spec = base(Op::LayerNorm, DType::F16, DType::F32, 1536, true);
  spec.yDtype = DType::BF16;
  spec.residualRounding = ResidualRounding::Storage;
  return spec;
}

std::vector<Case> cases() {
  constexpr unsigned both = NORMC_AFFINE_WEIGHT | NORMC_AFFINE_BIAS;
  return {{"layer_f32_h1000", base(Op::LayerNorm, DType::F32, DType::F32, 1000, false), 1000, both},
          {"layer_f32_h1024", base(Op::LayerNorm, DType::F32, DType::F32, 1024, false), 1024, both},
          {"add_layer_bf16_h768", base(Op::LayerNorm, DType::BF16, DType::F32, 768, true), 768, both},
          {"add_rms_f16_h2080", base(Op::RMSNorm, DType::F16, DType::F16, 2080, true), 2080, NORMC_AFFINE_WEIGHT},
          {"add_layer_f16_to_bf16_h1536", mixed(), 1536, both},
          {"add_layer_f32_hdyn", base(Op::LayerNorm, DType::F32, DType::F32, 0, true), 704, both},
          {"rms_bf16_hdyn", base(Op::RMSNorm, DType::BF16, DType::BF16, 0, false), 2304, NORMC_AFFINE_WEIGHT}};
}

class CallsTest : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    product_ = std::make_unique<Product>(std::vector<KernelSpec>{GetParam().spec});
    problem_ = makeProblem(product_->specs()[0], GetParam().affine, 300, GetParam().hidden, 7);
  }

  CallResult check(const Call &call) {
    CallResult result = run(*product_, 0, problem_, call);
    EXPECT_EQ(result.failure, "") << describe(problem_, call);
    return result;
  }

  void batches(Target target);
  void threads(Target target);
  void sharing(Target target);
  void strides(Target target);
  void placement(Target target);
  void streaming(Target target);

  std::unique_ptr<Product> product_;
  Problem problem_;
};

void CallsTest::batches(Target target) {
  for (int64_t rows : {1, 2, 255, 256, 300})
    check({.target = target, .rows = rows});
  for (int64_t row = 0; row < 2 * hostileKinds(); ++row)
    check({.target = target, .firstRow = row, .rows = 1});
  check({.target = target, .firstRow = 3, .rows = 2, .mean = false});
  check({.target = target, .firstRow = 3, .rows = 256, .rstd = false});
  check({.target = target, .mean = false, .rstd = false});
}

void CallsTest::threads(Target target) {
  for (int threads : {1, 2, 3, 8}) {
    EXPECT_EQ(check({.target = target, .threads = threads}).tasks, threads == 1 ? 0 : threads) << "the runtime did not split the call";
    check({.target = target, .sharing = legalSharings(problem_.spec).back(), .gap = 5, .threads = threads});
    check({.target = target, .gap = 1, .innerRows = 7, .outerGap = 11, .misalignment = 1, .mean = false, .threads = threads});
  }
}

void CallsTest::sharing(Target target) {
  for (Sharing sharing : legalSharings(problem_.spec)) {
    check({.target = target, .sharing = sharing});
    check({.target = target, .rows = 34, .sharing = sharing, .gap = 5, .misalignment = 1});
    check({.target = target, .rows = 34, .sharing = sharing, .gap = 2, .innerRows = 4, .outerGap = 3});
  }
}

void CallsTest::strides(Target target) {
  for (int64_t gap : {1, 5, 64}) {
    check({.target = target, .rows = 51, .gap = gap});
    // Blocks that merge, whose outer stride is the default; blocks that do not; blocks of one row.
    check({.target = target, .rows = 51, .gap = gap, .innerRows = 17});
    check({.target = target, .rows = 50, .gap = gap, .innerRows = 17, .outerGap = 9});
    check({.target = target, .rows = 19, .gap = gap, .innerRows = 1, .outerGap = 2});
    check({.target = target, .rows = 48, .gap = gap, .innerRows = 16, .outerGap = 3, .interleaved = true});
  }
  check({.target = target, .rows = 50, .innerRows = 7});
  check({.target = target, .rows = 51, .innerRows = 17, .interleaved = true});
}

void CallsTest::placement(Target target) {
  for (int64_t misalignment : {1, 3})
    check({.target = target, .rows = 34, .misalignment = misalignment});
  for (Edge edge : {Edge::PageBefore, Edge::PageAfter})
    for (Sharing sharing : legalSharings(problem_.spec))
      for (int64_t rows : {1, 34})
        check({.target = target, .rows = rows, .sharing = sharing, .gap = rows == 1 ? 0 : 3, .edge = edge});
}

/// The runtime streams calls past the caches only; what it would call is called here.
void CallsTest::streaming(Target target) {
  const normc_variant_t &variant = product_->variant(0, target);
  const int64_t alignment = variant.stream_alignment, element = dtypeBytes(problem_.spec.dtype);
  if (alignment == 0) {
    EXPECT_NE(GetParam().hidden * element % 64, 0) << "no streaming body for rows of whole cache lines";
    return;
  }
  ASSERT_EQ(GetParam().hidden * element % alignment, 0);
  for (int64_t rows : {1, 34, 300})
    for (int64_t gap : {int64_t{0}, alignment / element})
      check({.target = target, .rows = rows, .gap = gap, .mean = rows != 34, .streaming = true});
  check({.target = target, .rows = 34, .edge = Edge::PageBefore, .streaming = true});
}

TEST_P(CallsTest, NoWayToCallItChangesABit_4_3) {
  for (Target target : runnableTargets()) {
    batches(target);
    threads(target);
    sharing(target);
    strides(target);
    placement(target);
    streaming(target);
  }
}

TEST_P(CallsTest, TheCallersFloatingPointStateChangesNoBitAndComesBack_4_4) {
  const unsigned before = _mm_getcsr();
  for (Target target : runnableTargets())
    // Flush to zero, denormals are zero; rounding up, down, to zero; all of it.
    for (unsigned state : {0x9fc0u, 0x5f80u, 0x3f80u, 0x7f80u, 0xffc0u})
      for (int threads : {0, 3}) {
        Call call{.target = target, .threads = threads};
        _mm_setcsr(state);
        CallResult result = run(*product_, 0, problem_, call);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        EXPECT_EQ(result.failure, "") << describe(problem_, call) << ", MXCSR " << state;
        EXPECT_EQ(after & ~0x3fu, state) << describe(problem_, call);
      }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CallsTest, testing::ValuesIn(cases()), [](const auto &info) { return info.param.name; });

} // namespace
} // namespace normc::bits
