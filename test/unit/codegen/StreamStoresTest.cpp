// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/codegen/LoadedObject.h"
#include "test/unit/codegen/SampleIR.h"
#include "test/unit/require_target.h"
#include "test/unit/support/ThrowsCode.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace normc {
namespace {

/// The text of one function in assembly or IR.
std::string functionText(const std::string &text, const std::string &begin, const std::string &end) {
  size_t from = text.find(begin);
  return from == std::string::npos ? "" : text.substr(from, text.find(end, from) - from);
}

std::string assemblyOf(const std::string &assembly, const std::string &symbol) { return functionText(assembly, "\n" + symbol + ":", "\t.size\t"); }

struct Shape {
  Target target;
  int lanes;
  int bytes; ///< of a vector of floats
};

class StreamStores : public testing::TestWithParam<Shape> {};

TEST_P(StreamStores, FloatsKeepTheirWidth) {
  auto [target, lanes, bytes] = GetParam();
  std::string assembly = variantAssembly({target, {doubling("body", lanes, bytes)}});
  EXPECT_EQ(count(assemblyOf(assembly, "body"), "movnt"), 0u) << assembly;
  EXPECT_EQ(count(assemblyOf(assembly, "body_stream"), "movntps"), 2u) << assembly;
}

TEST_P(StreamStores, SixteenBitNeighboursAreJoined) {
  auto [target, lanes, bytes] = GetParam();
  std::string assembly = variantAssembly({target, {truncating("body", lanes, bytes)}});
  EXPECT_EQ(count(assemblyOf(assembly, "body"), "movnt"), 0u) << assembly;
  EXPECT_EQ(count(assemblyOf(assembly, "body_stream"), "movnt"), 1u) << assembly;
}

TEST_P(StreamStores, OneSixteenBitVectorStreamsByItself) {
  auto [target, lanes, bytes] = GetParam();
  std::string assembly = variantAssembly({target, {truncating("body", 2 * lanes, bytes)}});
  EXPECT_EQ(count(assemblyOf(assembly, "body_stream"), "movnt"), 2u) << assembly;
}

/// Memory as the runtime promises it to streaming bodies.
struct Aligned {
  explicit Aligned(size_t bytes) : data(std::aligned_alloc(64, bytes), &std::free) {}
  std::unique_ptr<void, decltype(&std::free)> data;
};

TEST_P(StreamStores, TheBitsStay) {
  auto [target, lanes, bytes] = GetParam();
  NORMC_REQUIRE_TARGET(std::string(targetName(target)));
  constexpr int64_t rows = 7;
  constexpr int64_t hidden = 192;
  constexpr int64_t stride = 256;
  std::vector<float> x(rows * hidden);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i) * 1.7f - 300.0f;
  for (bool narrow : {false, true}) {
    VariantObject object = variantObject({target, {narrow ? truncating("body", lanes, bytes) : doubling("body", lanes, bytes)}});
    ASSERT_EQ(object.symbols, (std::vector<std::string>{"body", "body_stream"}));
    LoadedObject loaded(object.object, object.symbols);
    std::vector<std::vector<uint8_t>> results;
    for (const std::string &symbol : object.symbols) {
      Aligned y(rows * stride * 4);
      std::memset(y.data.get(), 0x5a, rows * stride * 4);
      normc_slice_t slice = {};
      slice.rows = rows;
      slice.hidden = hidden;
      slice.x = x.data();
      slice.x_stride = hidden;
      slice.y = y.data.get();
      slice.y_stride = stride;
      loaded.body(symbol)(&slice);
      const uint8_t *begin = static_cast<const uint8_t *>(y.data.get());
      results.emplace_back(begin, begin + rows * stride * 4);
    }
    EXPECT_EQ(results[0], results[1]) << (narrow ? "16-bit" : "float");
    EXPECT_NE(results[0], std::vector<uint8_t>(results[0].size(), 0x5a));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, StreamStores,
                         testing::Values(Shape{Target::X86_64_V2, 4, 16}, Shape{Target::X86_64_V3, 8, 32}, Shape{Target::X86_64_V4, 16, 64}),
                         [](const testing::TestParamInfo<Shape> &info) { return targetSuffix(info.param.target); });

std::string streamed(const BodyIR &body, Target target = Target::X86_64_V3) {
  return functionText(variantLLVM({target, {body}}), "define hidden void @" + streamSymbol(body.function) + "(", "\n}");
}

TEST(StreamStoresRules, MaskedAndScalarStoresStay) {
  BodyIR body = sliceBody("body", 16, "float", "float", R"(
  %v = load <8 x float>, ptr %x.at, align 4
  store <8 x float> %v, ptr %y.at, align 4
  %tail = getelementptr float, ptr %y.at, i64 8
  %bits = bitcast <8 x float> %v to <8 x i32>
  %mask = icmp sgt <8 x i32> %bits, zeroinitializer
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 4 %tail, <8 x i1> %mask)
  %e = extractelement <8 x float> %v, i64 0
  %last = getelementptr float, ptr %y.at, i64 15
  store float %e, ptr %last, align 4)",
                          32, "declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)\n");
  std::string ir = streamed(body);
  EXPECT_EQ(count(ir, "!nontemporal"), 1u) << ir;
  EXPECT_NE(ir.find("store float %e, ptr %last, align 4\n"), std::string::npos) << ir;
  EXPECT_NE(ir.find("ptr align 4 %tail"), std::string::npos) << ir;
}

