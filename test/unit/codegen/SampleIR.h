// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR of the shape that back ends hand to codegen, written by hand so that these tests need no back end.
#pragma once

#include "compiler/codegen/body.h"

#include <normc/abi.h>

#include <cstddef>
#include <string>
#include <utility>

namespace normc {

inline std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline size_t count(const std::string &text, const std::string &word) {
  size_t number = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    ++number;
  return number;
}

/// As Halide compiles y(c, r) = x(c, r) * weight(c) + eps, mean(r) = x(0, r), hidden 64: buffers by pointer, the claims that arrays of different names do not
/// overlap, the argument-array wrapper and the metadata beside the function.
inline HalideBody halideSample(const std::string &symbol) {
  const char *text = R"(
source_filename = "/project/src/runtime/force_include_types.cpp"
target triple = "x86_64--linux-gnu"

%struct.halide_filter_metadata_t = type { i32, ptr }
@text = private constant [7 x i8] c"halide\00"
@SYMBOL_metadata_storage = private constant %struct.halide_filter_metadata_t { i32 1, ptr @text }

define noundef i32 @SYMBOL(ptr noalias readonly %x.buffer, ptr noalias readonly %weight.buffer, float %eps, ptr noalias readonly %y.buffer, ptr noalias %mean.buffer) #0 {
entry:
  %x.host.at = getelementptr inbounds i8, ptr %x.buffer, i64 16
  %x = load ptr, ptr %x.host.at, align 8, !tbaa !1
  %x.dim.at = getelementptr inbounds i8, ptr %x.buffer, i64 40
  %x.dim = load ptr, ptr %x.dim.at, align 8, !tbaa !1
  %x.min0 = load i32, ptr %x.dim, align 4, !tbaa !1
  %x.min1.at = getelementptr inbounds i8, ptr %x.dim, i64 16
  %x.min1 = load i32, ptr %x.min1.at, align 4, !tbaa !1
  %x.stride.at = getelementptr inbounds i8, ptr %x.dim, i64 24
  %x.stride = load i32, ptr %x.stride.at, align 4, !tbaa !1
  %weight.host.at = getelementptr inbounds i8, ptr %weight.buffer, i64 16
  %weight = load ptr, ptr %weight.host.at, align 8, !tbaa !1
  %y.host.at = getelementptr inbounds i8, ptr %y.buffer, i64 16
  %y = load ptr, ptr %y.host.at, align 8, !tbaa !1
  %y.dim.at = getelementptr inbounds i8, ptr %y.buffer, i64 40
  %y.dim = load ptr, ptr %y.dim.at, align 8, !tbaa !1
  %rows.at = getelementptr inbounds i8, ptr %y.dim, i64 20
  %rows = load i32, ptr %rows.at, align 4, !tbaa !1
  %y.stride.at = getelementptr inbounds i8, ptr %y.dim, i64 24
  %y.stride = load i32, ptr %y.stride.at, align 4, !tbaa !1
  %mean.host.at = getelementptr inbounds i8, ptr %mean.buffer, i64 16
  %mean = load ptr, ptr %mean.host.at, align 8, !tbaa !1
  %mean.dim.at = getelementptr inbounds i8, ptr %mean.buffer, i64 40
  %mean.dim = load ptr, ptr %mean.dim.at, align 8, !tbaa !1
  %mean.stride.at = getelementptr inbounds i8, ptr %mean.dim, i64 8
  %mean.stride = load i32, ptr %mean.stride.at, align 4, !tbaa !1
  %first = mul i32 %x.stride, %x.min1
  %origin = add i32 %first, %x.min0
  %x.step = sext i32 %x.stride to i64
  %y.step = sext i32 %y.stride to i64
  %mean.step = sext i32 %mean.stride to i64
  %skip = sext i32 %origin to i64
  %count = zext i32 %rows to i64
  %eps4 = insertelement <4 x float> poison, float %eps, i64 0
  %eps.all = shufflevector <4 x float> %eps4, <4 x float> poison, <4 x i32> zeroinitializer
  br label %row

row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %x.from = mul i64 %r, %x.step
  %x.offset = sub i64 %x.from, %skip
  %x.row = getelementptr float, ptr %x, i64 %x.offset
  %y.offset = mul i64 %r, %y.step
  %y.row = getelementptr float, ptr %y, i64 %y.offset
  %x.first = load float, ptr %x.row, align 4, !tbaa !3
  %mean.offset = mul i64 %r, %mean.step
  %mean.to = getelementptr float, ptr %mean, i64 %mean.offset
  store float %x.first, ptr %mean.to, align 4, !tbaa !5
  br label %column

column:
  %c = phi i64 [ 0, %row ], [ %c.next, %column ]
  %x.at = getelementptr float, ptr %x.row, i64 %c
  %xv = load <4 x float>, ptr %x.at, align 4, !tbaa !3
  %w.at = getelementptr float, ptr %weight, i64 %c
  %wv = load <4 x float>, ptr %w.at, align 4, !tbaa !3
  %product = fmul <4 x float> %xv, %wv
  %value = fadd <4 x float> %product, %eps.all
  %y.at = getelementptr float, ptr %y.row, i64 %c
  store <4 x float> %value, ptr %y.at, align 4, !tbaa !5, !noalias !8
  %c.next = add nuw nsw i64 %c, 4
  %column.done = icmp eq i64 %c.next, 64
  br i1 %column.done, label %row.end, label %column

row.end:
  %r.next = add nuw nsw i64 %r, 1
  %row.done = icmp eq i64 %r.next, %count
  br i1 %row.done, label %exit, label %row

exit:
  ret i32 0
}

define i32 @SYMBOL_argv(ptr %arguments) {
entry:
  %0 = load ptr, ptr %arguments, align 8
  %result = call i32 @SYMBOL(ptr %0, ptr %0, float 0.0, ptr %0, ptr %0)
  ret i32 %result
}

define ptr @SYMBOL_metadata() {
entry:
  ret ptr @SYMBOL_metadata_storage
}

attributes #0 = { nofree nosync nounwind "target-cpu"="skylake-avx512" "target-features"="+fma,+avx512f" "reciprocal-estimates"="none" }
!llvm.ident = !{!0}
!llvm.module.flags = !{!10}
!0 = !{!"clang version 21.1.1"}
!1 = !{!2, !2, i64 0}
!2 = !{!"_ZTS15halide_buffer_t", !7}
!3 = !{!4, !4, i64 0}
!4 = !{!"x", !7}
!5 = !{!6, !6, i64 0}
!6 = !{!"y", !7}
!7 = !{!"Halide buffer"}
!8 = !{!9}
!9 = distinct !{!9, !7}
!10 = !{i32 2, !"halide_mattrs", !"+fma"}
)";
  using Kind = HalideParameter::Kind;
  HalideBody body;
  body.bitcode = replaceAll(text, "SYMBOL", symbol);
  body.function = symbol;
  body.parameters = {{Kind::Buffer, "x", 2, DType::F32, false},
                     {Kind::Buffer, "weight", 1, DType::F32, false},
                     {Kind::Float, "eps", 0, DType::F32, false},
                     {Kind::Buffer, "y", 2, DType::F32, false},
                     {Kind::Buffer, "mean", 1, DType::F32, true}};
  return body;
}

