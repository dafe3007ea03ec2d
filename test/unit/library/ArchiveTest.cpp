// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/library/CompilerDriver.h"
#include "test/unit/library/SampleLibrary.h"
#include "test/unit/support/ThrowsCode.h"

#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <filesystem>
#include <set>

namespace normc {
namespace {

struct Symbols {
  std::set<std::string> visible;   ///< defined with default visibility
  std::set<std::string> hidden;    ///< defined for the other members only
  std::set<std::string> undefined; ///< in some member and defined in none
  std::vector<std::string> members;
};

/// What `nm` would show.
Symbols symbolsOf(const std::string &bytes) {
  Symbols symbols;
  std::set<std::string> wanted;
  llvm::Error error = llvm::Error::success();
  llvm::object::Archive archive(llvm::MemoryBufferRef(bytes, "archive"), error);
  EXPECT_FALSE(static_cast<bool>(error));
  for (const llvm::object::Archive::Child &child : archive.children(error)) {
    symbols.members.push_back(llvm::cantFail(child.getName()).str());
    std::string contents = llvm::cantFail(child.getBuffer()).str();
    auto object = llvm::cantFail(llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(contents, "member")));
    for (const llvm::object::ELFSymbolRef &symbol : object.symbols()) {
      if (symbol.getBinding() == llvm::ELF::STB_LOCAL)
        continue;
      std::string name = llvm::cantFail(symbol.getName()).str();
      if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
        wanted.insert(name);
      else
        (symbol.getOther() == llvm::ELF::STV_DEFAULT ? symbols.visible : symbols.hidden).insert(name);
    }
  }
  EXPECT_FALSE(static_cast<bool>(error));
  for (const std::string &name : wanted)
    if (!symbols.visible.count(name) && !symbols.hidden.count(name))
      symbols.undefined.insert(name);
  return symbols;
}

TEST(Archive, Section6OnlyDocumentedSymbolsAreVisible) {
  Symbols symbols = symbolsOf(libraryArchive(sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2, Target::X86_64_V3})));
  EXPECT_EQ(symbols.visible, (std::set<std::string>{"one", "one_kernel", "one_workspace"}));
  EXPECT_EQ(symbols.hidden.size(), 16u); // two targets, four combinations of parameters, with streaming stores and without
  EXPECT_EQ(symbols.undefined, std::set<std::string>{"normc_run_forward"});
  EXPECT_EQ(symbols.members, (std::vector<std::string>{"one.o", "one__x86_64_v3.o", "one__x86_64_v2.o"}));
}

TEST(Archive, ASetHasAnEntryOfItsOwn) {
  Library library = sampleLibrary("norms", {sampleSpec("ln64", 64), sampleSpec("ln128", 128)}, {Target::X86_64_V2});
  Symbols symbols = symbolsOf(libraryArchive(library));
  EXPECT_EQ(symbols.visible, (std::set<std::string>{"norms", "norms_kernel_set", "norms_workspace", "ln64", "ln64_kernel", "ln64_workspace", "ln128",
                                                    "ln128_kernel", "ln128_workspace"}));
  EXPECT_EQ(symbols.undefined, (std::set<std::string>{"normc_run_forward", "normc_run_forward_set"}));
}

TEST(Archive, SetsOfSeveralTypesAreToldApart) {
  Library library = sampleLibrary(
      "norms", {sampleSpec("a", 64), sampleSpec("b", 128), sampleSpec("c", 64, DType::BF16), sampleSpec("d", 0, DType::BF16), sampleSpec("e", 64, DType::F16)},
      {Target::X86_64_V2});
  std::set<std::string> visible = symbolsOf(libraryArchive(library)).visible;
  EXPECT_TRUE(visible.count("norms_layer_norm_f32"));
  EXPECT_TRUE(visible.count("norms_layer_norm_bf16_kernel_set"));
  EXPECT_FALSE(visible.count("norms_layer_norm_f16")) << "one kernel is no set";
  EXPECT_FALSE(visible.count("norms"));
}

TEST(Archive, IsReproducible) {
  auto make = [] { return libraryArchive(sampleLibrary("norms", {sampleSpec("one", 64), sampleSpec("two", 128)}, {Target::X86_64_V3, Target::X86_64_V4})); };
  std::string archive = make();
  EXPECT_EQ(archive, make());
  EXPECT_EQ(archive.find(std::filesystem::current_path().string()), std::string::npos);
  // The order in which targets were asked for does not matter: the widest comes first.
  EXPECT_EQ(archive, libraryArchive(sampleLibrary("norms", {sampleSpec("one", 64), sampleSpec("two", 128)}, {Target::X86_64_V4, Target::X86_64_V3})));
}

TEST(Archive, RefusesEqualNames) {
  EXPECT_TRUE(throwsCode(
      [] {
        libraryArchive(sampleLibrary("norms", {sampleSpec("a", 64), sampleSpec("a", 128)}, {Target::X86_64_V2}));
      },
      DiagCode::DuplicateName, "would both declare 'a'", "--name"));
  EXPECT_TRUE(throwsCode(
      [] {
        libraryHeader(sampleLibrary("a", {sampleSpec("a", 64), sampleSpec("b", 128)}, {Target::X86_64_V2}));
      },
      DiagCode::DuplicateName, "would both declare 'a'"));
  EXPECT_TRUE(throwsCode(
      [] {
        libraryArchive(sampleLibrary("l", {sampleSpec("a", 64), sampleSpec("A", 64, DType::F16)}, {Target::X86_64_V2}));
      },
      DiagCode::DuplicateName, "'A_ARGS_INIT'"));
  EXPECT_TRUE(throwsCode(
      [] {
        libraryArchive(sampleLibrary("l", {sampleSpec("a", 64), sampleSpec("a_kernel", 64, DType::F16)}, {Target::X86_64_V2}));
      },
      DiagCode::DuplicateName, "'a_kernel'"));
}

TEST(Archive, RefusesAVariantWithoutABody) {
  Library library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  std::erase(library.kernels[0].variants[0].code.symbols, "one__x86_64_v2__weight");
  EXPECT_TRUE(throwsCode([&] { libraryArchive(library); }, DiagCode::InternalError, "does not define 'one__x86_64_v2__weight'"));
  library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  std::erase(library.kernels[0].variants[0].code.symbols, "one__x86_64_v2__plain_stream");
  EXPECT_TRUE(throwsCode([&] { libraryArchive(library); }, DiagCode::InternalError, "does not define 'one__x86_64_v2__plain_stream'"));
}

TEST(Archive, CombinationsFollowTheSpec) {
  KernelSpec spec;
  EXPECT_EQ(affineCombinations(spec), (std::vector<unsigned>{0, 1, 2, 3}));
  spec.weight = Presence::Required;
  EXPECT_EQ(affineCombinations(spec), (std::vector<unsigned>{1, 3}));
  spec.bias = Presence::Off;
  EXPECT_EQ(affineCombinations(spec), (std::vector<unsigned>{1}));
  spec.weight = Presence::Off;
  spec.bias = Presence::Required;
  EXPECT_EQ(affineCombinations(spec), (std::vector<unsigned>{2}));
}

} // namespace
} // namespace normc
