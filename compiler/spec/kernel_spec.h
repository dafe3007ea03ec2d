// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelSpec: what one kernel computes, as the user asks for it.
#pragma once

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

/// Whether a kernel takes a parameter.
enum class Presence : uint8_t {
  Required, ///< every call gives it
  Optional, ///< a call may pass NULL
  Off,      ///< the kernel does not have it
};

/// What the statistics of a residual kernel see.
enum class ResidualRounding : uint8_t {
  Accum,   ///< the exact float32 x + residual
  Storage, ///< that value rounded to x's type, as unfused frameworks do
};

/// The largest hidden size: its float32 spelling must be exact.
inline constexpr int64_t kMaxHidden = int64_t{1} << 24;

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
  float eps = 1e-5f;              ///< the default that the emitted header offers; eps itself is a run-time argument
  int weightOffset = 0;           ///< 1: weight stands for 1 + weight
  std::string name;               ///< the C symbol; "" = defaultName

  bool dynamic() const { return hidden == 0; }
};

/// Checks what no single field can: throws ImpossibleCombination, BadNumber or BadName.
void verify(const KernelSpec &spec);

/// "layer_norm_f32_h768", "add_rms_norm_bf16_h4096", "layer_norm_f32_hdyn".
std::string defaultName(const KernelSpec &spec);

/// The one canonical spelling: op and every field that changes what is computed, in table order, defaults included; without the name.
/// Two specs with the same spelling compute the same bits.
std::string canonicalSpelling(const KernelSpec &spec);

/// 16 hexadecimal digits of a hash of the canonical spelling; the same on every machine.
std::string specHash(const KernelSpec &spec);

} // namespace normc
