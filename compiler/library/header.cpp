// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C header of a library: valid C99, C11 and C++17.
#include "compiler/library/outline.h"
#include "compiler/support/error.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace normc {
namespace library {
namespace {

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
  EntryText(const KernelSpec &spec, std::vector<int64_t> widths, bool anyWidth)
      : spec_(spec), arguments_(arguments(spec)), widths_(std::move(widths)), anyWidth_(anyWidth), isSet_(widths_.size() + (anyWidth_ ? 1 : 0) > 1) {}

  std::string text() const;

private:
  bool hiddenIsGiven() const { return isSet_ || anyWidth_; }
  bool has(std::string_view name) const;
  std::string summary() const;
  std::string formula() const;
  std::string aliasText() const;
  std::string structText() const;
  std::string fieldText(const Argument &argument) const;
  std::string assertions() const;
  std::string initializer() const;
  std::string prototypes() const;
  std::string local(std::string_view word) const;
  std::string simple() const;

  const KernelSpec &spec_;
  std::vector<Argument> arguments_;
  std::vector<int64_t> widths_;
  bool anyWidth_;
  bool isSet_;
};

bool EntryText::has(std::string_view name) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument &argument) { return argument.name == name && argument.use != Use::Absent; });
}

std::string EntryText::summary() const {
  std::vector<std::string> widths;
  for (int64_t width : widths_)
    widths.push_back(std::to_string(width));
  std::string hidden = joined(widths, ", ");
  if (anyWidth_)
    hidden = widths_.empty() ? "any from 1 to 16777216" : "any from 1 to 16777216; widths with code of their own: " + hidden;
  std::string text = spec_.name + ": " + (spec_.residual ? "residual add and " : "") + std::string(opName(spec_.op)) + " over the last dimension. hidden is " + hidden + ".\n";
  return text + " * x is " + std::string(dtypeName(spec_.dtype)) + ", y is " + std::string(dtypeName(spec_.yDtype)) +
         (has("weight") || has("bias") ? ", weight and bias are " + std::string(dtypeName(spec_.paramDtype)) : "") + "; all arithmetic is float32.\n";
}

std::string EntryText::formula() const {
  std::string v = spec_.residual ? "v" : "x";
  std::string text;
  if (spec_.residual)
    text += " *   v[r][c]  = x[r][c] + residual[r][c]" +
            std::string(spec_.residualRounding == ResidualRounding::Storage ? ", rounded to " + std::string(dtypeName(spec_.dtype)) : ", exact in float32") + "\n";
  if (spec_.sum)
    text += " *   sum[r][c] = v[r][c]\n";
  std::string weight = !has("weight") ? "" : spec_.weightOffset != 0 ? " * (" + std::to_string(spec_.weightOffset) + " + weight[c])" : " * weight[c]";
  std::string bias = has("bias") ? " + bias[c]" : "";
  if (spec_.op == Op::LayerNorm) {
    text += " *   mean[r]   = sum over c of " + v + "[r][c] / hidden\n";
    text += " *   rstd[r]   = 1 / sqrt(sum over c of (" + v + "[r][c] - mean[r])^2 / hidden + eps)\n";
    text += " *   y[r][c]   = (" + v + "[r][c] - mean[r]) * rstd[r]" + weight + bias + "\n";
  } else {
    text += " *   rstd[r]   = 1 / sqrt(sum over c of " + v + "[r][c]^2 / hidden + eps)\n";
    text += " *   y[r][c]   = " + v + "[r][c] * rstd[r]" + weight + bias + "\n";
  }
  bool optional = spec_.weight == Presence::Optional || spec_.bias == Presence::Optional;
  return text + (optional ? " * Where weight is NULL nothing is multiplied, where bias is NULL nothing is added.\n" : "");
}

