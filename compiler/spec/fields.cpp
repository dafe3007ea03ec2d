// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/fields.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace normc {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// One of a few words; `field` and the words go into the message.
size_t parseChoice(std::string_view flag, std::string_view text, const std::vector<std::string> &words) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == text)
      return i;
  throw Error(DiagCode::BadValue, std::string(flag) + " is " + quoted(text) + ", but must be " + quotedList(words), suggestion(text, words));
}

constexpr std::string_view kHiddenRule = "must be a whole number from 1 to 16777216, or 'dynamic'";

int64_t parseHidden(std::string_view text) {
  if (text == "dynamic")
    return 0;
  int64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = end == text.data() + text.size() && !text.empty() && problem != std::errc::invalid_argument;
  if (!number)
    throw Error(DiagCode::BadNumber, "hidden is " + quoted(text) + ", but " + std::string(kHiddenRule), suggestion(text, {"dynamic"}));
  if (problem == std::errc::result_out_of_range ? text[0] != '-' : value > kMaxHidden)
    throw Error(DiagCode::BadNumber, "hidden is " + std::string(text) + ", but hidden is at most " + std::to_string(kMaxHidden),
                {"statistics count columns in float32, which is exact up to 2^24"});
  if (problem == std::errc::result_out_of_range || value < 1)
    throw Error(DiagCode::BadNumber, "hidden is " + std::string(text) + ", but " + std::string(kHiddenRule));
  return value;
}

double parseEps(std::string_view text) {
  double value = 0;
  std::string_view digits = text.substr(0, 1) == "+" ? text.substr(1) : text;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  // from_chars does not say on which side the range was left; strtod does, and gives a subnormal or 0 where the number is too small.
  if (whole && problem == std::errc::result_out_of_range)
    value = std::strtod(std::string(digits).c_str(), nullptr);
  if (!whole || problem == std::errc::invalid_argument || !std::isfinite(static_cast<float>(value)))
    throw Error(DiagCode::BadNumber, "eps is " + quoted(text) + ", but must be a finite float32 number",
                {"0 and negative values are legal; the default is 1e-5"});
  if (value == 0 && problem == std::errc::result_out_of_range)
    throw Error(DiagCode::BadNumber, "eps is " + quoted(text) + ", which is too small for any floating-point number", {"write 0 if that is meant"});
  return value;
}

template <class T, class ParseOne> std::vector<T> parseListOf(std::string_view flag, std::string_view text, ParseOne parseOne) {
  std::vector<T> values;
  for (const std::string &part : splitList(text)) {
    if (part.empty())
      throw Error(DiagCode::BadValue, std::string(flag) + " is " + quoted(text) + ": an element of the list is empty",
                  {"write the values with commas between them"});
    T value = parseOne(part);
    if (std::find(values.begin(), values.end(), value) != values.end())
      throw Error(DiagCode::BadValue, std::string(flag) + " has " + quoted(part) + " twice");
    values.push_back(std::move(value));
  }
  return values;
}

const std::vector<std::string> kPresences = {"required", "optional", "off"};
const std::vector<std::string> kRoundings = {"accum", "storage"};
const std::vector<std::string> kOutputs = {"y", "mean", "rstd", "sum"};
const std::vector<std::string> kBackends = {"auto", "halide", "reference"};

std::string outputsText(const KernelSpec &spec) {
  std::string text = "y";
  if (spec.mean)
    text += ",mean";
  if (spec.rstd)
    text += ",rstd";
  if (spec.sum)
    text += ",sum";
  return text;
}

using Request = KernelRequest;
using Spec = KernelSpec;
using Text = std::string_view;
using Spelling = std::optional<std::string>;

