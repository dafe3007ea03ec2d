// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/files.h"
#include "test/unit/library/CompilerDriver.h"
#include "test/unit/library/SampleLibrary.h"

#include <gtest/gtest.h>
#include <llvm/Support/JSON.h>

#include <filesystem>

namespace normc {
namespace {

llvm::json::Object parsed(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(static_cast<bool>(value)) << text;
  return *value->getAsObject();
}

TEST(Manifest, DescribesTheLibrary) {
  KernelSpec spec = sampleSpec("one", 64, DType::BF16);
  spec.residual = spec.sum = true;
  spec.yDtype = DType::F32;
  llvm::json::Object manifest = parsed(libraryManifest(sampleLibrary("one", {spec}, {Target::X86_64_V2, Target::X86_64_V4})));
  EXPECT_EQ(manifest.getInteger("manifest_version"), 1);
  EXPECT_EQ(manifest.getInteger("abi_version"), NORMC_ABI_VERSION);
  EXPECT_EQ(manifest.getObject("producer")->getString("normc"), NORMC_VERSION);
  EXPECT_TRUE(manifest.getObject("producer")->getString("llvm")->starts_with("22."));
  EXPECT_EQ(manifest.getString("archive"), "libone.a");
  EXPECT_EQ(manifest.getString("header"), "one.h");
  EXPECT_EQ(manifest.getString("command"), "normc build layer_norm --hidden 64");

  const llvm::json::Object &kernel = *(*manifest.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getString("name"), "one");
  EXPECT_EQ(kernel.getString("op"), "layer_norm");
  EXPECT_EQ(kernel.getString("spec"), canonicalSpelling(spec));
  EXPECT_EQ(kernel.getString("spec_hash"), specHash(spec));
  EXPECT_EQ(kernel.getInteger("hidden"), 64);
  std::string arguments;
  for (const llvm::json::Value &value : *kernel.getArray("arguments")) {
    const llvm::json::Object &argument = *value.getAsObject();
    arguments += argument.getString("name")->str() + " " + argument.getString("dtype")->str() + " " + argument.getString("direction")->str();
    arguments += *argument.getBoolean("optional") ? " optional" : "";
    for (const llvm::json::Value &extent : *argument.getArray("shape"))
      arguments += " " + extent.getAsString()->str();
    for (const llvm::json::Value &input : *argument.getArray("may_be"))
      arguments += " =" + input.getAsString()->str();
    arguments += "\n";
  }
  EXPECT_EQ(arguments,
            "x bf16 in rows hidden\nresidual bf16 in rows hidden\nweight bf16 in optional hidden\nbias bf16 in optional hidden\ny f32 out rows hidden\n"
            "sum bf16 out rows hidden =x =residual\nmean f32 out optional rows\nrstd f32 out optional rows\n");

  const llvm::json::Array &variants = *kernel.getArray("variants");
  ASSERT_EQ(variants.size(), 2u);
  const llvm::json::Object &widest = *variants[0].getAsObject();
  EXPECT_EQ(widest.getString("isa"), "x86-64-v4");
  EXPECT_EQ(widest.getString("symbol"), "one__x86_64_v4");
  EXPECT_EQ(widest.getString("backend"), "halide");
  EXPECT_EQ(widest.getString("reason"), "a sample");
  EXPECT_EQ(widest.getInteger("stream_alignment"), 64);
  EXPECT_GT(*widest.getInteger("code_bytes"), 100);
  EXPECT_EQ(widest.getArray("bodies")->size(), 8u);
  EXPECT_TRUE(manifest.getArray("sets")->empty());
}

TEST(Manifest, ListsSetsByAscendingWidth) {
  Library library = sampleLibrary("norms", {sampleSpec("any", 0), sampleSpec("wide", 128), sampleSpec("small", 64)}, {Target::X86_64_V2});
  llvm::json::Object manifest = parsed(libraryManifest(library));
  const llvm::json::Object &set = *(*manifest.getArray("sets"))[0].getAsObject();
  EXPECT_EQ(set.getString("name"), "norms");
  std::string kernels;
  for (const llvm::json::Value &kernel : *set.getArray("kernels"))
    kernels += kernel.getAsString()->str() + " ";
  EXPECT_EQ(kernels, "small wide any ");
}

TEST(Manifest, NamesNoFolderAndNoTime) {
  Library library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  library.command = {"build", "/etc/kernels.json", "-o", "/tmp/out"};
  std::string text = libraryManifest(library);
  EXPECT_EQ(parsed(text).getString("command"), "normc build kernels.json -o out");
  EXPECT_EQ(text.find(std::filesystem::current_path().string()), std::string::npos);
  EXPECT_EQ(text, libraryManifest(library));
}

TEST(WriteLibrary, WritesThreeFiles) {
  TempDir folder;
  Library library = sampleLibrary("one", {sampleSpec("one", 64)}, {Target::X86_64_V2});
  std::string out = folder.path() + "/out";
  EXPECT_EQ(writeLibrary(library, out), (std::vector<std::string>{out + "/libone.a", out + "/one.h", out + "/one.json"}));
  EXPECT_EQ(readText(out + "/libone.a"), libraryArchive(library));
  EXPECT_EQ(readText(out + "/one.h"), libraryHeader(library));
  EXPECT_EQ(readText(out + "/one.json"), libraryManifest(library));
}

} // namespace
} // namespace normc