TEST(StreamStoresRules, SumStreamsToo) {
  BodyIR body = sliceBody("body", 8, "float", "float",
                          "  %v = load <8 x float>, ptr %x.at, align 4\n  store <8 x float> %v, ptr %sum.at, align 4\n"
                          "  %w = fadd <8 x float> %v, %v\n  store <8 x float> %w, ptr %y.at, align 4",
                          32);
  // The stride of sum is not read in this body: its rows are laid out as those of y, and nothing is promised about that.
  std::string ir = streamed(body);
  EXPECT_EQ(count(ir, "!nontemporal"), 1u) << ir;

  body.bitcode = replaceAll(body.bitcode, "%sum.row = getelementptr float, ptr %sum, i64 %y.offset",
                            "%sum.stride.field = getelementptr i8, ptr %slice, i64 " + std::to_string(offsetof(normc_slice_t, sum_stride)) +
                                "\n  %sum.stride = load i64, ptr %sum.stride.field, align 8\n  %sum.offset = mul i64 %r, %sum.stride\n"
                                "  %sum.row = getelementptr float, ptr %sum, i64 %sum.offset");
  ir = streamed(body);
  EXPECT_EQ(count(ir, "!nontemporal"), 2u) << ir;
}

/// A store that may be unaligned would fault.
TEST(StreamStoresRules, RefusesWhatMayBeUnaligned) {
  BodyIR shifted = sliceBody("body", 8, "float", "float",
                             "  %v = load <8 x float>, ptr %x.at, align 4\n  %to = getelementptr float, ptr %y.at, i64 1\n"
                             "  store <8 x float> %v, ptr %to, align 4",
                             32);
  EXPECT_TRUE(throwsCode([&] { variantLLVM({Target::X86_64_V3, {shifted}}); }, DiagCode::InternalError, "1 are not aligned to 32 bytes"));

  BodyIR halfSteps = sliceBody("body", 4, "float", "float", "  %v = load <8 x float>, ptr %x.at, align 4\n  store <8 x float> %v, ptr %y.at, align 4", 32);
  EXPECT_TRUE(throwsCode([&] { variantLLVM({Target::X86_64_V3, {halfSteps}}); }, DiagCode::InternalError, "1 are not aligned to 32 bytes"));

  BodyIR wide = sliceBody("body", 16, "float", "float", "  %v = load <16 x float>, ptr %x.at, align 4\n  store <16 x float> %v, ptr %y.at, align 4", 32);
  EXPECT_TRUE(throwsCode([&] { variantLLVM({Target::X86_64_V4, {wide}}); }, DiagCode::InternalError, "1 are not aligned to 32 bytes"));
}

/// A last vector that ends at hidden is aligned because hidden is a multiple of the alignment.
TEST(StreamStoresRules, KnowsThatHiddenIsAMultiple) {
  std::string block =
      "  %v = load <8 x float>, ptr %x.at, align 4\n  %from.end = sub i64 %hidden, DISTANCE\n  %to = getelementptr float, ptr %y.row, i64 %from.end\n"
      "  store <8 x float> %v, ptr %to, align 4";
  std::string ir = streamed(sliceBody("body", 8, "float", "float", replaceAll(block, "DISTANCE", "8"), 32));
  EXPECT_EQ(count(ir, "!nontemporal"), 1u) << ir;
  EXPECT_TRUE(throwsCode([&] { streamed(sliceBody("body", 8, "float", "float", replaceAll(block, "DISTANCE", "9"), 32)); }, DiagCode::InternalError,
                         "1 are not aligned"));
}

TEST(StreamStoresRules, RefusesABodyWithoutSuchStores) {
  BodyIR scalar = sliceBody("body", 1, "float", "float", "  %v = load float, ptr %x.at, align 4\n  store float %v, ptr %y.at, align 4", 32);
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V3, {scalar}}); }, DiagCode::InternalError, "no store of y in 'body_stream' can be streaming"));
  BodyIR single = sliceBody("body", 4, "float", "i16", "  %v = load <4 x i16>, ptr %x.at, align 2\n  store <4 x i16> %v, ptr %y.at, align 2", 16);
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V2, {single}}); }, DiagCode::InternalError, "1 are too narrow"));
  EXPECT_TRUE(throwsCode([&] { variantObject({Target::X86_64_V3, {doubling("body", 8, 24)}}); }, DiagCode::InternalError, "expected 16, 32 or 64"));
}

/// A masked store between two halves may write the same bytes: they are not moved past each other.
TEST(StreamStoresRules, DoesNotJoinAcrossOtherStores) {
  std::string block = R"(  %v = load <4 x i16>, ptr %x.at, align 2
  store <4 x i16> %v, ptr %y.at, align 2
BETWEEN
  %second = getelementptr i16, ptr %y.at, i64 4
  store <4 x i16> %v, ptr %second, align 2)";
  std::string joined = streamed(sliceBody("body", 8, "i16", "i16", replaceAll(block, "BETWEEN", ""), 16), Target::X86_64_V2);
  EXPECT_EQ(count(joined, "!nontemporal"), 1u) << joined;
  BodyIR separate = sliceBody("body", 8, "i16", "i16", replaceAll(block, "BETWEEN", "  store i16 7, ptr %y.at, align 2"), 16);
  EXPECT_TRUE(throwsCode([&] { variantLLVM({Target::X86_64_V2, {separate}}); }, DiagCode::InternalError, "2 are too narrow"));
}

} // namespace
} // namespace normc
