// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/stages/norms.h"

#include "compiler/support/error.h"

#include <limits>

namespace normc {
namespace {

using namespace ex;

/// What both ops share: the arrays, x + residual, weight and bias.
struct Builder {
  const KernelSpec &spec;
  Affine affine;
  Kernel kernel;
  Expr eps;
  std::optional<int> weight, bias;

  Builder(const KernelSpec &s, Affine a) : spec(s), affine(a), kernel(s.name.empty() ? defaultName(s) : s.name) { eps = kernel.scalar("eps"); }

  std::optional<Store> store(bool wanted, const char *role, DType dtype) const {
    return wanted ? std::optional<Store>(Store{role, dtype}) : std::nullopt;
  }

  /// How mean and rstd are stored: float32, except that an f64 kernel, which only the reference has, keeps its own type.
  DType statisticsType() const { return spec.dtype == DType::F64 ? DType::F64 : DType::F32; }

  /// The values that are normalized: x, or x + residual, which is also `sum`.
  Expr values() {
    Expr x = kernel.load(kernel.input("x", spec.dtype, 2));
    Expr residual = spec.residual ? kernel.load(kernel.input("residual", spec.dtype, 2)) : nullptr;
    if (affine.weight)
      weight = kernel.input("weight", spec.paramDtype, 1);
    if (affine.bias)
      bias = kernel.input("bias", spec.paramDtype, 1);
    if (!residual)
      return kernel.map("v", Domain::Element, x);
    Expr exact = add(x, residual);
    // An f64 kernel, which only the reference has, computes in f64: its sum is in x's type already.
    const bool rounds = spec.residualRounding == ResidualRounding::Storage && spec.dtype != DType::F64;
    return kernel.map("v", Domain::Element, rounds ? roundTo(spec.dtype, exact) : exact,
                      store(spec.sum, "sum", spec.dtype));
  }

  /// y = normalized * weight + bias. An absent weight multiplies nothing and an absent bias adds nothing: adding +0 would turn -0 into +0.
  void output(Expr normalized) {
    Expr y = std::move(normalized);
    if (weight) {
      Expr w = kernel.load(*weight);
      y = mul(y, spec.weightOffset == 0 ? w : add(f(static_cast<float>(spec.weightOffset)), w));
    }
    if (bias)
      y = add(y, kernel.load(*bias));
    kernel.map("y", Domain::Element, y, Store{"y", spec.yDtype});
  }
};

/// Corrected two-pass statistics (Chan, Golub, LeVeque 1983; docs/numerics.md says why): delta is the rounding error of the first mean, taken out again.
Kernel layerNorm(const KernelSpec &spec, Affine affine) {
  Builder b(spec, affine);
  Kernel &k = b.kernel;
  Expr v = b.values();
  Expr total = k.sum("total", Domain::Row, v);
  Expr m = k.map("m", Domain::Row, div(total, hidden()));
  Expr d = k.map("d", Domain::Element, sub(v, m));
  Expr sumD = k.sum("sum_d", Domain::Row, d);
  Expr sumD2 = k.sum("sum_d2", Domain::Row, mul(d, d));
  Expr delta = k.map("delta", Domain::Row, div(sumD, hidden()));
  Expr corrected = k.map("corrected", Domain::Row, div(sub(sumD2, mul(hidden(), mul(delta, delta))), hidden()));
  Expr var = k.map("var", Domain::Row, select(lt(corrected, f(0)), f(0), corrected));
  // Where the sum of squares overflows, 1 / sqrt(inf) would make the row silently 0.
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Expr inverse = div(f(1), sqrt(add(var, b.eps)));
  Expr rstd = k.map("rstd", Domain::Row, select(eq(sumD2, f(infinity)), f(std::numeric_limits<float>::quiet_NaN()), inverse),
                    b.store(spec.rstd, "rstd", b.statisticsType()));
  if (spec.mean)
    k.map("mean", Domain::Row, add(m, delta), Store{"mean", b.statisticsType()});
  b.output(mul(sub(d, delta), rstd));
  return std::move(b.kernel);
}

/// Zhang and Sennrich 2019.
Kernel rmsNorm(const KernelSpec &spec, Affine affine) {
  Builder b(spec, affine);
  Kernel &k = b.kernel;
  Expr v = b.values();
  Expr sumV2 = k.sum("sum_v2", Domain::Row, mul(v, v));
  Expr rstd = k.map("rstd", Domain::Row, div(f(1), sqrt(add(div(sumV2, hidden()), b.eps))), b.store(spec.rstd, "rstd", b.statisticsType()));
  b.output(mul(v, rstd));
  return std::move(b.kernel);
}

} // namespace

Kernel normKernel(const KernelSpec &spec, Affine affine) {
  switch (spec.op) {
  case Op::LayerNorm: return layerNorm(spec, affine);
  case Op::RMSNorm: return rmsNorm(spec, affine);
  }
  reportBug("unknown op");
}

std::vector<std::string> normFormula(const KernelSpec &spec) {
  const std::string v = spec.residual ? "v" : "x";
  std::vector<std::string> lines;
  if (spec.residual)
    lines.push_back("v[r][c]   = x[r][c] + residual[r][c]" +
                    (spec.residualRounding == ResidualRounding::Storage ? ", a float32 rounded to " + std::string(dtypeName(spec.dtype)) : std::string(", a float32")));
  if (spec.sum)
    lines.push_back("sum[r][c] = v[r][c]");
  std::string weight = spec.weight == Presence::Off ? "" : spec.weightOffset == 0 ? " * weight[c]" : " * (" + std::to_string(spec.weightOffset) + " + weight[c])";
  std::string bias = spec.bias == Presence::Off ? "" : " + bias[c]";
  switch (spec.op) {
  case Op::LayerNorm:
    lines.push_back("mean[r]   = sum over c of " + v + "[r][c] / hidden");
    lines.push_back("rstd[r]   = 1 / sqrt(sum over c of (" + v + "[r][c] - mean[r])^2 / hidden + eps)");
    lines.push_back("y[r][c]   = (" + v + "[r][c] - mean[r]) * rstd[r]" + weight + bias);
    return lines;
  case Op::RMSNorm:
    lines.push_back("rstd[r]   = 1 / sqrt(sum over c of " + v + "[r][c]^2 / hidden + eps)");
    lines.push_back("y[r][c]   = " + v + "[r][c] * rstd[r]" + weight + bias);
    return lines;
  }
  reportBug("unknown op");
}

float neutralWeight(const KernelSpec &spec) { return static_cast<float>(1 - spec.weightOffset); }

float neutralBias(const KernelSpec &) { return -0.0f; }

} // namespace normc