/// A body of normc_slice_t: for each row and, in steps of STEP columns up to hidden, whatever `block` computes from %x.at and stores to %y.at and %sum.at
/// (float or 16-bit arrays by `xType`, `yType`). hidden must be a multiple of `step`.
inline BodyIR sliceBody(const std::string &symbol, int step, const std::string &xType, const std::string &yType, const std::string &block, int streamAlignment,
                        const std::string &declarations = "") {
  std::string text = R"(
define void @SYMBOL(ptr %slice) {
entry:
  %rows = load i64, ptr %slice, align 8
  %hidden.field = getelementptr i8, ptr %slice, i64 OFFSET(hidden)
  %hidden = load i64, ptr %hidden.field, align 8
  %x.field = getelementptr i8, ptr %slice, i64 OFFSET(x)
  %x = load ptr, ptr %x.field, align 8
  %x.stride.field = getelementptr i8, ptr %slice, i64 OFFSET(x_stride)
  %x.stride = load i64, ptr %x.stride.field, align 8
  %y.field = getelementptr i8, ptr %slice, i64 OFFSET(y)
  %y = load ptr, ptr %y.field, align 8
  %y.stride.field = getelementptr i8, ptr %slice, i64 OFFSET(y_stride)
  %y.stride = load i64, ptr %y.stride.field, align 8
  %sum.field = getelementptr i8, ptr %slice, i64 OFFSET(sum)
  %sum = load ptr, ptr %sum.field, align 8
  %y.stride.32 = trunc i64 %y.stride to i32
  %y.step = sext i32 %y.stride.32 to i64
  br label %row

row:
  %r = phi i64 [ 0, %entry ], [ %r.next, %row.end ]
  %x.offset = mul i64 %r, %x.stride
  %y.offset = mul nsw i64 %r, %y.step
  %x.row = getelementptr XTYPE, ptr %x, i64 %x.offset
  %y.row = getelementptr YTYPE, ptr %y, i64 %y.offset
  %sum.row = getelementptr YTYPE, ptr %sum, i64 %y.offset
  br label %column

column:
  %c = phi i64 [ 0, %row ], [ %c.next, %column ]
  %x.at = getelementptr XTYPE, ptr %x.row, i64 %c
  %y.at = getelementptr YTYPE, ptr %y.row, i64 %c
  %sum.at = getelementptr YTYPE, ptr %sum.row, i64 %c
BLOCK
  %c.next = add nuw nsw i64 %c, STEP
  %column.done = icmp eq i64 %c.next, %hidden
  br i1 %column.done, label %row.end, label %column

row.end:
  %r.next = add nuw nsw i64 %r, 1
  %row.done = icmp eq i64 %r.next, %rows
  br i1 %row.done, label %exit, label %row

exit:
  ret void
}
)" + declarations;
  const std::pair<const char *, size_t> offsets[] = {{"hidden", offsetof(normc_slice_t, hidden)},     {"x", offsetof(normc_slice_t, x)},
                                                     {"x_stride", offsetof(normc_slice_t, x_stride)}, {"y", offsetof(normc_slice_t, y)},
                                                     {"y_stride", offsetof(normc_slice_t, y_stride)}, {"sum", offsetof(normc_slice_t, sum)}};
  for (auto [field, offset] : offsets)
    text = replaceAll(text, "OFFSET(" + std::string(field) + ")", std::to_string(offset));
  text = replaceAll(text, "BLOCK", block);
  text = replaceAll(text, "SYMBOL", symbol);
  text = replaceAll(text, "STEP", std::to_string(step));
  text = replaceAll(text, "XTYPE", xType);
  text = replaceAll(text, "YTYPE", yType);
  return {text, symbol, streamAlignment};
}

