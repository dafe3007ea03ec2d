// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C header of a library: valid C99, C11 and C++11 to C++20.
#include "compiler/library/outline.h"
#include "compiler/stages/norms.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace normc {
namespace library {
namespace {

/// `text` with every @WORD@ replaced by what `words` has for it.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> words) {
  std::string result;
  while (true) {
    size_t begin = text.find('@');
    result += text.substr(0, begin);
    if (begin == std::string_view::npos)
      return result;
    size_t end = text.find('@', begin + 1);
    std::string_view word = text.substr(begin + 1, end - begin - 1);
    auto found = std::find_if(words.begin(), words.end(), [&](const auto &entry) { return entry.first == word; });
    if (found == words.end())
      reportBug("the header's text asks for '" + std::string(word) + "'");
    result += found->second;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kBegin = R"(/* @LIBRARY@.h, emitted by @PRODUCER@: do not edit.
 *
 * Made by    @COMMAND@
 * Compile    cc app.c lib@LIBRARY@.a -lnormc_runtime -lm -ldl
 */
#ifndef @GUARD@
#define @GUARD@

#include <normc/abi.h>
#include <normc/exec.h>
#include <normc/runtime.h>
#include <normc/status.h>

#if NORMC_ABI_VERSION != @ABI@
#error "@LIBRARY@.h was emitted for ABI version @ABI@ of normc: emit it again with the normc that these headers belong to"
#endif

#ifndef NORMC_EMITTED_ASSERT
#if defined(__cplusplus)
#define NORMC_EMITTED_ASSERT(condition, name) static_assert(condition, #name)
#define NORMC_EMITTED_NULL nullptr
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NORMC_EMITTED_ASSERT(condition, name) _Static_assert(condition, #name)
#define NORMC_EMITTED_NULL NULL
#else
#define NORMC_EMITTED_ASSERT(condition, name) typedef char normc_assert_##name[(condition) ? 1 : -1]
#define NORMC_EMITTED_NULL NULL
#endif
#define NORMC_EMITTED_SAME_OFFSET(kernel, field, generic) \
  NORMC_EMITTED_ASSERT(offsetof(kernel##_args, field) == offsetof(normc_forward_args_t, generic), kernel##_##generic)
#endif

#ifdef __cplusplus
extern "C" {
#endif

)";

constexpr std::string_view kEntry = R"(/** @NAME@: @SUMMARY@
 *
@FORMULA@ *
 * Sharing memory: @SHARING@.
 * Row r of an array starts at element (r / inner_rows) * outer_stride + (r mod inner_rows) * stride; stride 0 means hidden,
 * outer_stride 0 means inner_rows * stride. Pointers need the alignment of their element, no more. rows = 0 is success.
 * Rounding: every step is float32, to nearest even, in one fixed order and without fused operations; each output is rounded
 * once, when it is stored. The bits do not depend on the CPU, on threads, on strides or on the other rows. */
typedef struct @NAME@_args {
  uint32_t struct_size; /* sizeof(@NAME@_args) */
  uint32_t flags; /* 0 */
  int64_t rows; /* 0 or more */
  int64_t inner_rows; /* 0 = rows */
  int64_t hidden; /* @HIDDEN@ */
  float eps; /* added before the square root; the initializer below sets it */
  uint32_t reserved; /* 0 */
@FIELDS@} @NAME@_args;

/** struct_size and eps set, the rest zero. */
#define @INIT@ \
  {sizeof(@NAME@_args), 0, 0, 0, 0, @EPS@, 0 \
   @ZEROS@}

@ASSERTIONS@NORMC_EMITTED_ASSERT(sizeof(@NAME@_args) == sizeof(normc_forward_args_t), @NAME@_size);

/** Runs the kernel. exec may be NULL: this thread, widest usable instruction set. Failure is decided before the first store. */
normc_status_t @NAME@(const @NAME@_args *args, const normc_exec_t *exec);

/** Bytes of exec->workspace that a call needs: 0. */
size_t @NAME@_workspace(int64_t rows, int64_t hidden);

@DESCRIPTION@
/** The same for contiguous arrays, on this thread, with the default eps and without mean and rstd. */
static inline normc_status_t @NAME@_simple(@PARAMETERS@) {
  @NAME@_args @ARGS@ = @INIT@;
@ASSIGNMENTS@  return @NAME@(&@ARGS@, NORMC_EMITTED_NULL);
}

)";

constexpr std::string_view kKernelDescription = R"(/** Its description, for normc_run_forward and normc_dispatch_info. */
extern const normc_kernel_t @NAME@_kernel;
)";

constexpr std::string_view kSetDescription = R"(/** Its kernels, for normc_run_forward_set and normc_kernel_set_find. */
extern const normc_kernel_set_t @NAME@_kernel_set;
)";

constexpr std::string_view kEnd = R"(#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* @GUARD@ */
)";

std::string_view cType(DType type) {
  switch (type) {
  case DType::F32:
    return "float";
  case DType::F16:
    return "normc_f16_t";
  case DType::BF16:
    return "normc_bf16_t";
  default:
    reportBug("emitted code has no arrays of " + std::string(dtypeName(type)));
  }
}

/// The shortest spelling that reads back as the same float.
std::string floatLiteral(double value) {
  std::array<char, 32> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(value)).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

std::string joined(const std::vector<std::string> &words, const std::string &separator) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i > 0 ? separator : "") + words[i];
  return text;
}

