// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/array_arguments.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace normc {
namespace {

const std::vector<std::string> kInputRoles = {"x", "residual", "weight", "bias"};
const std::vector<std::string> kOutputRoles = {"y", "mean", "rstd", "sum"};

struct Alias {
  std::string_view alias, role;
};
constexpr Alias kAliases[] = {{"skip", "residual"}, {"gamma", "weight"}, {"beta", "bias"}};

bool contains(const std::vector<std::string> &words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string parseRole(const std::string &flag, std::string word) {
  for (const Alias &alias : kAliases)
    if (word == alias.alias)
      word = alias.role;
  const bool input = flag == "input";
  const std::vector<std::string> &roles = input ? kInputRoles : kOutputRoles;
  if (contains(roles, word))
    return word;
  const std::vector<std::string> backward = input ? std::vector<std::string>{"dy", "mean", "rstd"} : std::vector<std::string>{"dx", "dweight", "dbias"};
  if (contains(backward, word))
    throw Error(DiagCode::MissingRole, "'" + word + "' is an array of the backward direction: backward is not available",
                {"forward " + flag + "s: " + quotedList(roles, "and")});
  throw Error(DiagCode::MissingRole, "unknown " + flag + " '" + word + "', expected " + quotedList(roles), suggestion(word, roles));
}

[[noreturn]] void shapeMismatch(const std::string &message, std::vector<std::string> notes = {}) {
  throw Error(DiagCode::ShapeMismatch, message, std::move(notes));
}

/// The element type of an array, given what the command line calls it.
DType dtypeOf(const ArrayArgument &argument, const NpyArray &array) {
  const std::string holds = "'" + argument.file + "' holds " + std::string(npyTypeName(array.type));
  if (!argument.dtype) {
    switch (array.type) {
    case NpyType::F32: return DType::F32;
    case NpyType::F64: return DType::F64;
    case NpyType::F16: return DType::F16;
    case NpyType::U16: break;
    }
    throw Error(DiagCode::DTypeMismatch, holds + ", which is no element type of a kernel",
                {"if these are the bits of bfloat16 numbers, write --input " + argument.role + ":bf16=" + argument.file});
  }
  if (npyTypeOf(*argument.dtype) != array.type)
    throw Error(DiagCode::DTypeMismatch, holds + ", but " + argument.role + " is given as " + std::string(dtypeName(*argument.dtype)) +
                                             ", which is stored as " + std::string(npyTypeName(npyTypeOf(*argument.dtype))));
  return *argument.dtype;
}

/// Builds a KernelProblem, one question after the other.
class ProblemReader {
public:
  ProblemReader(const KernelRequest &request, const ArrayArguments &arguments) : request_(request), arguments_(arguments) {}

  KernelProblem read() {
    loadInputs();
    const std::vector<int64_t> &x = problem_.inputs.at("x").shape;
    const std::vector<int64_t> normalized = normalizedShape(x);
    checkShapes(x, normalized);
    problem_.hidden = shapeElements(normalized);
    if (problem_.hidden < 0 || problem_.hidden > kMaxHidden)
      throw Error(DiagCode::BadNumber,
                  "the normalized shape " + shapeText(normalized) + " has more than 2^24 elements, but hidden is at most " + std::to_string(kMaxHidden));
    const std::vector<int64_t> leading(x.begin(), x.end() - static_cast<std::ptrdiff_t>(normalized.size()));
    problem_.rows = shapeElements(leading);
    if (problem_.hidden == 0)
      shapeMismatch("the normalized shape " + shapeText(normalized) + " has no elements, but hidden must be at least 1");
    fillSpec();
    outputs(x, leading);
    verify(problem_.spec, request_.backend == "reference" ? SpecUse::Interpret : SpecUse::Compile);
    return std::move(problem_);
  }

private:
  bool given(const std::string &role) const { return problem_.inputs.count(role) != 0; }

  void loadInputs() {
    for (const ArrayArgument &argument : arguments_.inputs) {
      if (given(argument.role))
        throw Error(DiagCode::BadUsage, "input '" + argument.role + "' is given twice");
      NpyArray array = readNpy(argument.file);
      types_[argument.role] = dtypeOf(argument, array);
      files_[argument.role] = argument.file;
      problem_.inputs.emplace(argument.role, std::move(array));
    }
    if (!given("x"))
      throw Error(DiagCode::MissingRole, "no input 'x' is given", {"add --input x=FILE.npy"});
  }

  std::string described(const std::string &role) const { return role + " ('" + files_.at(role) + "') has shape " + shapeText(problem_.inputs.at(role).shape); }

  /// The trailing extents that are normalized: what is said, else the parameters' shape, else the last extent.
  std::vector<int64_t> normalizedShape(const std::vector<int64_t> &x) const {
    if (arguments_.normalizedShape && arguments_.axis)
      throw Error(DiagCode::BadUsage, "both --normalized-shape and --axis are given", {"give one of them"});
    const int64_t rank = static_cast<int64_t>(x.size());
    if (arguments_.axis) {
      const int64_t axis = *arguments_.axis < 0 ? *arguments_.axis + rank : *arguments_.axis;
      if (axis < 0 || axis >= rank)
        shapeMismatch("axis " + std::to_string(*arguments_.axis) + " is not a dimension of x: " + described("x") +
                      (rank ? ", so axes go from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) : ""));
      return {x.begin() + axis, x.end()};
    }
    std::vector<int64_t> shape;
    std::string whose;
    if (arguments_.normalizedShape) {
      shape = *arguments_.normalizedShape;
      whose = "the normalized shape";
    } else if (given("weight") || given("bias")) {
      const std::string role = given("weight") ? "weight" : "bias";
      shape = problem_.inputs.at(role).shape;
      whose = "the shape of " + role;
    } else if (rank == 0) {
      shapeMismatch(described("x") + ", but needs at least one dimension");
    } else {
      return {x.back()};
    }
    if (shape.empty())
      shapeMismatch(whose + " is empty, but must name at least one dimension of x", {described("x")});
    if (shape.size() > x.size())
      shapeMismatch(whose + " " + shapeText(shape) + " has more dimensions than x: " + described("x"));
    const std::vector<int64_t> tail(x.end() - static_cast<std::ptrdiff_t>(shape.size()), x.end());
    if (tail != shape)
      shapeMismatch(whose + " is " + shapeText(shape) + ", but the trailing dimensions of x are " + shapeText(tail), {described("x")});
    return shape;
  }

  void checkShapes(const std::vector<int64_t> &x, const std::vector<int64_t> &normalized) const {
    for (const char *role : {"weight", "bias"})
      if (given(role) && problem_.inputs.at(role).shape != normalized)
        shapeMismatch(described(role) + ", but the normalized shape is " + shapeText(normalized));
    if (given("residual") && problem_.inputs.at("residual").shape != x)
      shapeMismatch(described("residual") + ", but x has shape " + shapeText(x));
  }

  /// A type that both a flag and an array give must be the same.
  void mustAgree(const std::string &flag, const std::optional<DType> &said, DType found, const std::string &role) const {
    if (said && *said != found)
      throw Error(DiagCode::DTypeMismatch, "--" + flag + " is " + std::string(dtypeName(*said)) + ", but " + role + " ('" + files_.at(role) + "') holds " +
                                               std::string(dtypeName(found)));
  }

  Presence presence(const std::string &role, Presence said) const {
    if (!request_.has(role))
      return given(role) ? Presence::Required : Presence::Off;
    if (said == Presence::Required && !given(role))
      throw Error(DiagCode::MissingRole, "the kernel requires " + role + ", which is not given", {"add --input " + role + "=FILE.npy"});
    if (said == Presence::Off && given(role))
      throw Error(DiagCode::MissingRole, role + " is given, but the kernel has none (--" + role + " off)");
    return said;
  }

  void fillSpec() {
    if (request_.hidden.size() > 1 || request_.dtypes.size() > 1)
      throw Error(DiagCode::BadUsage, "run takes one kernel, but a list is given",
                  {"give one --hidden and one --dtype, or leave them out: they follow from x"});
    const DType x = types_.at("x");
    if (!request_.dtypes.empty())
      mustAgree("dtype", request_.dtypes[0], x, "x");
    if (given("residual"))
      mustAgree("dtype", x, types_.at("residual"), "residual");
    KernelSpec &spec = problem_.spec;
    spec = specOf(request_, request_.hidden.empty() ? problem_.hidden : request_.hidden[0], x);
    if (!spec.dynamic() && spec.hidden != problem_.hidden)
      shapeMismatch("hidden is " + std::to_string(spec.hidden) + ", but the normalized shape has " + std::to_string(problem_.hidden) + " elements",
                    {described("x")});
    if (given("weight") && given("bias") && types_.at("weight") != types_.at("bias"))
      throw Error(DiagCode::DTypeMismatch, "weight holds " + std::string(dtypeName(types_.at("weight"))) + " and bias " +
                                               std::string(dtypeName(types_.at("bias"))) + ", but they must be of one type");
    for (const char *role : {"weight", "bias"}) {
      if (!given(role))
        continue;
      mustAgree("param-dtype", request_.paramDtype, types_.at(role), role);
      spec.paramDtype = types_.at(role);
    }
    spec.weight = presence("weight", spec.weight);
    if (request_.op == Op::LayerNorm || given("bias") || request_.has("bias"))
      spec.bias = presence("bias", spec.bias);
    if (request_.residual && !given("residual"))
      throw Error(DiagCode::MissingRole, "--residual is given, but no input 'residual'", {"add --input residual=FILE.npy"});
    spec.residual = given("residual");
  }

  void outputs(const std::vector<int64_t> &x, const std::vector<int64_t> &leading) {
    KernelSpec &spec = problem_.spec;
    std::vector<std::string> wanted, files;
    for (const ArrayArgument &argument : arguments_.outputs) {
      if (contains(wanted, argument.role))
        throw Error(DiagCode::BadUsage, "output '" + argument.role + "' is given twice");
      const std::string file = std::filesystem::weakly_canonical(argument.file).string();
      if (contains(files, file))
        throw Error(DiagCode::BadUsage, "two outputs would be written to '" + argument.file + "'");
      wanted.push_back(argument.role);
      files.push_back(file);
    }
    if (wanted.empty())
      throw Error(DiagCode::BadUsage, "no output is asked for", {"add --output y=FILE.npy"});
    for (const std::string &role : wanted)
      if (!request_.outputs.empty() && !contains(request_.outputs, role))
        throw Error(DiagCode::MissingRole, "output '" + role + "' is asked for, but --outputs leaves it out");
    if (request_.outputs.empty()) {
      spec.mean = contains(wanted, "mean");
      spec.rstd = contains(wanted, "rstd");
      spec.sum = contains(wanted, "sum");
    }
    for (const ArrayArgument &argument : arguments_.outputs) {
      const bool perRow = argument.role == "mean" || argument.role == "rstd";
      DType type = perRow ? (spec.dtype == DType::F64 ? DType::F64 : DType::F32) : spec.dtype;
      if (argument.role == "y") {
        if (argument.dtype && request_.yDtype && *argument.dtype != *request_.yDtype)
          throw Error(DiagCode::DTypeMismatch,
                      "--y-dtype is " + std::string(dtypeName(*request_.yDtype)) + ", but --output says y:" + std::string(dtypeName(*argument.dtype)));
        type = spec.yDtype = argument.dtype.value_or(spec.yDtype);
      }
      if (argument.dtype && *argument.dtype != type)
        throw Error(DiagCode::DTypeMismatch, "output '" + argument.role + "' is asked for as " + std::string(dtypeName(*argument.dtype)) + ", but is always " +
                                                 std::string(dtypeName(type)) + " here");
      problem_.outputs[argument.role] = type;
      problem_.outputShapes[argument.role] = !perRow ? x : leading.empty() ? std::vector<int64_t>{1} : leading;
    }
  }

  const KernelRequest &request_;
  const ArrayArguments &arguments_;
  KernelProblem problem_;
  std::map<std::string, DType> types_;
  std::map<std::string, std::string> files_;
};

} // namespace

NpyType npyTypeOf(DType dtype) {
  switch (dtype) {
  case DType::F32: return NpyType::F32;
  case DType::F64: return NpyType::F64;
  case DType::F16: return NpyType::F16;
  case DType::BF16: return NpyType::U16;
  default: reportBug("no .npy type for " + std::string(dtypeName(dtype)));
  }
}

ArrayArgument parseArrayArgument(const std::string &flag, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(DiagCode::BadUsage, "--" + flag + " is '" + text + "', but must be ROLE=FILE.npy or ROLE:DTYPE=FILE.npy",
                {"for example --" + flag + (flag == "input" ? " x=x.npy" : " y=y.npy")});
  ArrayArgument argument;
  std::string role = text.substr(0, equals);
  argument.file = text.substr(equals + 1);
  if (const size_t colon = role.find(':'); colon != std::string::npos) {
    argument.dtype = parseDTypeOrThrow(role.substr(colon + 1));
    role.resize(colon);
  }
  argument.role = parseRole(flag, role);
  return argument;
}

std::vector<int64_t> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  if (text.empty())
    return shape;
  for (const std::string &part : splitList(text)) {
    int64_t extent = 0;
    auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (problem != std::errc{} || end != part.data() + part.size() || extent < 0)
      throw Error(DiagCode::BadNumber, "--normalized-shape is '" + text + "', but must be whole numbers with commas between them",
                  {"for example --normalized-shape 16,64"});
    shape.push_back(extent);
  }
  return shape;
}

KernelProblem readProblem(const KernelRequest &request, const ArrayArguments &arguments) { return ProblemReader(request, arguments).read(); }

} // namespace normc
