// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/worked_kernels.h"

#include "compiler/stages/functions.h"

namespace normc::test {
namespace {

using namespace ex;

constexpr double kEps = 1e-5;

WorkedKernel product(KernelSpec spec, int64_t rows, int64_t hidden) {
  spec.hidden = hidden;
  const bool layer = spec.op == Op::LayerNorm;
  if (!layer) {
    spec.bias = Presence::Off;
    spec.mean = false;
  }
  WorkedKernel worked{normKernel(spec, {.weight = true, .bias = layer}), rows, hidden, {{"x", {rows, hidden}}, {"weight", {hidden}}}, {{"eps", kEps}}};
  if (layer)
    worked.shapes["bias"] = {hidden};
  if (spec.residual)
    worked.shapes["residual"] = {rows, hidden};
  return worked;
}

/// Adds the stages of layer norm without parameters for the values `v`, and returns the normalized value.
Expr normalized(Kernel &k, const Expr &v) {
  Expr eps = k.scalar("eps");
  Expr m = k.map("m", Domain::Row, div(k.sum("total", Domain::Row, v), hidden()));
  Expr d = k.map("d", Domain::Element, sub(v, m));
  Expr delta = k.map("delta", Domain::Row, div(k.sum("sum_d", Domain::Row, d), hidden()));
  Expr sumD2 = k.sum("sum_d2", Domain::Row, mul(d, d));
  Expr var = k.map("var", Domain::Row, max(div(sub(sumD2, mul(hidden(), mul(delta, delta))), hidden()), f(0)));
  Expr rstd = k.map("rstd", Domain::Row, div(f(1), sqrt(add(var, eps))), Store{"rstd", DType::F32});
  return k.map("normalized", Domain::Element, mul(sub(d, delta), rstd));
}

} // namespace

WorkedKernel layerNorm(int64_t rows, int64_t hidden) { return product({.op = Op::LayerNorm}, rows, hidden); }

WorkedKernel rmsNorm(int64_t rows, int64_t hidden) { return product({.op = Op::RMSNorm}, rows, hidden); }

WorkedKernel residualLayerNorm(int64_t rows, int64_t hidden) { return product({.op = Op::LayerNorm, .residual = true, .sum = true}, rows, hidden); }

WorkedKernel layerNormBackward(int64_t rows, int64_t columns) {
  Kernel k("layer_norm_backward");
  const int xInput = k.input("x", DType::F32, 2), dyInput = k.input("dy", DType::F32, 2), weight = k.input("weight", DType::F32, 1);
  const int meanInput = k.input("mean", DType::F32, 1), rstdInput = k.input("rstd", DType::F32, 1);
  Expr dy = k.load(dyInput);
  Expr rstd = k.load(rstdInput, {Index::row()});
  Expr d = k.map("d", Domain::Element, sub(k.load(xInput), k.load(meanInput, {Index::row()})));
  Expr delta = k.map("delta", Domain::Row, div(k.sum("sum_d", Domain::Row, d), hidden()));
  Expr xhat = k.map("xhat", Domain::Element, mul(sub(d, delta), rstd));
  Expr g = k.map("g", Domain::Element, mul(dy, k.load(weight)));
  Expr meanG = k.map("mean_g", Domain::Row, div(k.sum("sum_g", Domain::Row, g), hidden()));
  Expr meanGX = k.map("mean_gx", Domain::Row, div(k.sum("sum_gx", Domain::Row, mul(g, xhat)), hidden()));
  k.map("dx", Domain::Element, mul(sub(sub(g, meanG), mul(xhat, meanGX)), rstd), Store{"dx", DType::F32});
  k.sum("dweight", Domain::Column, mul(dy, xhat), Store{"dweight", DType::F32});
  k.sum("dbias", Domain::Column, dy, Store{"dbias", DType::F32});
  return {std::move(k), rows, columns, {{"x", {rows, columns}}, {"dy", {rows, columns}}, {"weight", {columns}}, {"mean", {rows}}, {"rstd", {rows}}}, {}, true, false};
}

WorkedKernel int8RmsNorm(int64_t rows, int64_t columns) {
  Kernel k("rms_norm_int8");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr eps = k.scalar("eps");
  Expr meanSquare = div(k.sum("sum_x2", Domain::Row, mul(x, x)), hidden());
  Expr rstd = k.map("rstd", Domain::Row, div(f(1), sqrt(add(meanSquare, eps))));
  Expr y = k.map("y", Domain::Element, mul(x, rstd));
  Expr peak = k.maximum("peak", Domain::Row, abs(y));
  Expr scale = k.map("scale", Domain::Row, div(peak, f(127)), Store{"scale", DType::F32});
  k.map("q", Domain::Element, select(eq(scale, f(0)), f(0), div(y, scale)), Store{"q", DType::S8});
  return {std::move(k), rows, columns, {{"x", {rows, columns}}}, {{"eps", kEps}}};
}

WorkedKernel adaLayerNorm(int64_t rows, int64_t columns, int64_t rowsPerGroup) {
  Kernel k("ada_layer_norm");
  Expr n = normalized(k, k.load(k.input("x", DType::F32, 2)));
  const Index group = Index::row() / rowsPerGroup;
  Expr scale = k.load(k.input("scale", DType::F32, 2), {group, Index::column()});
  Expr shift = k.load(k.input("shift", DType::F32, 2), {group, Index::column()});
  k.map("y", Domain::Element, add(mul(n, add(f(1), scale)), shift), Store{"y", DType::F32});
  const int64_t groups = (rows + rowsPerGroup - 1) / rowsPerGroup;
  return {std::move(k), rows, columns, {{"x", {rows, columns}}, {"scale", {groups, columns}}, {"shift", {groups, columns}}}, {{"eps", kEps}}};
}

WorkedKernel geluLayerNorm(int64_t rows, int64_t columns) {
  Kernel k("layer_norm_gelu");
  Expr n = normalized(k, k.load(k.input("x", DType::F32, 2)));
  Expr z = k.map("z", Domain::Element, add(mul(n, k.load(k.input("weight", DType::F32, 1))), k.load(k.input("bias", DType::F32, 1))));
  k.map("y", Domain::Element, mul(mul(f(0.5f), z), add(f(1), erf(mul(z, f(0.707106769f))))), Store{"y", DType::F32});
  return {std::move(k), rows, columns, {{"x", {rows, columns}}, {"weight", {columns}}, {"bias", {columns}}}, {{"eps", kEps}}, false, true};
}

WorkedKernel groupNorm(int64_t samples, int64_t channels, int64_t groups, int64_t pixels) {
  Kernel k("group_norm");
  const int64_t channelsPerGroup = channels / groups, rows = samples * groups, columns = channelsPerGroup * pixels;
  Expr n = normalized(k, k.load(k.input("x", DType::F32, 2)));
  const Index channel = Index::row() % groups * channelsPerGroup + Index::column() / pixels;
  Expr weight = k.load(k.input("weight", DType::F32, 1), {channel});
  Expr bias = k.load(k.input("bias", DType::F32, 1), {channel});
  k.map("y", Domain::Element, add(mul(n, weight), bias), Store{"y", DType::F32});
  return {std::move(k), rows, columns, {{"x", {rows, columns}}, {"weight", {channels}}, {"bias", {channels}}}, {{"eps", kEps}}};
}

WorkedKernel toy(int64_t rows, int64_t columns, int64_t columnsPerGroup) {
  Kernel k("toy");
  Expr x = k.load(k.input("x", DType::F32, 2));
  Expr scale = k.load(k.input("scale", DType::F32, 1), {Index::column() / columnsPerGroup});
  Expr peak = k.maximum("peak", Domain::Row, x, Store{"peak", DType::F32});
  Expr centred = k.map("centred", Domain::Element, sub(x, peak), Store{"centred", DType::F32});
  k.map("y", Domain::Element, add(mul(centred, scale), abs(peak)), Store{"y", DType::F32});
  return {std::move(k), rows, columns, {{"x", {rows, columns}}, {"scale", {(columns + columnsPerGroup - 1) / columnsPerGroup}}}, {}};
}

std::vector<WorkedKernel> workedKernels() {
  std::vector<WorkedKernel> all;
  all.push_back(layerNorm(7, 1100));
  all.push_back(rmsNorm(7, 1100));
  all.push_back(residualLayerNorm(5, 1900));
  all.push_back(layerNormBackward(100, 600));
  all.push_back(int8RmsNorm(6, 1300));
  all.push_back(adaLayerNorm(9, 700, 4));
  all.push_back(geluLayerNorm(5, 1025));
  all.push_back(groupNorm(3, 12, 4, 225));
  all.push_back(toy(6, 1090, 8));
  return all;
}

} // namespace normc::test
