// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of what a kernel can be asked for. Command-line flags, JSON keys, CMake keywords, help texts and the canonical spelling come from it, so that
// one word means the same thing everywhere. A new field is a row here and a member of KernelSpec.
#pragma once

#include "compiler/spec/kernel_spec.h"

#include <set>
#include <span>

namespace normc {

/// What one command line, CMake call or JSON object asks for: a product of widths and element types, and where to compile it for.
struct KernelRequest {
  Op op = Op::LayerNorm;
  std::vector<int64_t> hidden;           ///< 0: dynamic; empty: not said
  std::vector<DType> dtypes;             ///< empty: f32
  std::optional<DType> paramDtype;       ///< default: x's type
  std::optional<DType> yDtype;           ///< default: x's type
  Presence weight = Presence::Optional;
  std::optional<Presence> bias;          ///< default: optional; off for rms_norm
  bool residual = false;
  ResidualRounding residualRounding = ResidualRounding::Accum;
  std::vector<std::string> outputs;      ///< empty: y and all statistics that the op has
  double eps = 1e-5;
  int weightOffset = 0;
  std::string name;
  std::vector<std::string> targets;      ///< as given; empty: not said
  std::string backend = "auto";
  std::set<std::string, std::less<>> given; ///< flags of the fields that were given

  bool has(std::string_view flag) const { return given.count(flag) != 0; }
};

enum class FieldGroup : uint8_t {
  What,  ///< what is computed
  Where, ///< for which machine, by which back end
};

enum class FieldKind : uint8_t {
  Positional, ///< the operation: first on the command line
  Word,
  WordList,   ///< comma-separated; a JSON list
  Number,
  NumberList, ///< whole numbers or "dynamic"
  Switch,     ///< given or not; a JSON boolean
};

struct Field {
  std::string_view flag;    ///< without dashes: "param-dtype"
  std::string_view json;    ///< "param_dtype"
  std::string_view cmake;   ///< "PARAM_DTYPE"
  std::string_view metavar; ///< "T"
  std::string_view help;    ///< one line
  std::string_view defaultText;
  FieldGroup group;
  FieldKind kind;
  /// Reads the value as the command line spells it. Throws UnknownOp, UnknownDType, BadNumber or BadValue; messages name the value and what is legal.
  void (*parse)(KernelRequest &request, std::string_view text);
  /// The canonical value; nullopt where the field does not apply to this spec. Null for fields that do not change what is computed.
  std::optional<std::string> (*spell)(const KernelSpec &spec);
};

std::span<const Field> kernelFields();
/// The field with that flag; InternalError where there is none.
const Field &kernelField(std::string_view flag);

/// Parses `text` into the field and notes that it was given.
void setField(KernelRequest &request, const Field &field, std::string_view text);

/// The kernels that `request` asks for: every width with every element type, verified; widths in the order given within a type. Throws BadUsage where no width
/// is given. Where there are several kernels, a given name becomes NAME_h768, NAME_f32_h768: whatever tells them apart.
std::vector<KernelSpec> expand(const KernelRequest &request, SpecUse use = SpecUse::Compile);

/// One kernel of the product: that width, that type. Not verified.
KernelSpec specOf(const KernelRequest &request, int64_t hidden, DType dtype);

/// "768", "dynamic"
std::string hiddenText(int64_t hidden);
std::string_view presenceName(Presence presence);
/// The shortest decimal text that reads back as the same float32 (or double).
std::string numberText(float value);
std::string numberText(double value);
/// The parts of a comma-separated list, blanks around them removed. An empty part is kept.
std::vector<std::string> splitList(std::string_view text);
/// Parses a name or an alias of an element type. Throws UnknownDType, with the nearest name.
DType parseDTypeOrThrow(std::string_view name);

} // namespace normc