/// What the header says about one entry: a kernel, or a set of kernels of several widths.
class EntryText {
public:
  EntryText(const KernelSpec &spec, const std::vector<int64_t> &widths, bool anyWidth) : spec_(spec), arguments_(arguments(spec)), anyWidth_(anyWidth) {
    for (int64_t width : widths)
      widths_.push_back(std::to_string(width));
  }

  std::string text() const;

private:
  bool isSet() const { return widths_.size() + (anyWidth_ ? 1 : 0) > 1; }
  bool hiddenIsGiven() const { return isSet() || anyWidth_; }
  bool has(std::string_view name) const;
  std::string local(std::string_view word) const;
  std::string summary() const;
  std::string formula() const;
  std::string sharing() const;
  std::string fields() const;
  std::string assertions() const;
  std::string zeros() const;
  std::string parameters() const;
  std::string assignments() const;

  const KernelSpec &spec_;
  std::vector<Argument> arguments_;
  std::vector<std::string> widths_;
  bool anyWidth_;
};

bool EntryText::has(std::string_view name) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument &argument) { return argument.name == name && argument.use != Use::Absent; });
}

/// A local name in NAME_simple that does not hide the function NAME, whatever the user called it.
std::string EntryText::local(std::string_view word) const { return std::string(word) + (word == spec_.name ? "_" : ""); }

std::string EntryText::summary() const {
  std::string hidden = joined(widths_, ", ");
  if (anyWidth_)
    hidden = widths_.empty() ? "any from 1 to 16777216" : "any from 1 to 16777216; widths with code of their own: " + hidden;
  std::string types = "x is " + std::string(dtypeName(spec_.dtype)) + ", y is " + std::string(dtypeName(spec_.yDtype));
  for (const char *parameter : {"weight", "bias"})
    if (has(parameter))
      types += ", " + std::string(parameter) + " is " + std::string(dtypeName(spec_.paramDtype));
  std::string what = (spec_.residual ? "residual add and " : "") + std::string(opName(spec_.op));
  return what + " over the last dimension. hidden is " + hidden + ".\n * " + types + "; all arithmetic is float32.";
}

std::string EntryText::formula() const {
  std::string text;
  for (const std::string &line : normFormula(spec_))
    text += " *   " + line + "\n";
  if (spec_.weight == Presence::Optional)
    text += " * Where weight is NULL nothing is multiplied.\n";
  if (spec_.bias == Presence::Optional)
    text += " * Where bias is NULL nothing is added.\n";
  return text;
}

std::string EntryText::sharing() const {
  std::vector<std::string> pairs;
  for (const Argument &argument : arguments_)
    for (const std::string &input : argument.mayBe)
      pairs.push_back(std::string(argument.name) + " may be " + input);
  std::string rule = "no output may share memory with another array";
  return pairs.empty() ? rule : joined(pairs, ", ") + ", as the very same array with equal strides;\n * otherwise " + rule;
}

std::string EntryText::fields() const {
  std::string text;
  for (const Argument &argument : arguments_) {
    bool absent = argument.use == Use::Absent;
    std::string name = (absent ? "unused_" : "") + std::string(argument.name);
    std::string type = (argument.output ? "" : "const ") + std::string(absent && !argument.perRow ? "void" : cType(argument.dtype));
    std::string shape = argument.rank == 2 ? "[rows, hidden]" : argument.perRow ? "[rows]" : "[hidden]";
    std::string comment = absent ? "the kernel has no " + std::string(argument.name) + ": NULL" : shape + (argument.use == Use::Optional ? " or NULL" : "");
    text += "  " + type + " *" + name + "; /* " + comment + " */\n";
    if (argument.rank == 2)
      text += "  int64_t " + name + "_stride; /* elements; 0 = hidden */\n  int64_t " + name + "_outer_stride; /* elements; 0 = inner_rows * stride */\n";
  }
  return text;
}

