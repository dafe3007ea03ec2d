// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DLPack tensors: every row at its place, and every refusal with its message.

#include "test/unit/runtime/FakeKernel.h"

#include <normc/dlpack.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace normc::runtime::test {
namespace {

constexpr DLDataType f32 = {kDLFloat, 32, 1}, f16 = {kDLFloat, 16, 1}, bf16 = {kDLBfloat, 16, 1};

int64_t productOf(const std::vector<int64_t> &sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>()); }

/// A tensor with its shape and strides.
struct Tensor {
  Tensor(void *data, std::vector<int64_t> sizes, DLDataType dtype = f32) : shape(std::move(sizes)) {
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.dtype = dtype;
    update();
  }
  void setStrides(std::vector<int64_t> values) {
    strides = std::move(values);
    update();
  }
  void update() {
    tensor.ndim = int32_t(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  /// Where the element at `index` lies.
  const char *at(const std::vector<int64_t> &index) const {
    int64_t offset = 0, compact = 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += index[dim] * (strides.empty() ? compact : strides[dim]);
      compact *= shape[dim];
    }
    return static_cast<const char *>(tensor.data) + tensor.byte_offset + offset * (tensor.dtype.bits / 8);
  }

  std::vector<int64_t> shape, strides;
  DLTensor tensor = {};
};

class Dlpack : public testing::Test {
protected:
  Dlpack() {
    args.x = &x.tensor;
    args.y = &y.tensor;
    exec.diag = &diag;
  }

  normc_status_t run() {
    bodyCalls.clear();
    x.update(), y.update(), residual.update(), sum.update(), weight.update(), bias.update(), mean.update(), rstd.update();
    return normc_run_dlpack(&fake.kernel, &args, &exec);
  }
  void expectFailure(normc_status_t status, uint32_t role, const char *message) {
    EXPECT_EQ(run(), status) << diag.message;
    EXPECT_TRUE(bodyCalls.empty());
    EXPECT_EQ(diag.code, uint32_t(status));
    EXPECT_EQ(diag.role, role);
    EXPECT_STREQ(diag.message, message);
  }

  /// Runs the call and checks that the bodies got every row of x, y and, where given, residual and sum, once and in order, with mean and rstd beside them.
  void expectRows(size_t normalizedDims = 1) {
    ASSERT_EQ(run(), NORMC_STATUS_SUCCESS) << diag.message;
    const size_t outerDims = x.shape.size() - normalizedDims;
    std::vector<int64_t> index(x.shape.size());
    int64_t row = 0;
    for (const BodyCall &call : bodyCalls)
      for (int64_t i = 0; i < call.slice.rows; ++i, ++row) {
        int64_t rest = row;
        for (size_t dim = outerDims; dim-- > 0; rest /= x.shape[dim])
          index[dim] = rest % x.shape[dim];
        auto expectAt = [&](const DLTensor *given, const Tensor &tensor, const void *pointer, int64_t stride) {
          if (given == nullptr)
            ASSERT_EQ(pointer, nullptr);
          else
            ASSERT_EQ(static_cast<const char *>(pointer) + i * stride * (tensor.tensor.dtype.bits / 8), tensor.at(index)) << "row " << row;
        };
        expectAt(args.x, x, call.slice.x, call.slice.x_stride);
        expectAt(args.y, y, call.slice.y, call.slice.y_stride);
        expectAt(args.residual, residual, call.slice.residual, call.slice.residual_stride);
        expectAt(args.sum, sum, call.slice.sum, call.slice.sum_stride);
        if (args.mean != nullptr) {
          ASSERT_EQ(call.slice.mean + i, static_cast<float *>(mean.tensor.data) + row);
        }
        if (args.rstd != nullptr) {
          ASSERT_EQ(call.slice.rstd + i, static_cast<float *>(rstd.tensor.data) + row);
        }
        ASSERT_EQ(call.slice.hidden, productOf({x.shape.begin() + std::ptrdiff_t(outerDims), x.shape.end()}));
      }
    ASSERT_EQ(row, productOf({x.shape.begin(), x.shape.begin() + std::ptrdiff_t(outerDims)}));
  }

