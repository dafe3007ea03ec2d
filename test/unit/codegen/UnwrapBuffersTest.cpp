// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/codegen/LoadedObject.h"
#include "test/unit/codegen/SampleIR.h"
#include "test/unit/support/ThrowsCode.h"

#include <vector>

namespace normc {
namespace {

constexpr int64_t kRows = 5;
constexpr int64_t kHidden = 64;

std::string unwrapped(const HalideBody &body) { return variantLLVM({Target::X86_64_V2, {fromHalide(body, Target::X86_64_V2)}}); }

TEST(UnwrapBuffers, LeavesNothingOfHalide) {
  std::string ir = unwrapped(halideSample("body"));
  for (const char *word :
       {"halide", "Halide", "alloca", "tbaa", "noalias", "alias.scope", "argv", "metadata", "ident", "/project", "skylake", "@text", "call "})
    EXPECT_EQ(ir.find(word), std::string::npos) << "'" << word << "' is left in\n" << ir;
  EXPECT_EQ(count(ir, "define "), 1u) << ir;
  EXPECT_NE(ir.find("define hidden void @body(ptr %slice)"), std::string::npos) << ir;
  EXPECT_NE(ir.find("\"target-cpu\"=\"x86-64-v2\""), std::string::npos) << ir;
}

TEST(UnwrapBuffers, ReadsTheFieldsOfTheSlice) {
  std::string ir = unwrapped(halideSample("body"));
  for (size_t offset : {offsetof(normc_slice_t, x), offsetof(normc_slice_t, x_stride), offsetof(normc_slice_t, weight), offsetof(normc_slice_t, eps),
                        offsetof(normc_slice_t, y), offsetof(normc_slice_t, y_stride), offsetof(normc_slice_t, mean), offsetof(normc_slice_t, mean_stride)})
    EXPECT_EQ(count(ir, "ptr %slice, i64 " + std::to_string(offset) + "\n"), 1u) << "offset " << offset << " in\n" << ir;
  // Columns start at 0 and are adjacent: what the buffers say about that is folded away.
  EXPECT_EQ(ir.find("%skip"), std::string::npos) << ir;
}

TEST(UnwrapBuffers, KernelsThatNumberTheirRowsAreRefused) {
  HalideBody body = halideSample("body");
  body.usesRowNumbers = true;
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::ImpossibleCombination,
                         "'body' computes with the numbers of rows, which normc_slice_t does not have"));
}

struct Arrays {
  std::vector<float> x, weight, y, mean;
  Arrays(int64_t xStride, int64_t yStride)
      : x(static_cast<size_t>(kRows * xStride)), weight(kHidden), y(static_cast<size_t>(kRows * yStride), -1.0f), mean(kRows, -1.0f) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i) * 0.375f - 7.0f;
    for (size_t i = 0; i < weight.size(); ++i)
      weight[i] = 1.0f + static_cast<float>(i % 9) * 0.1f;
  }
};

TEST(UnwrapBuffers, ComputesTheSameWithStrides) {
  VariantObject object = variantObject({Target::X86_64_V2, {fromHalide(halideSample("body"), Target::X86_64_V2)}});
  ASSERT_EQ(object.symbols, std::vector<std::string>{"body"});
  LoadedObject loaded(object.object, object.symbols);
  EXPECT_EQ(loaded.visible("body"), nullptr);

  Arrays arrays(kHidden + 3, kHidden + 7);
  normc_slice_t slice = {};
  slice.rows = kRows;
  slice.hidden = kHidden;
  slice.eps = 0.25f;
  slice.x = arrays.x.data();
  slice.x_stride = kHidden + 3;
  slice.weight = arrays.weight.data();
  slice.y = arrays.y.data();
  slice.y_stride = kHidden + 7;
  slice.mean = arrays.mean.data();
  slice.mean_stride = 1;
  loaded.body("body")(&slice);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t c = 0; c < kHidden; ++c) {
      float product = arrays.x[r * (kHidden + 3) + c] * arrays.weight[c];
      ASSERT_EQ(arrays.y[r * (kHidden + 7) + c], product + 0.25f) << r << ", " << c;
    }
    EXPECT_EQ(arrays.y[r * (kHidden + 7) + kHidden], -1.0f) << "between rows";
    EXPECT_EQ(arrays.mean[r], arrays.x[r * (kHidden + 3)]);
  }
}

TEST(UnwrapBuffers, WorksInPlaceAndWithoutMean) {
  VariantObject object = variantObject({Target::X86_64_V2, {fromHalide(halideSample("body"), Target::X86_64_V2)}});
  LoadedObject loaded(object.object, object.symbols);
  Arrays arrays(kHidden, kHidden);
  std::vector<float> before = arrays.x;
  float dummy = 0;
  normc_slice_t slice = {};
  slice.rows = kRows;
  slice.hidden = kHidden;
  slice.x = arrays.x.data();
  slice.y = arrays.x.data();
  slice.x_stride = slice.y_stride = kHidden;
  slice.weight = arrays.weight.data();
  slice.mean = &dummy;
  slice.mean_stride = 0;
  loaded.body("body")(&slice);
  for (size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(arrays.x[i], before[i] * arrays.weight[i % kHidden]) << i;
  EXPECT_EQ(dummy, before[(kRows - 1) * kHidden]);
}

TEST(UnwrapBuffers, RefusesWhatTheSliceLacks) {
  HalideBody body = halideSample("body");
  body.parameters[1].role = "scale";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "no array 'scale'"));

  body = halideSample("body");
  body.parameters[2].role = "epsilon";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "no scalar 'epsilon'"));

  body = halideSample("body");
  body.parameters[1].dimensions = 2;
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "'weight' with 2 dimensions"));
}

TEST(UnwrapBuffers, RefusesAnotherSignature) {
  HalideBody body = halideSample("body");
  body.parameters.pop_back();
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "has 5 parameters, expected 4"));

  body = halideSample("body");
  std::swap(body.parameters[1], body.parameters[2]);
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "another type than expected"));

  body = halideSample("body");
  body.function = "other";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "does not define 'other'"));

  body.bitcode = "no IR";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "does not parse"));
}

/// A call of Halide's runtime cannot be resolved in an emitted library.
TEST(UnwrapBuffers, RefusesHalidesRuntime) {
  HalideBody body = halideSample("body");
  body.bitcode = replaceAll(body.bitcode, "  %first = mul", "  %block = call ptr @halide_malloc(ptr null, i64 64)\n  %first = mul") +
                 "declare ptr @halide_malloc(ptr, i64)\n";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "refers to halide_malloc"));
}

/// A buffer whose address escapes cannot be replaced by values.
TEST(UnwrapBuffers, RefusesABufferThatStays) {
  HalideBody body = halideSample("body");
  body.bitcode = replaceAll(body.bitcode, "  %first = mul", "  call void @look(ptr %x.buffer)\n  %first = mul") + "declare void @look(ptr)\n";
  EXPECT_TRUE(throwsCode([&] { fromHalide(body, Target::X86_64_V2); }, DiagCode::InternalError, "a halide_buffer_t is left"));
}

} // namespace
} // namespace normc
