// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest: what `normc inspect` and build systems read. JSON in UTF-8:
//   manifest_version, abi_version, producer {normc, llvm, halide}, name, archive, header, command
//   kernels[]: name, op, spec (canonical spelling), spec_hash, hidden (0 = any), eps (the header's default),
//     arguments[]: name, direction ("in", "out"), dtype, shape (of "rows", "hidden"), optional (NULL is allowed), may_be (inputs that it may be in place of)
//     variants[], widest first: isa, symbol, backend, plan, reason, stream_alignment (bytes; 0 = no streaming bodies), code_bytes, bodies (symbols)
//   sets[]: name (of the entry that picks the width), kernels (names, by ascending width, the dynamic one last)
#include "compiler/library/outline.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace normc {
namespace library {
namespace {

/// Grows when a key changes its meaning or goes; new keys alone leave it.
constexpr int kManifestVersion = 1;

/// Keys come in the order of writing, which is one fixed order.
class ManifestWriter {
public:
  ManifestWriter(llvm::json::OStream &json, const Library &library) : json_(json), library_(library) {}

  void write();

private:
  void text(llvm::StringRef key, std::string_view value) { json_.attribute(key, llvm::StringRef(value.data(), value.size())); }
  void producerObject();
  void kernel(const LibraryKernel &kernel);
  void argument(const Argument &argument);
  void variant(const LibraryVariant &variant, const std::string &kernel);
  void set(const KernelSet &set);

  llvm::json::OStream &json_;
  const Library &library_;
};

void ManifestWriter::producerObject() {
  json_.attributeObject("producer", [&] {
    text("normc", NORMC_VERSION);
    text("llvm", LLVM_VERSION_STRING);
#ifdef NORMC_HALIDE_VERSION
    text("halide", NORMC_HALIDE_VERSION);
#endif
  });
}

void ManifestWriter::argument(const Argument &argument) {
  json_.object([&] {
    text("name", argument.name);
    text("direction", argument.output ? "out" : "in");
    text("dtype", dtypeName(argument.dtype));
    json_.attributeArray("shape", [&] {
      if (argument.rank == 2 || argument.perRow)
        json_.value("rows");
      if (!argument.perRow)
        json_.value("hidden");
    });
    json_.attribute("optional", argument.use == Use::Optional);
    json_.attributeArray("may_be", [&] {
      for (const std::string &input : argument.mayBe)
        json_.value(input);
    });
  });
}

void ManifestWriter::variant(const LibraryVariant &variant, const std::string &kernel) {
  json_.object([&] {
    text("isa", targetName(variant.target));
    text("symbol", variantSymbol(kernel, variant.target));
    text("backend", variant.backend);
    text("plan", planText(variant.plan));
    text("reason", variant.plan.reason);
    json_.attribute("stream_alignment", streams(variant, kernel) ? variant.plan.streamAlignment : 0);
    json_.attribute("code_bytes", variant.code.codeBytes);
    json_.attributeArray("bodies", [&] {
      for (const std::string &symbol : variant.code.symbols)
        json_.value(symbol);
    });
  });
}

void ManifestWriter::kernel(const LibraryKernel &kernel) {
  const KernelSpec &spec = kernel.spec;
  json_.object([&] {
    text("name", spec.name);
    text("op", opName(spec.op));
    text("spec", canonicalSpelling(spec));
    text("spec_hash", specHash(spec));
    json_.attribute("hidden", spec.hidden);
    json_.attribute("eps", spec.eps);
    json_.attributeArray("arguments", [&] {
      for (const Argument &each : arguments(spec))
        if (each.use != Use::Absent)
          argument(each);
    });
    json_.attributeArray("variants", [&] {
      for (const LibraryVariant *each : variantsByIsa(kernel))
        variant(*each, spec.name);
    });
  });
}

void ManifestWriter::set(const KernelSet &set) {
  json_.object([&] {
    text("name", set.name);
    json_.attributeArray("kernels", [&] {
      for (const LibraryKernel *kernel : set.kernels)
        json_.value(kernel->spec.name);
    });
  });
}

void ManifestWriter::write() {
  json_.object([&] {
    json_.attribute("manifest_version", kManifestVersion);
    json_.attribute("abi_version", NORMC_ABI_VERSION);
    producerObject();
    text("name", library_.name);
    text("archive", "lib" + library_.name + ".a");
    text("header", library_.name + ".h");
    text("command", commandLine(library_));
    json_.attributeArray("kernels", [&] {
      for (const LibraryKernel &each : library_.kernels)
        kernel(each);
    });
    json_.attributeArray("sets", [&] {
      for (const KernelSet &each : kernelSets(library_))
        set(each);
    });
  });
}

} // namespace
} // namespace library

std::string libraryManifest(const Library &library) {
  library::checkLibrary(library);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  library::ManifestWriter(json, library).write();
  json.flush();
  return text + "\n";
}

} // namespace normc