const Field kFields[] = {
    {"op", "op", "OP", "OP", "layer_norm or rms_norm", "", FieldGroup::What, FieldKind::Positional, [](Request &r, Text t) { r.op = parseOp(t); },
     [](const Spec &s) -> Spelling { return std::string(opName(s.op)); }},
    {"hidden", "hidden", "HIDDEN", "N[,N...]", "columns normalized together, or 'dynamic'", "", FieldGroup::What, FieldKind::NumberList,
     [](Request &r, Text t) { r.hidden = parseListOf<int64_t>("hidden", t, parseHidden); }, [](const Spec &s) -> Spelling { return hiddenText(s.hidden); }},
    {"dtype", "dtype", "DTYPE", "T[,T...]", "element type of x: f32, f16 or bf16", "f32", FieldGroup::What, FieldKind::WordList,
     [](Request &r, Text t) { r.dtypes = parseListOf<DType>("dtype", t, parseDTypeOrThrow); },
     [](const Spec &s) -> Spelling { return std::string(dtypeName(s.dtype)); }},
    {"param-dtype", "param_dtype", "PARAM_DTYPE", "T", "of weight, bias: x's type or f32", "x's type", FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) { r.paramDtype = parseDTypeOrThrow(t); }, [](const Spec &s) -> Spelling { return std::string(dtypeName(s.paramDtype)); }},
    {"y-dtype", "y_dtype", "Y_DTYPE", "T", "of y: f32, f16 or bf16", "x's type", FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) { r.yDtype = parseDTypeOrThrow(t); }, [](const Spec &s) -> Spelling { return std::string(dtypeName(s.yDtype)); }},
    {"weight", "weight", "WEIGHT", "P", "required, optional (or NULL) or off", "optional", FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) { r.weight = static_cast<Presence>(parseChoice("weight", t, kPresences)); },
     [](const Spec &s) -> Spelling { return std::string(presenceName(s.weight)); }},
    {"bias", "bias", "BIAS", "P", "likewise; layer_norm only", "optional", FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) { r.bias = static_cast<Presence>(parseChoice("bias", t, kPresences)); },
     [](const Spec &s) -> Spelling { return std::string(presenceName(s.bias)); }},
    {"residual", "residual", "RESIDUAL", "", "add an array to x before the statistics", "off", FieldGroup::What, FieldKind::Switch,
     [](Request &r, Text t) {
       r.residual = parseChoice("residual", t, {"false", "true"}) == 1;
     },
     [](const Spec &s) -> Spelling { return s.residual ? Spelling("true") : std::nullopt; }},
    {"residual-rounding", "residual_rounding", "RESIDUAL_ROUNDING", "R", "statistics of the float32 sum (accum) or of it in x's type (storage)", "accum",
     FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) { r.residualRounding = static_cast<ResidualRounding>(parseChoice("residual-rounding", t, kRoundings)); },
     [](const Spec &s) -> Spelling { return s.residual ? Spelling(kRoundings[static_cast<size_t>(s.residualRounding)]) : std::nullopt; }},
    {"outputs", "outputs", "OUTPUTS", "O[,O...]", "of y, mean (or NULL), rstd (or NULL), sum", "y,mean,rstd", FieldGroup::What,
     FieldKind::WordList,
     [](Request &r, Text t) {
       r.outputs = parseListOf<std::string>("outputs", t, [](const std::string &word) { return kOutputs[parseChoice("outputs", word, kOutputs)]; });
       if (std::find(r.outputs.begin(), r.outputs.end(), "y") == r.outputs.end())
         throw Error(DiagCode::BadValue, "outputs is " + quoted(t) + ", but every kernel writes 'y'", {"write y," + std::string(t)});
     },
     [](const Spec &s) -> Spelling { return outputsText(s); }},
    {"eps", "eps", "EPS", "E", "added to the variance before the square root", "1e-5", FieldGroup::What, FieldKind::Number,
     [](Request &r, Text t) { r.eps = parseEps(t); },
     [](const Spec &s) -> Spelling { return s.dtype == DType::F64 ? numberText(s.eps) : numberText(static_cast<float>(s.eps)); }},
    {"weight-offset", "weight_offset", "WEIGHT_OFFSET", "0|1", "1: a weight w stands for 1 + w", "0", FieldGroup::What, FieldKind::Number,
     [](Request &r, Text t) {
       r.weightOffset = static_cast<int>(parseChoice("weight-offset", t, {"0", "1"}));
     },
     [](const Spec &s) -> Spelling { return std::to_string(s.weightOffset); }},
    {"name", "name", "NAME", "NAME", "the C function", "e.g. layer_norm_f32_h768", FieldGroup::What, FieldKind::Word,
     [](Request &r, Text t) {
       verifyName(t);
       r.name = t;
     },
     nullptr},
    {"target", "targets", "TARGETS", "T[,T...]", "x86-64-v2, x86-64-v3, x86-64-v4, host", "all three", FieldGroup::Where, FieldKind::WordList,
     [](Request &r, Text t) { r.targets = parseListOf<std::string>("target", t, [](const std::string &word) { return word; }); }, nullptr},
    {"backend", "backend", "BACKEND", "B", "auto, halide or reference", "auto", FieldGroup::Where, FieldKind::Word,
     [](Request &r, Text t) { r.backend = kBackends[parseChoice("backend", t, kBackends)]; }, nullptr},
};

} // namespace