  Machine machine{NORMC_ISA_X86_64_V4};
  FakeKernel fake;
  Tensor x{fakeAddress(1), {2, 3, 64}}, residual{fakeAddress(2), {2, 3, 64}}, weight{fakeAddress(3), {64}}, bias{fakeAddress(4), {64}};
  Tensor y{fakeAddress(5), {2, 3, 64}}, sum{fakeAddress(6), {2, 3, 64}}, mean{fakeAddress(7), {2, 3}}, rstd{fakeAddress(8), {2, 3, 1}};
  normc_dlpack_args_t args = NORMC_DLPACK_ARGS_INIT;
  normc_exec_t exec = NORMC_EXEC_INIT;
  normc_diag_t diag = {};
};

TEST_F(Dlpack, CompactTensors) {
  args.residual = &residual.tensor;
  args.weight = &weight.tensor;
  args.bias = &bias.tensor;
  args.sum = &sum.tensor;
  args.mean = &mean.tensor;
  args.rstd = &rstd.tensor;
  expectRows();
  ASSERT_EQ(bodyCalls.size(), 1u);
  EXPECT_EQ(bodyCalls[0].slice.weight, weight.tensor.data);
  EXPECT_EQ(bodyCalls[0].slice.bias, bias.tensor.data);
  EXPECT_EQ(bodyCalls[0].slice.eps, 1e-5f);
  x.setStrides({192, 64, 1});
  y.setStrides({192, 64, 1});
  mean.setStrides({3, 1});
  rstd.setStrides({3, 1, 77}); // of a dim of size 1: says nothing
  weight.setStrides({1});
  args.eps = 0.25f;
  expectRows();
  ASSERT_EQ(bodyCalls.size(), 1u);
  EXPECT_EQ(bodyCalls[0].slice.eps, 0.25f);
}

TEST_F(Dlpack, NullExec) {
  bodyCalls.clear();
  EXPECT_EQ(normc_run_dlpack(&fake.kernel, &args, nullptr), NORMC_STATUS_SUCCESS);
  EXPECT_EQ(bodyCalls.size(), 1u);
  EXPECT_EQ(normc_run_dlpack(&fake.kernel, nullptr, nullptr), NORMC_STATUS_MISSING_ARGUMENT);
}

TEST_F(Dlpack, ByteOffset) {
  x.tensor.byte_offset = 4096;
  y.tensor.byte_offset = 4;
  expectRows();
  EXPECT_EQ(bodyCalls[0].slice.x, fakeAddress(1, 4096));
  x.tensor.data = nullptr; // an offset does not make an array of NULL
  expectFailure(NORMC_STATUS_MISSING_ARGUMENT, NORMC_ROLE_X, "fake: x is NULL, but the kernel needs it: pass the array");
}

TEST_F(Dlpack, OneDimIsOneRow) {
  x.shape = y.shape = {64};
  mean.shape = {1};
  args.mean = &mean.tensor;
  expectRows();
  mean.shape = {};
  expectRows();
}

TEST_F(Dlpack, TypesOfTheKernel) {
  fake.kernel.x_dtype = NORMC_DTYPE_BF16;
  fake.kernel.y_dtype = NORMC_DTYPE_F16;
  x.tensor.dtype = bf16;
  y.tensor.dtype = f16;
  args.weight = &weight.tensor;
  expectRows();
}

TEST_F(Dlpack, DimsOfSizeOneNeverCount) {
  x.shape = y.shape = {1, 2, 1, 3, 64, 1};
  args.normalized_dims = 2;
  x.setStrides({5, 200, -7, 64, 1, 0});
  expectRows(2);
  EXPECT_EQ(bodyCalls.size(), 2u);
}

TEST_F(Dlpack, NormalizedDims) {
  x.shape = y.shape = {2, 3, 4, 16};
  weight.shape = {4, 16};
  bias.shape = {1, 64};
  mean.shape = {6};
  args.weight = &weight.tensor;
  args.bias = &bias.tensor;
  args.mean = &mean.tensor;
  args.normalized_dims = 2;
  expectRows(2);
  args.normalized_dims = 4;
  weight.shape = {384};
  bias.shape = {2, 3, 4, 16};
  mean.shape = {1};
  expectRows(4);
}

TEST_F(Dlpack, HeadsOfPackedQkv) {
  // q of [tokens 5, (q, k, v), heads 2, 64], of which x and y are q and k.
  x.shape = y.shape = {5, 2, 64};
  x.setStrides({384, 64, 1});
  y.setStrides({384, 64, 1});
  y.tensor.data = fakeAddress(1, 128 * 4);
  expectRows();
  EXPECT_EQ(bodyCalls.size(), 5u);
}

TEST_F(Dlpack, SwappedDims) {
  x.shape = y.shape = {3, 4, 64}; // a view of (4, 3, 64)
  x.setStrides({64, 192, 1});
  expectRows();
}

TEST_F(Dlpack, FourDimsThatMergeIntoTwo) {
  x.shape = y.shape = {2, 3, 4, 5, 64};
  x.setStrides({3 * 2000, 2000, 5 * 70, 70, 1});
  expectRows();
  EXPECT_EQ(bodyCalls.size(), 6u);
}

TEST_F(Dlpack, ThreeDimsThatDoNotMerge) {
  x.shape = y.shape = {2, 3, 4, 64};
  x.setStrides({2000, 400, 70, 1});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X,
                "fake: dim 0 of x and the tensors of its shape, [2, 3, 4, 64], does not merge with those inside it, expected at most two strides for all rows: "
                "make the tensors contiguous");
  x.setStrides({3 * 280, 280, 70, 1}); // x alone merges into one, y into one, both together into one
  expectRows();
  y.setStrides({3 * 300, 300, 64, 1}); // together into two
  expectRows();
  y.setStrides({1000, 300, 64, 1}); // together into three
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_STRIDE);
}

