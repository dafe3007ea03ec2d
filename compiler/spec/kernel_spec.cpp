// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/kernel_spec.h"

#include "compiler/spec/fields.h"
#include "compiler/spec/reserved_names.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace normc {
namespace {

struct OpRow {
  Op op;
  std::string_view name;
  std::string_view summary;
};

constexpr OpRow kOps[] = {
    {Op::LayerNorm, "layer_norm", "y = (x - mean) / sqrt(variance + eps) * weight + bias"},
    {Op::RMSNorm, "rms_norm", "y = x / sqrt(mean(x^2) + eps) * weight"},
};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void impossible(std::string message, std::vector<std::string> notes) {
  throw Error(DiagCode::ImpossibleCombination, std::move(message), std::move(notes));
}

void verifyTypes(const KernelSpec &spec, SpecUse use) {
  const std::string x(dtypeName(spec.dtype));
  if (spec.dtype == DType::F64 && use != SpecUse::Interpret)
    impossible("element type 'f64' is not compiled",
               {"back ends compile " + quotedList(productDTypeNames(), "and") + "; 'normc run --backend reference' takes f64"});
  std::vector<std::string> parameterTypes = {x};
  if (spec.dtype != DType::F32)
    parameterTypes.push_back("f32");
  if (std::find(parameterTypes.begin(), parameterTypes.end(), dtypeName(spec.paramDtype)) == parameterTypes.end())
    impossible("weight and bias cannot be '" + std::string(dtypeName(spec.paramDtype)) + "' where x is '" + x + "'",
               {"they have x's type or f32: " + quotedList(parameterTypes)});
  std::vector<std::string> yTypes = spec.dtype == DType::F64 ? std::vector<std::string>{"f64"} : productDTypeNames();
  if (std::find(yTypes.begin(), yTypes.end(), dtypeName(spec.yDtype)) == yTypes.end())
    impossible("y cannot be '" + std::string(dtypeName(spec.yDtype)) + "' where x is '" + x + "'", {"y can be " + quotedList(yTypes)});
}

void verifyOp(const KernelSpec &spec) {
  if (spec.op != Op::RMSNorm)
    return;
  if (spec.bias != Presence::Off)
    impossible("rms_norm has no bias", {"leave out --bias, or use layer_norm"});
  if (spec.mean)
    impossible("rms_norm has no output 'mean'", {"its outputs are 'y', 'rstd' and, with --residual, 'sum'"});
}

} // namespace

std::string_view opName(Op op) { return kOps[static_cast<size_t>(op)].name; }

std::string_view opSummary(Op op) { return kOps[static_cast<size_t>(op)].summary; }

std::vector<std::string> opNames() {
  std::vector<std::string> names;
  for (const OpRow &row : kOps)
    names.emplace_back(row.name);
  return names;
}

Op parseOp(std::string_view name) {
  for (const OpRow &row : kOps)
    if (row.name == name)
      return row.op;
  std::vector<std::string> notes = suggestion(name, opNames());
  notes.push_back("known operations: " + quotedList(opNames(), "and"));
  throw Error(DiagCode::UnknownOp, "unknown operation '" + std::string(name) + "'", std::move(notes));
}

void verifyName(std::string_view name) {
  auto bad = [&](const std::string &why, std::string next) {
    throw Error(DiagCode::BadName, "'" + std::string(name) + "' cannot be a kernel's name: " + why, {std::move(next)});
  };
  const std::string rule = "a name is a C identifier: letters, digits and single underscores, beginning with a letter";
  if (name.empty())
    bad("it is empty", rule);
  if (!isLetter(name[0]))
    bad("it does not begin with a letter", rule);
  for (char c : name)
    if (!isLetter(c) && !isDigit(c) && c != '_')
      bad("it contains '" + std::string(1, c) + "'", rule);
  if (name.find("__") != std::string_view::npos)
    bad("it contains '__', which separates a kernel from its variants", rule);
  if (name.size() > 128)
    bad("it has " + std::to_string(name.size()) + " characters", "a name has at most 128 characters");
  if (const std::string_view taken = reservedAs(name); !taken.empty())
    bad(std::string(taken), "add a prefix, such as 'my_" + std::string(name) + "'");
  for (const char *prefix : {"normc_", "NORMC_"})
    if (name.substr(0, 6) == prefix)
      bad("names that begin with '" + std::string(prefix) + "' belong to the runtime", "leave the prefix out");
}

void verify(const KernelSpec &spec, SpecUse use) {
  if (spec.hidden < 0 || spec.hidden > kMaxHidden)
    throw Error(DiagCode::BadNumber, "hidden is " + std::to_string(spec.hidden) + ", but must be from 1 to " + std::to_string(kMaxHidden) + ", or dynamic");
  if (!std::isfinite(spec.eps) || std::fabs(spec.eps) > static_cast<double>(FLT_MAX))
    throw Error(DiagCode::BadNumber, "eps is not a finite float32 number", {"any finite value is legal, 0 and negative ones too"});
  if (spec.weightOffset != 0 && spec.weightOffset != 1)
    throw Error(DiagCode::BadNumber, "weight offset is " + std::to_string(spec.weightOffset) + ", but must be 0 or 1");
  verifyTypes(spec, use);
  verifyOp(spec);
  if (spec.sum && !spec.residual)
    impossible("output 'sum' needs a residual", {"add --residual, or leave 'sum' out of --outputs"});
  if (spec.residualRounding == ResidualRounding::Storage && !spec.residual)
    impossible("--residual-rounding needs a residual", {"add --residual, or leave --residual-rounding out"});
  if (spec.weightOffset == 1 && spec.weight == Presence::Off)
    impossible("--weight-offset 1 needs a weight", {"it makes a weight w stand for 1 + w; leave out --weight off, or the offset"});
  if (!spec.name.empty())
    verifyName(spec.name);
}

std::string defaultName(const KernelSpec &spec) {
  std::string name = spec.residual ? "add_" : "";
  name += opName(spec.op);
  name.append("_").append(dtypeName(spec.dtype));
  name.append("_h").append(spec.dynamic() ? "dyn" : std::to_string(spec.hidden));
  return name;
}

std::string canonicalSpelling(const KernelSpec &spec) {
  std::string text;
  for (const Field &field : kernelFields()) {
    if (!field.spell)
      continue;
    std::optional<std::string> value = field.spell(spec);
    if (!value)
      continue;
    if (!text.empty())
      text += " ";
    if (field.kind == FieldKind::Positional)
      text += *value;
    else if (field.kind == FieldKind::Switch)
      text += "--" + std::string(field.flag);
    else
      text += "--" + std::string(field.flag) + " " + *value;
  }
  return text;
}

std::string textHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  std::string digits(16, '0');
  for (size_t i = 0; i < 16; ++i)
    digits[i] = "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
  return digits;
}

std::string specHash(const KernelSpec &spec) { return textHash(canonicalSpelling(spec)); }

} // namespace normc