std::span<const Field> kernelFields() { return kFields; }

const Field &kernelField(std::string_view flag) {
  for (const Field &field : kFields)
    if (field.flag == flag)
      return field;
  reportBug("no kernel field '" + std::string(flag) + "'");
}

void setField(KernelRequest &request, const Field &field, std::string_view text) {
  field.parse(request, text);
  request.given.emplace(field.flag);
}

KernelSpec specOf(const KernelRequest &request, int64_t hidden, DType dtype) {
  KernelSpec spec;
  spec.op = request.op;
  spec.dtype = dtype;
  spec.paramDtype = request.paramDtype.value_or(dtype);
  spec.yDtype = request.yDtype.value_or(dtype);
  spec.hidden = hidden;
  spec.weight = request.weight;
  spec.bias = request.bias.value_or(request.op == Op::RMSNorm ? Presence::Off : Presence::Optional);
  spec.residual = request.residual;
  spec.residualRounding = request.residualRounding;
  auto wanted = [&](std::string_view output) { return std::find(request.outputs.begin(), request.outputs.end(), output) != request.outputs.end(); };
  spec.mean = request.outputs.empty() ? request.op == Op::LayerNorm : wanted("mean");
  spec.rstd = request.outputs.empty() || wanted("rstd");
  spec.sum = wanted("sum");
  if (dtype != DType::F64 && request.eps != 0 && static_cast<float>(request.eps) == 0)
    throw Error(DiagCode::BadNumber, "eps is " + numberText(request.eps) + ", which float32 rounds to 0",
                {"write 0 if that is meant; the least positive float32 is 1.4e-45"});
  spec.eps = dtype == DType::F64 ? request.eps : static_cast<double>(static_cast<float>(request.eps));
  spec.weightOffset = request.weightOffset;
  spec.name = request.name;
  return spec;
}

std::vector<KernelSpec> expand(const KernelRequest &request, SpecUse use) {
  if (request.hidden.empty())
    throw Error(DiagCode::BadUsage, "no hidden size is given", {"add --hidden N, --hidden N,N,... or --hidden dynamic"});
  const std::vector<DType> dtypes = request.dtypes.empty() ? std::vector<DType>{DType::F32} : request.dtypes;
  std::vector<KernelSpec> specs;
  for (DType dtype : dtypes) {
    for (int64_t hidden : request.hidden) {
      KernelSpec spec = specOf(request, hidden, dtype);
      if (!request.name.empty() && dtypes.size() > 1)
        spec.name.append("_").append(dtypeName(dtype));
      if (!request.name.empty() && request.hidden.size() > 1)
        spec.name.append("_h").append(hidden == 0 ? "dyn" : std::to_string(hidden));
      if (request.has("residual-rounding") && !request.residual)
        throw Error(DiagCode::ImpossibleCombination, "--residual-rounding needs a residual", {"add --residual, or leave --residual-rounding out"});
      verify(spec, use);
      specs.push_back(std::move(spec));
    }
  }
  return specs;
}

std::string hiddenText(int64_t hidden) { return hidden == 0 ? "dynamic" : std::to_string(hidden); }

std::string_view presenceName(Presence presence) { return kPresences[static_cast<size_t>(presence)]; }

std::string numberText(float value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string numberText(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    parts.emplace_back(part);
    if (comma == std::string_view::npos)
      return parts;
    text.remove_prefix(comma + 1);
  }
}

DType parseDTypeOrThrow(std::string_view name) {
  std::optional<DType> dtype = parseDType(name);
  if (dtype && (*dtype == DType::F32 || *dtype == DType::F16 || *dtype == DType::BF16 || *dtype == DType::F64))
    return *dtype;
  std::vector<std::string> known = productDTypeNames();
  std::vector<std::string> near = known;
  near.insert(near.end(), {"f64", "float32", "float16", "half", "bfloat16"});
  std::vector<std::string> notes = suggestion(name, near);
  notes.push_back("known element types: " + quotedList(known, "and") + "; 'f64' with --backend reference only");
  throw Error(DiagCode::UnknownDType, "unknown element type " + quoted(name), std::move(notes));
}

} // namespace normc
