// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/library/outline.h"

#include "compiler/support/error.h"

#include <algorithm>
#include <set>

namespace normc {

std::vector<unsigned> affineCombinations(const KernelSpec &spec) {
  std::vector<unsigned> combinations;
  auto fits = [](Presence presence, bool given) { return presence == Presence::Optional || (presence == Presence::Required) == given; };
  for (unsigned affine = 0; affine < NORMC_AFFINE_COUNT; ++affine)
    if (fits(spec.weight, affine & NORMC_AFFINE_WEIGHT) && fits(spec.bias, affine & NORMC_AFFINE_BIAS))
      combinations.push_back(affine);
  return combinations;
}

namespace library {
namespace {

Use useOf(Presence presence) {
  switch (presence) {
  case Presence::Required:
    return Use::Required;
  case Presence::Optional:
    return Use::Optional;
  case Presence::Off:
    return Use::Absent;
  }
  reportBug("a presence without a use");
}

/// The spec without what a set's members differ in.
KernelSpec anyWidth(const KernelSpec &spec) {
  KernelSpec common = spec;
  common.hidden = 0;
  common.name.clear();
  return common;
}

/// What tells the sets of one library apart: "layer_norm_f32", from the default name of the dynamic kernel.
std::string setSuffix(const KernelSpec &common) {
  std::string name = defaultName(common);
  return name.substr(0, name.rfind("_hdyn"));
}

bool has(const LibraryVariant &variant, const std::string &symbol) {
  return std::find(variant.code.symbols.begin(), variant.code.symbols.end(), symbol) != variant.code.symbols.end();
}

void checkVariant(const LibraryKernel &kernel, const LibraryVariant &variant) {
  bool streaming = streams(variant, kernel.spec.name);
  for (unsigned affine : affineCombinations(kernel.spec)) {
    std::string body = bodySymbol(kernel.spec.name, variant.target, affine);
    if (!has(variant, body))
      reportBug("the object of " + variantSymbol(kernel.spec.name, variant.target) + " does not define '" + body + "'");
    if (streaming && !has(variant, streamSymbol(body)))
      reportBug("the object of " + variantSymbol(kernel.spec.name, variant.target) + " does not define '" + streamSymbol(body) + "'");
  }
}

std::string quoted(const std::string &word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// "/home/someone/out" and "--cache-dir=/home/someone/out" lose their folders.
std::string withoutFolders(const std::string &word) {
  size_t begin = word.starts_with("--") && word.find('=') != std::string::npos ? word.find('=') + 1 : 0;
  if (begin >= word.size() || word[begin] != '/')
    return word;
  std::string path = word.substr(begin);
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return word.substr(0, begin) + path.substr(path.rfind('/') + 1);
}

} // namespace

std::vector<Argument> arguments(const KernelSpec &spec) {
  auto present = [](bool there, Use use) { return there ? use : Use::Absent; };
  std::vector<std::string> yMayBe;
  std::vector<std::string> sumMayBe;
  if (spec.yDtype == spec.dtype)
    yMayBe.push_back("x");
  if (spec.yDtype == spec.dtype && spec.residual)
    yMayBe.push_back("residual");
  if (spec.sum)
    sumMayBe = {"x", "residual"};
  return {
      {"x", NORMC_ROLE_X, Use::Required, spec.dtype, false, 2, false, {}},
      {"residual", NORMC_ROLE_RESIDUAL, present(spec.residual, Use::Required), spec.dtype, false, 2, false, {}},
      {"weight", NORMC_ROLE_WEIGHT, useOf(spec.weight), spec.paramDtype, false, 1, false, {}},
      {"bias", NORMC_ROLE_BIAS, useOf(spec.bias), spec.paramDtype, false, 1, false, {}},
      {"y", NORMC_ROLE_Y, Use::Required, spec.yDtype, true, 2, false, yMayBe},
      {"sum", NORMC_ROLE_SUM, present(spec.sum, Use::Required), spec.dtype, true, 2, false, sumMayBe},
      {"mean", NORMC_ROLE_MEAN, present(spec.mean, Use::Optional), DType::F32, true, 1, true, {}},
      {"rstd", NORMC_ROLE_RSTD, present(spec.rstd, Use::Optional), DType::F32, true, 1, true, {}},
  };
}

std::vector<KernelSet> kernelSets(const Library &library) {
  std::vector<KernelSet> sets;
  for (const LibraryKernel &kernel : library.kernels) {
    KernelSpec common = anyWidth(kernel.spec);
    std::string spelling = canonicalSpelling(common);
    auto same = [&](const KernelSet &set) { return canonicalSpelling(set.spec) == spelling; };
    auto set = std::find_if(sets.begin(), sets.end(), same);
    if (set == sets.end())
      set = sets.insert(sets.end(), KernelSet{"", {}, common});
    // Two kernels of one width compute the same: the first will do.
    auto sameWidth = [&](const LibraryKernel *member) { return member->spec.hidden == kernel.spec.hidden; };
    if (std::none_of(set->kernels.begin(), set->kernels.end(), sameWidth))
      set->kernels.push_back(&kernel);
  }
  std::erase_if(sets, [](const KernelSet &set) { return set.kernels.size() < 2; });
  for (KernelSet &set : sets) {
    std::string suffix = setSuffix(set.spec);
    auto sharesSuffix = [&](const KernelSet &other) { return &other != &set && setSuffix(other.spec) == suffix; };
    set.name = sets.size() == 1 ? library.name : library.name + "_" + suffix;
    if (std::any_of(sets.begin(), sets.end(), sharesSuffix))
      set.name += "_" + specHash(set.spec).substr(0, 8);
    auto narrower = [](const LibraryKernel *a, const LibraryKernel *b) { return !a->spec.dynamic() && (b->spec.dynamic() || a->spec.hidden < b->spec.hidden); };
    std::sort(set.kernels.begin(), set.kernels.end(), narrower);
  }
  for (KernelSet &set : sets)
    set.spec.name = set.name;
  return sets;
}

void checkNames(const Library &library) {
  std::set<std::string> taken;
  auto take = [&](const std::string &name) {
    std::vector<std::string> declared;
    for (const char *suffix : {"", "_kernel", "_kernel_set", "_workspace", "_args", "_simple"})
      declared.push_back(name + suffix);
    declared.push_back(initializerMacro(name));
    for (const std::string &symbol : declared)
      if (!taken.insert(symbol).second)
        throw Error(DiagCode::DuplicateName, "two entries of the library '" + library.name + "' would both declare '" + symbol + "'",
                    {"give one of the kernels, or the library, another name with --name"});
  };
  for (const LibraryKernel &kernel : library.kernels)
    take(kernel.spec.name);
  for (const KernelSet &set : kernelSets(library))
    take(set.name);
}

void checkLibrary(const Library &library) {
  checkNames(library);
  for (const LibraryKernel &kernel : library.kernels) {
    if (kernel.variants.empty())
      reportBug("the kernel '" + kernel.spec.name + "' has no variant");
    for (const LibraryVariant &variant : kernel.variants)
      checkVariant(kernel, variant);
  }
}

std::vector<const LibraryVariant *> variantsByIsa(const LibraryKernel &kernel) {
  std::vector<const LibraryVariant *> variants;
  for (const LibraryVariant &variant : kernel.variants)
    variants.push_back(&variant);
  std::sort(variants.begin(), variants.end(), [](const auto *a, const auto *b) { return isaOf(a->target) > isaOf(b->target); });
  return variants;
}

uint32_t isaOf(Target target) {
  switch (target) {
  case Target::X86_64_V2:
    return NORMC_ISA_X86_64_V2;
  case Target::X86_64_V3:
    return NORMC_ISA_X86_64_V3;
  case Target::X86_64_V4:
    return NORMC_ISA_X86_64_V4;
  }
  reportBug("a target without an instruction set");
}

uint32_t dtypeCode(DType type) {
  switch (type) {
  case DType::F32:
    return NORMC_DTYPE_F32;
  case DType::F16:
    return NORMC_DTYPE_F16;
  case DType::BF16:
    return NORMC_DTYPE_BF16;
  default:
    reportBug("emitted code has no arrays of " + std::string(dtypeName(type)));
  }
}

std::string variantSymbol(std::string_view kernel, Target target) { return std::string(kernel) + "__" + targetSuffix(target); }

bool streams(const LibraryVariant &variant, std::string_view kernel) {
  for (unsigned affine = 0; affine < NORMC_AFFINE_COUNT; ++affine)
    if (has(variant, streamSymbol(bodySymbol(kernel, variant.target, affine))))
      return true;
  return false;
}

std::string upperCase(std::string text) {
  for (char &c : text)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string initializerMacro(const std::string &name) { return upperCase(name) + "_ARGS_INIT"; }

std::string producer() { return "normc " NORMC_VERSION; }

std::string commandLine(const Library &library) {
  std::string line = "normc";
  for (const std::string &word : library.command)
    line += " " + quoted(withoutFolders(word));
  return line;
}

} // namespace library
} // namespace normc