std::string EntryText::aliasText() const {
  std::vector<std::string> pairs;
  for (const Argument &argument : arguments_)
    if (argument.use != Use::Absent)
      for (const std::string &input : argument.mayBe)
        pairs.push_back(std::string(argument.name) + " may be " + input);
  std::string rule = "no output may share memory with another array";
  return " * Sharing memory: " + (pairs.empty() ? rule : joined(pairs, ", ") + ", as the very same array with equal strides; otherwise " + rule) + ".\n";
}

std::string EntryText::fieldText(const Argument &argument) const {
  bool absent = argument.use == Use::Absent;
  std::string name = (absent ? "unused_" : "") + std::string(argument.name);
  std::string type = (argument.output ? "" : "const ") + std::string(absent && argument.rank == 2 ? "void" : cType(argument.dtype));
  if (absent && !argument.perRow)
    type = argument.output ? "void" : "const void";
  std::string shape = argument.rank == 2 ? "[rows, hidden]" : argument.perRow ? "[rows]" : "[hidden]";
  std::string comment = absent ? "the kernel has no " + std::string(argument.name) + ": NULL" : shape + (argument.use == Use::Optional ? " or NULL" : "");
  std::string text = "  " + type + " *" + name + "; /* " + comment + " */\n";
  if (argument.rank == 2)
    text += "  int64_t " + name + "_stride;\n  int64_t " + name + "_outer_stride;\n";
  return text;
}

std::string EntryText::structText() const {
  std::string hidden = hiddenIsGiven() ? "required" : "0 or " + std::to_string(spec_.hidden);
  std::string text = "typedef struct " + spec_.name + "_args {\n"
                     "  uint32_t struct_size; /* sizeof(" + spec_.name + "_args) */\n"
                     "  uint32_t flags; /* 0 */\n"
                     "  int64_t rows;\n"
                     "  int64_t inner_rows; /* 0 = rows */\n"
                     "  int64_t hidden; /* " + hidden + " */\n"
                     "  float eps;\n"
                     "  uint32_t reserved; /* 0 */\n";
  for (const Argument &argument : arguments_)
    text += fieldText(argument);
  return text + "} " + spec_.name + "_args;\n";
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
  return text + "NORMC_EMITTED_ASSERT(sizeof(" + spec_.name + "_args) == sizeof(normc_forward_args_t), " + spec_.name + "_size);\n";
}

std::string EntryText::initializer() const {
  std::string fields;
  for (const Argument &argument : arguments_)
    fields += argument.rank == 2 ? ", NORMC_EMITTED_NULL, 0, 0" : ", NORMC_EMITTED_NULL";
  return "/** struct_size and eps set, the rest zero. */\n#define " + initializerMacro(spec_.name) + " \\\n  {sizeof(" + spec_.name + "_args), 0, 0, 0, 0, " + floatLiteral(spec_.eps) +
         ", 0 \\\n   " + fields + "}\n";
}

std::string EntryText::prototypes() const {
  const std::string &name = spec_.name;
  std::string text = "/** Runs the kernel. exec may be NULL: this thread, widest usable instruction set. Failure is decided before the first store. */\n"
                     "normc_status_t " + name + "(const " + name + "_args *args, const normc_exec_t *exec);\n\n"
                     "/** Bytes of exec->workspace that a call needs: 0. */\n"
                     "size_t " + name + "_workspace(int64_t rows, int64_t hidden);\n\n";
  if (isSet_)
    return text + "/** Its kernels, for normc_run_forward_set and normc_kernel_set_find. */\nextern const normc_kernel_set_t " + name + "_kernel_set;\n\n";
  return text + "/** Its description, for normc_run_forward and normc_dispatch_info. */\nextern const normc_kernel_t " + name + "_kernel;\n\n";
}

/// A local name in NAME_simple that does not hide the function NAME, whatever the user called it.
std::string EntryText::local(std::string_view word) const { return std::string(word) + (word == spec_.name ? "_" : ""); }