/// y = x + x, in vectors of `lanes` floats, two per iteration.
inline BodyIR doubling(const std::string &symbol, int lanes, int streamAlignment) {
  std::string block = R"(  %x.next = getelementptr i8, ptr %x.at, i64 BYTES
  %y.next = getelementptr i8, ptr %y.at, i64 BYTES
  %a = load <LANES x float>, ptr %x.at, align 4
  %a2 = fadd <LANES x float> %a, %a
  store <LANES x float> %a2, ptr %y.at, align 4
  %b = load <LANES x float>, ptr %x.next, align 4
  %b2 = fadd <LANES x float> %b, %b
  store <LANES x float> %b2, ptr %y.next, align 4)";
  block = replaceAll(replaceAll(block, "LANES", std::to_string(lanes)), "BYTES", std::to_string(4 * lanes));
  return sliceBody(symbol, 2 * lanes, "float", "float", block, streamAlignment);
}

/// y = the upper halves of x, as 16-bit integers, in vectors of `lanes`, two per iteration.
inline BodyIR truncating(const std::string &symbol, int lanes, int streamAlignment) {
  std::string block = R"(  %x.next = getelementptr i8, ptr %x.at, i64 BYTES
  %y.next = getelementptr i8, ptr %y.at, i64 HALF
  %a = load <LANES x i32>, ptr %x.at, align 4
  %a.up = lshr <LANES x i32> %a, splat (i32 16)
  %a.low = trunc <LANES x i32> %a.up to <LANES x i16>
  store <LANES x i16> %a.low, ptr %y.at, align 2
  %b = load <LANES x i32>, ptr %x.next, align 4
  %b.up = lshr <LANES x i32> %b, splat (i32 16)
  %b.low = trunc <LANES x i32> %b.up to <LANES x i16>
  store <LANES x i16> %b.low, ptr %y.next, align 2)";
  block = replaceAll(replaceAll(replaceAll(block, "LANES", std::to_string(lanes)), "BYTES", std::to_string(4 * lanes)), "HALF", std::to_string(2 * lanes));
  return sliceBody(symbol, 2 * lanes, "float", "i16", block, streamAlignment);
}

} // namespace normc