/// Shapes and strides as views of random tensors have them.
TEST_F(Dlpack, RandomViews) {
  std::mt19937 random(20240801);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int ran = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<int64_t> shape;
    for (int dim = pick(0, 4); dim > 0; --dim)
      shape.push_back(pick(1, 3));
    shape.push_back(pick(1, 5));
    for (Tensor *tensor : {&x, &y}) {
      tensor->shape = shape;
      tensor->strides.clear();
      if (pick(0, 2) == 0)
        continue;
      int64_t stride = 1;
      for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim] + (pick(0, 5) == 0 ? 1 : 0))
        tensor->strides.insert(tensor->strides.begin(), stride);
      if (shape.size() > 2 && pick(0, 3) == 0) { // a transposed view
        const size_t dim = size_t(pick(0, int(shape.size()) - 3));
        std::swap(tensor->strides[dim], tensor->strides[dim + 1]);
      }
    }
    if (run() == NORMC_STATUS_SUCCESS) {
      expectRows();
      ++ran;
    } else {
      ASSERT_TRUE(diag.code == NORMC_STATUS_INVALID_STRIDE) << diag.message;
      ++refused;
    }
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(ran, 10000);
  EXPECT_GT(refused, 300);
}

TEST_F(Dlpack, NoRows) {
  x.shape = y.shape = {2, 0, 64};
  x.tensor.data = y.tensor.data = nullptr;
  mean.shape = {0};
  args.mean = &mean.tensor;
  EXPECT_EQ(run(), NORMC_STATUS_SUCCESS) << diag.message;
  EXPECT_TRUE(bodyCalls.empty());
  mean.shape = {1};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_MEAN, "fake: mean has shape [1], expected 0 elements, one per row");
}

TEST_F(Dlpack, NoColumns) {
  x.shape = y.shape = {2, 3, 0};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X, "fake: x has shape [2, 3, 0], expected at least one column");
}

