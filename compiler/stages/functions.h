// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the stage language: exp, erf and tanh, written in its operators once, so that every back end gives the same bits without a mathematics library.
#pragma once

#include "compiler/stages/expr.h"

#include <string_view>

namespace normc {

namespace ex {
/// e^a. Error at most 1.02 ulp, subnormal results included; +inf from 128 ln 2 on, 0 below -104.
Expr exp(Expr a);
/// The error function. Error at most 1.24 ulp; odd, -0 kept.
Expr erf(Expr a);
/// The hyperbolic tangent. Error at most 1.42 ulp; odd, -0 kept.
Expr tanh(Expr a);
} // namespace ex

/// What the function `name` of one argument means, in double; nullptr where there is no such function.
double (*exactFunction(std::string_view name))(double);

} // namespace normc