std::string EntryText::simple() const {
  const std::string &name = spec_.name;
  std::string args = local("args");
  std::string parameters = "int64_t " + local("rows");
  std::string assignments = "  " + args + ".rows = " + local("rows") + ";\n";
  if (hiddenIsGiven()) {
    parameters += ", int64_t " + local("hidden");
    assignments += "  " + args + ".hidden = " + local("hidden") + ";\n";
  }
  for (const Argument &argument : arguments_) {
    if (argument.use == Use::Absent || argument.perRow)
      continue;
    std::string role(argument.name);
    parameters += ", " + std::string(argument.output ? "" : "const ") + std::string(cType(argument.dtype)) + " *" + local(role);
    assignments += "  " + args + "." + role + " = " + local(role) + ";\n";
  }
  return "/** The same for contiguous arrays, on this thread, with the default eps and without mean and rstd. */\n"
         "static inline normc_status_t " + name + "_simple(" + parameters + ") {\n"
         "  " + name + "_args " + args + " = " + initializerMacro(name) + ";\n" + assignments +
         "  return " + name + "(&" + args + ", NORMC_EMITTED_NULL);\n"
         "}\n\n";
}

std::string EntryText::text() const {
  return "/** " + summary() + " *\n" + formula() + aliasText() +
         " * Row r of an array starts at element (r / inner_rows) * outer_stride + (r mod inner_rows) * stride; stride 0 means hidden, outer_stride 0 means\n"
         " * inner_rows * stride. Pointers need the alignment of their element, no more. rows = 0 is success.\n"
         " * Rounding: every step is float32, to nearest even, in one fixed order and without fused operations; each output is rounded once, when it is stored.\n"
         " * The bits do not depend on the CPU, on threads, on strides or on the other rows. */\n" +
         structText() + "\n" + initializer() + "\n" + assertions() + "\n" + prototypes() + simple();
}

} // namespace
} // namespace library

std::string libraryHeader(const Library &library) {
  library::checkNames(library);
  std::string guard = "NORMC_EMITTED_" + library::upperCase(library.name) + "_H";
  std::string abi = std::to_string(NORMC_ABI_VERSION);
  std::string text = "/* " + library.name + ".h, emitted by " + library::producer() + ": do not edit.\n"
                     " *\n"
                     " * Made by    " + library::commandLine(library) + "\n"
                     " * Compile    cc app.c lib" + library.name + ".a -lnormc_runtime -lm -ldl\n"
                     " */\n"
                     "#ifndef " + guard + "\n#define " + guard + "\n\n"
                     "#include <normc/abi.h>\n#include <normc/exec.h>\n#include <normc/runtime.h>\n#include <normc/status.h>\n\n"
                     "#if NORMC_ABI_VERSION != " + abi + "\n"
                     "#error \"" + library.name + ".h was emitted for ABI version " + abi + " of normc: emit it again with the normc that these headers belong to\"\n"
                     "#endif\n\n"
                     "#ifndef NORMC_EMITTED_ASSERT\n"
                     "#if defined(__cplusplus)\n"
                     "#define NORMC_EMITTED_ASSERT(condition, name) static_assert(condition, #name)\n"
                     "#define NORMC_EMITTED_NULL nullptr\n"
                     "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
                     "#define NORMC_EMITTED_ASSERT(condition, name) _Static_assert(condition, #name)\n"
                     "#define NORMC_EMITTED_NULL NULL\n"
                     "#else\n"
                     "#define NORMC_EMITTED_ASSERT(condition, name) typedef char normc_assert_##name[(condition) ? 1 : -1]\n"
                     "#define NORMC_EMITTED_NULL NULL\n"
                     "#endif\n"
                     "#define NORMC_EMITTED_SAME_OFFSET(kernel, field, generic) \\\n"
                     "  NORMC_EMITTED_ASSERT(offsetof(kernel##_args, field) == offsetof(normc_forward_args_t, generic), kernel##_##generic)\n"
                     "#endif\n\n"
                     "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
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
  return text + "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* " + guard + " */\n";
}

} // namespace normc