std::string EntryText::assertions() const {
  std::string text;
  auto field = [&](const std::string &mine, const std::string &generic) {
    text += "NORMC_EMITTED_SAME_OFFSET(" + spec_.name + ", " + mine + ", " + generic + ");\n";
  };
  for (const char *name : {"rows", "inner_rows", "hidden", "eps"})
    field(name, name);
  for (const Argument &argument : arguments_) {
    std::string name(argument.name);
    std::string mine = (argument.use == Use::Absent ? "unused_" : "") + name;
    field(mine, name);
    if (argument.rank == 2) {
      field(mine + "_stride", name + "_stride");
      field(mine + "_outer_stride", name + "_outer_stride");
    }
  }
  return text;
}

std::string EntryText::zeros() const {
  std::string text;
  for (const Argument &argument : arguments_)
    text += argument.rank == 2 ? ", NORMC_EMITTED_NULL, 0, 0" : ", NORMC_EMITTED_NULL";
  return text;
}

/// Of NAME_simple.
std::string EntryText::parameters() const {
  std::vector<std::string> list = {"int64_t " + local("rows")};
  if (hiddenIsGiven())
    list.push_back("int64_t " + local("hidden"));
  for (const Argument &argument : arguments_)
    if (argument.use != Use::Absent && !argument.perRow)
      list.push_back((argument.output ? "" : "const ") + std::string(cType(argument.dtype)) + " *" + local(argument.name));
  return joined(list, ", ");
}

std::string EntryText::assignments() const {
  std::vector<std::string> names = {"rows"};
  if (hiddenIsGiven())
    names.push_back("hidden");
  for (const Argument &argument : arguments_)
    if (argument.use != Use::Absent && !argument.perRow)
      names.emplace_back(argument.name);
  std::string text;
  for (const std::string &name : names)
    text += "  " + local("args") + "." + name + " = " + local(name) + ";\n";
  return text;
}

std::string EntryText::text() const {
  return filled(kEntry, {{"NAME", spec_.name},
                         {"SUMMARY", summary()},
                         {"FORMULA", formula()},
                         {"SHARING", sharing()},
                         {"HIDDEN", hiddenIsGiven() ? "required" : "0 or " + widths_.front()},
                         {"FIELDS", fields()},
                         {"INIT", initializerMacro(spec_.name)},
                         {"EPS", floatLiteral(spec_.eps)},
                         {"ZEROS", zeros()},
                         {"ASSERTIONS", assertions()},
                         {"DESCRIPTION", filled(isSet() ? kSetDescription : kKernelDescription, {{"NAME", spec_.name}})},
                         {"PARAMETERS", parameters()},
                         {"ARGS", local("args")},
                         {"ASSIGNMENTS", assignments()}});
}

/// A file may be called what ends a comment in C, or what looks like the start of one.
std::string insideComment(std::string text) {
  for (size_t i = 1; i < text.size(); ++i)
    if ((text[i - 1] == '*' && text[i] == '/') || (text[i - 1] == '/' && text[i] == '*'))
      text.insert(i, "\\");
  return text;
}

} // namespace
} // namespace library

std::string libraryHeader(const Library &library) {
  library::checkNames(library);
  std::string guard = "NORMC_EMITTED_" + library::upperCase(library.name) + "_H";
  std::string text = library::filled(library::kBegin, {{"LIBRARY", library.name},
                                                       {"PRODUCER", library::producer()},
                                                       {"COMMAND", library::insideComment(library::commandLine(library))},
                                                       {"GUARD", guard},
                                                       {"ABI", std::to_string(NORMC_ABI_VERSION)}});
  for (const LibraryKernel &kernel : library.kernels) {
    std::vector<int64_t> widths;
    if (!kernel.spec.dynamic())
      widths.push_back(kernel.spec.hidden);
    text += library::EntryText(kernel.spec, widths, kernel.spec.dynamic()).text();
  }
  for (const library::KernelSet &set : library::kernelSets(library)) {
    std::vector<int64_t> widths;
    for (const LibraryKernel *kernel : set.kernels)
      if (!kernel->spec.dynamic())
        widths.push_back(kernel->spec.hidden);
    text += library::EntryText(set.spec, widths, set.kernels.back()->spec.dynamic()).text();
  }
  return text + library::filled(library::kEnd, {{"GUARD", guard}});
}

} // namespace normc