TEST_F(Dlpack, NullKernelAndArgs) {
  EXPECT_EQ(normc_run_dlpack(nullptr, &args, &exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(diag.message, "kernel is NULL, expected the <name>_kernel of an emitted header");
  EXPECT_EQ(normc_run_dlpack(&fake.kernel, nullptr, &exec), NORMC_STATUS_MISSING_ARGUMENT);
  EXPECT_STREQ(diag.message, "fake: args is NULL, expected the arguments of the call");
  exec.reserved = 1;
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  exec.reserved = 0;
  args.x = nullptr;
  expectFailure(NORMC_STATUS_MISSING_ARGUMENT, NORMC_ROLE_X, "fake: x is NULL, but the call takes its shape from x: pass the tensor");
}

TEST_F(Dlpack, FixedFields) {
  args.struct_size = 72;
  expectFailure(
      NORMC_STATUS_ABI_MISMATCH, 0,
      "fake: struct_size is 72, expected 80: initialize the arguments with NORMC_DLPACK_ARGS_INIT and compile against the headers of the linked runtime");
  args.struct_size = sizeof args;
  args.reserved = 3;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, 0, "fake: reserved is 3, expected 0: initialize the whole struct");
}

TEST_F(Dlpack, MissingAndUnsupportedTensors) {
  args.y = nullptr;
  expectFailure(NORMC_STATUS_MISSING_ARGUMENT, NORMC_ROLE_Y, "fake: y is NULL, but the kernel needs it: pass the array");
  args.y = &y.tensor;
  args.rstd = &rstd.tensor;
  fake.kernel.accepts &= ~uint32_t(NORMC_ROLE_RSTD);
  expectFailure(NORMC_STATUS_UNSUPPORTED_ARGUMENT, NORMC_ROLE_RSTD,
                "fake: rstd is given, but the kernel was built without it: pass NULL, or build the kernel with rstd");
}

TEST_F(Dlpack, Device) {
  const int32_t cuda = 2;
  std::memcpy(&y.tensor.device.device_type, &cuda, sizeof cuda);
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_Y, "fake: y is on a device of DLPack type 2, expected 1 (kDLCPU): copy it to the CPU");
}

TEST_F(Dlpack, Types) {
  x.tensor.dtype = {kDLBfloat, 16, 1};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X,
                "fake: x has DLPack type code 4, 16 bits, 1 lanes, expected 2 (kDLFloat), 32, 1: convert it, or build the kernel for its type");
  x.tensor.dtype = {kDLFloat, 64, 1};
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  x.tensor.dtype = {kDLFloat, 32, 4};
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  x.tensor.dtype = {0, 32, 1}; // int32
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  x.tensor.dtype = f32;
  fake.kernel.param_dtype = NORMC_DTYPE_BF16;
  args.weight = &weight.tensor;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_WEIGHT,
                "fake: weight has DLPack type code 2, 32 bits, 1 lanes, expected 4 (kDLBfloat), 16, 1: convert it, or build the kernel for its type");
  fake.kernel.param_dtype = NORMC_DTYPE_NONE;
  expectFailure(NORMC_STATUS_ABI_MISMATCH, NORMC_ROLE_WEIGHT, "fake: the kernel's type of weight is 0, which this runtime does not know");
  args.weight = nullptr;
  args.mean = &mean.tensor;
  mean.tensor.dtype = bf16; // whatever x's type is
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
}

TEST_F(Dlpack, Shapes) {
  y.shape = {2, 3, 65};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_Y, "fake: y has shape [2, 3, 65], expected x's, [2, 3, 64]");
  y.shape = {6, 64};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_Y, "fake: y has shape [6, 64], expected x's, [2, 3, 64]");
  y.shape = {2, -3, 64};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_Y, "fake: y has shape [2, -3, 64], expected no size below 0");
  y.shape = x.shape;
  weight.shape = {63};
  args.weight = &weight.tensor;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_WEIGHT, "fake: weight has shape [63], expected 64 elements, one per column");
  args.weight = nullptr;
  rstd.shape = {3, 2, 2};
  args.rstd = &rstd.tensor;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_RSTD, "fake: rstd has shape [3, 2, 2], expected 6 elements, one per row");
  args.rstd = nullptr;
  args.normalized_dims = 4;
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X, "fake: x has 3 dims, expected at least the 4 that are normalized");
  args.normalized_dims = 0xFFFFFFFF;
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  args.normalized_dims = 0;
  x.shape = {};
  expectFailure(NORMC_STATUS_INVALID_ARGUMENT, NORMC_ROLE_X, "fake: x has 0 dims, expected at least the 1 that are normalized");
}

