// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The polynomials are near-minimax fits made for this file (iteratively reweighted least squares, coefficients rounded to float32). The errors stated in
// functions.h are those of a run over all float32 arguments: test/unit/stages/FunctionsTest.cpp with NORMC_FUNCTION_STRIDE=1
// (by default it takes every 509th).
#include "compiler/stages/functions.h"

#include <array>
#include <cmath>

namespace normc {
namespace ex {
namespace {

/// Horner's scheme, constant coefficient first in the list.
template <size_t N> Expr polynomial(const std::array<float, N> &coefficients, const Expr &a) {
  Expr result = f(coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;)
    result = add(mul(result, a), f(coefficients[i]));
  return result;
}

/// Adding it to an integral value of magnitude below 2^22 leaves that value in the low bits.
constexpr float kIntegerShift = 0x1.8p23f;

/// 2^n, n = shifted - kIntegerShift in [-126, 127]: n moves into the exponent field, what stands above its low nine bits falls off.
Expr powerOfTwo(const Expr &shifted) { return fromBits(addU(shiftLeft(bitsOf(shifted), 23), u(0x3f800000))); }

/// The magnitude of `a` with the sign bit of `sign`.
Expr withSignOf(const Expr &sign, const Expr &a) { return fromBits(logicalOr(bitsOf(a), logicalAnd(bitsOf(sign), u(0x80000000)))); }

/// e^a = 2^n * e^r with n = round(a / ln 2), r = a - n ln 2. ln 2 is split so that n times its high part is exact.
Expr exponential(const Expr &argument) {
  // Beyond these the result is 0 or infinity; within them n stays in [-150, 128].
  Expr a = min(max(argument, f(-104)), f(89));
  Expr n = sub(add(mul(a, f(0x1.715476p0f)), f(kIntegerShift)), f(kIntegerShift));
  Expr r = sub(sub(a, mul(n, f(0.693359375f))), mul(n, f(-2.12194440e-4f)));
  constexpr std::array tail{0.5f, 0.166665182f, 0.041666206f, 0.00836891774f, 0.00139505393f};
  Expr mantissa = add(f(1), add(r, mul(mul(r, r), polynomial(tail, r))));
  // In two factors, since 2^128 and 2^-150 are no float32 numbers; only the second multiplication can round.
  Expr firstShifted = add(mul(n, f(0.5f)), f(kIntegerShift));
  Expr secondShifted = add(sub(n, sub(firstShifted, f(kIntegerShift))), f(kIntegerShift));
  return mul(mul(mantissa, powerOfTwo(firstShifted)), powerOfTwo(secondShifted));
}

/// With t = |a|: near zero t + t P(t^2); beyond, 1 - e^(-t + t Q(t)), which is 1 from 4 on. The sign comes last: sums of zeros would lose that of -0.
Expr errorFunction(const Expr &a) {
  Expr magnitude = abs(a);
  constexpr std::array near{0.128379166f, -0.376126319f, 0.11283686f, -0.0268588513f, 0.00519960001f, -0.000812580693f, 8.29661149e-05f};
  constexpr std::array far{-0.128662005f, -0.635096312f, -0.106328025f, 0.0238407385f, -0.00367973396f, 0.000331988937f, -1.21505764e-05f};
  Expr small = add(magnitude, mul(magnitude, polynomial(near, mul(magnitude, magnitude))));
  Expr t = min(magnitude, f(4));
  Expr large = sub(f(1), exponential(sub(mul(t, polynomial(far, t)), t)));
  return withSignOf(a, select(lt(magnitude, f(0.9375f)), small, large));
}

/// With t = |a|: near zero t + t^3 P(t^2); beyond, 1 - 2 / (e^(2t) + 1). The sign comes last, as above.
Expr hyperbolicTangent(const Expr &a) {
  Expr magnitude = abs(a);
  Expr square = mul(magnitude, magnitude);
  constexpr std::array near{-0.333333135f, 0.133324713f, -0.0538392477f, 0.0210142769f, -0.00618863665f};
  Expr small = add(magnitude, mul(mul(magnitude, square), polynomial(near, square)));
  Expr large = sub(f(1), div(f(2), add(exponential(add(magnitude, magnitude)), f(1))));
  return withSignOf(a, select(lt(magnitude, f(0.5625f)), small, large));
}

} // namespace

Expr exp(Expr a) {
  Expr expansion = exponential(a);
  return call("exp", {std::move(a)}, std::move(expansion));
}

Expr erf(Expr a) {
  Expr expansion = errorFunction(a);
  return call("erf", {std::move(a)}, std::move(expansion));
}

Expr tanh(Expr a) {
  Expr expansion = hyperbolicTangent(a);
  return call("tanh", {std::move(a)}, std::move(expansion));
}

} // namespace ex

double (*exactFunction(std::string_view name))(double) {
  if (name == "exp")
    return [](double a) { return std::exp(a); };
  if (name == "erf")
    return [](double a) { return std::erf(a); };
  if (name == "tanh")
    return [](double a) { return std::tanh(a); };
  return nullptr;
}

} // namespace normc
