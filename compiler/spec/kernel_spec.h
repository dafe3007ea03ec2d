// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelSpec: what one kernel computes, as the user asks for it.
#pragma once

#include "compiler/support/canonical_order.h"
#include "compiler/support/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

enum class Op : uint8_t { LayerNorm, RMSNorm };

std::string_view opName(Op op);
/// Throws UnknownOp, with the nearest name.
Op parseOp(std::string_view name);
std::vector<std::string> opNames();
/// One line for lists: what the operation computes.
std::string_view opSummary(Op op);

/// Whether a kernel takes a parameter.
enum class Presence : uint8_t {
  Required, ///< every call gives it
  Optional, ///< a call may pass NULL
  Off,      ///< the kernel does not have it
};

/// What the statistics of a residual kernel see.
enum class ResidualRounding : uint8_t {
  Accum,   ///< the float32 x + residual
  Storage, ///< that value rounded to x's type, as unfused frameworks do
};

/// The largest hidden size: its float32 spelling must be exact.
inline constexpr int64_t kMaxHidden = order::kMaxHidden;

struct KernelSpec {
  Op op = Op::LayerNorm;
  DType dtype = DType::F32;       ///< of x, residual and sum
  DType paramDtype = DType::F32;  ///< of weight and bias: x's type or f32
  DType yDtype = DType::F32;
  int64_t hidden = 0;             ///< 0: dynamic
  Presence weight = Presence::Optional;
  Presence bias = Presence::Optional; ///< Off for rms_norm
  bool residual = false;
  ResidualRounding residualRounding = ResidualRounding::Accum;
  bool mean = true;               ///< optional outputs; false for rms_norm
  bool rstd = true;
  bool sum = false;               ///< needs residual
  double eps = 1e-5;              ///< the default that the emitted header offers, rounded to float32 unless dtype is f64; eps itself is a run-time argument
  int weightOffset = 0;           ///< 1: weight stands for 1 + weight
  std::string name = {};          ///< the C symbol; "" = defaultName

  bool dynamic() const { return hidden == 0; }
};

/// What a spec is wanted for.
enum class SpecUse : uint8_t {
  Compile,   ///< by a back end: f32, f16, bf16
  Interpret, ///< by the reference, which also takes f64
};

/// Checks all that can be wrong with a spec: throws ImpossibleCombination, BadNumber or BadName.
void verify(const KernelSpec &spec, SpecUse use = SpecUse::Compile);

/// Checks a name that becomes a C symbol, from which others are made (NAME_args, NAME__x86_64_v3): throws BadName where it is no C identifier, is taken in
/// C or C++ programs (compiler/spec/reserved_names.h), contains "__" or begins with the runtime's own prefix.
void verifyName(std::string_view name);

/// "layer_norm_f32_h768", "add_rms_norm_bf16_h4096", "layer_norm_f32_hdyn".
std::string defaultName(const KernelSpec &spec);

/// The one canonical spelling: op and every field that changes what is computed, in table order, defaults included; without the name.
/// It is a command line: `normc emit <spelling> --as stages` means the same kernel. Two specs with the same spelling compute the same bits.
/// "layer_norm --hidden 768 --dtype f32 --param-dtype f32 --y-dtype f32 --weight optional --bias optional --outputs y,mean,rstd --eps 1e-05 --weight-offset 0"
std::string canonicalSpelling(const KernelSpec &spec);

/// 64-bit FNV-1a of a text, as 16 hexadecimal digits; the same on every machine.
std::string textHash(std::string_view text);

/// textHash of the canonical spelling.
std::string specHash(const KernelSpec &spec);

} // namespace normc