TEST_F(Dlpack, ShapeThatIsNotThere) {
  x.update();
  x.tensor.shape = nullptr;
  EXPECT_EQ(normc_run_dlpack(&fake.kernel, &args, &exec), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(diag.message, "fake: x has 3 dims and shape NULL, expected a shape");
  x.tensor.ndim = -1;
  EXPECT_EQ(normc_run_dlpack(&fake.kernel, &args, &exec), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(diag.message, "fake: x has -1 dims, expected a shape");
}

TEST_F(Dlpack, LongShapesAreCut) {
  x.shape = std::vector<int64_t>(40, 1000000000000);
  y.shape = {};
  EXPECT_EQ(run(), NORMC_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(diag.message, "fake: y has shape [], expected x's, [1000000000000, 1000000000000, 1000000000000, ...]");
}

TEST_F(Dlpack, ColumnStridesAreRefused_B11) {
  x.setStrides({384, 128, 2});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X,
                "fake: x has stride 2 in dim 2, expected 1: columns must follow each other; make the tensor contiguous");
  x.strides.clear();
  y.setStrides({3, 1, 6});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_Y,
                "fake: y has stride 6 in dim 2, expected 1: columns must follow each other; make the tensor contiguous");
  y.strides.clear();
  args.normalized_dims = 2;
  args.residual = &residual.tensor;
  residual.setStrides({192, 70, 1});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_RESIDUAL,
                "fake: residual has stride 70 in dim 1, expected 64: columns must follow each other; make the tensor contiguous");
}

TEST_F(Dlpack, ExpandedReversedAndOverlappingDims) {
  x.setStrides({192, 0, 1});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X,
                "fake: x has stride 0 in dim 1, expected more than 0: expanded and reversed dims are not supported; make the tensor contiguous");
  x.setStrides({-192, 64, 1});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X,
                "fake: x has stride -192 in dim 0, expected more than 0: expanded and reversed dims are not supported; make the tensor contiguous");
  x.setStrides({192, 63, 1});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_X, "fake: x_stride is 63 elements, expected 0 (= hidden) or at least hidden, 64");
}

TEST_F(Dlpack, VectorsWithGaps) {
  args.weight = &weight.tensor;
  weight.setStrides({2});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_WEIGHT, "fake: weight has gaps or another order of dims, expected neither: make it contiguous");
  args.weight = nullptr;
  args.mean = &mean.tensor;
  mean.setStrides({1, 2});
  expectFailure(NORMC_STATUS_INVALID_STRIDE, NORMC_ROLE_MEAN, "fake: mean has gaps or another order of dims, expected neither: make it contiguous");
}

TEST_F(Dlpack, WidthOfTheKernel) {
  fake.kernel.hidden = 768;
  args.weight = &weight.tensor;
  expectFailure(NORMC_STATUS_HIDDEN_MISMATCH, NORMC_ROLE_X, "fake: x has shape [2, 3, 64], so 64 columns, but the kernel was built for 768");
  fake.kernel.hidden = 64;
  expectRows();
}

TEST_F(Dlpack, TooLarge) {
  const int64_t huge = int64_t(1) << 40;
  x.shape = y.shape = {2, (1 << 24) + 1};
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "fake: x has shape [2, 16777217], of which the last 1 are more than 16777216 (2^24) columns");
  x.shape = y.shape = {huge, huge, 1};
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "fake: x has shape [1099511627776, 1099511627776, 1], which is more than memory can hold");
  x.shape = y.shape = {huge, huge, 1 << 20};
  EXPECT_EQ(run(), NORMC_STATUS_TOO_LARGE);
  x.shape = y.shape = {3, huge, 1 << 20};
  EXPECT_EQ(run(), NORMC_STATUS_TOO_LARGE);
  x.shape = y.shape = {2, 3, 64};
  x.tensor.byte_offset = ~uint64_t(0);
  expectFailure(NORMC_STATUS_TOO_LARGE, NORMC_ROLE_X, "fake: x has byte_offset 18446744073709551615, which leads beyond the address space");
}

TEST_F(Dlpack, RulesOfForwardCallsHold) {
  y.tensor.data = x.tensor.data;
  expectRows(); // in place
  y.tensor.byte_offset = 4;
  EXPECT_EQ(run(), NORMC_STATUS_OVERLAP);
  y.tensor.data = fakeAddress(5, 1);
  y.tensor.byte_offset = 0;
  EXPECT_EQ(run(), NORMC_STATUS_MISALIGNED);
}

} // namespace
} // namespace normc::runtime::test
