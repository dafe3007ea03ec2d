// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/normc/manifest_file.h"

#include "compiler/support/error.h"

#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>

#include <filesystem>
#include <map>
#include <set>

namespace normc {
namespace {

namespace fs = std::filesystem;
namespace json = llvm::json;

/// Grows with compiler/library/manifest.cpp's.
constexpr int64_t kManifestVersion = 1;

std::unique_ptr<llvm::MemoryBuffer> readFile(const std::string &path) {
  auto cannotRead = [&](const std::string &why) -> Error {
    return Error(DiagCode::CannotRead, "cannot read '" + path + "': " + why, {"'normc build' writes libNAME.a, NAME.h and NAME.json side by side"});
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw cannotRead("it is a folder");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    throw cannotRead(file.getError().message());
  return std::move(*file);
}

} // namespace

// Found by the types of their arguments, which have to be in the same namespace.
static bool fromJSON(const json::Value &value, ManifestArgument &argument, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", argument.name) && map.map("direction", argument.direction) && map.map("dtype", argument.dtype) &&
         map.map("shape", argument.shape) && map.map("optional", argument.optional) && map.map("may_be", argument.mayBe);
}

static bool fromJSON(const json::Value &value, ManifestVariant &variant, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("isa", variant.isa) && map.map("symbol", variant.symbol) && map.map("backend", variant.backend) && map.map("plan", variant.plan) &&
         map.map("reason", variant.reason) && map.map("code_bytes", variant.codeBytes) && map.map("bodies", variant.bodies);
}

static bool fromJSON(const json::Value &value, ManifestKernel &kernel, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", kernel.name) && map.map("op", kernel.op) && map.map("spec", kernel.spec) && map.map("spec_hash", kernel.specHash) &&
         map.map("hidden", kernel.hidden) && map.map("eps", kernel.eps) && map.map("arguments", kernel.arguments) && map.map("variants", kernel.variants);
}

static bool fromJSON(const json::Value &value, ManifestSet &set, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", set.name) && map.map("kernels", set.kernels);
}

namespace {

struct Producer {
  std::string normc, llvm, halide;
};

bool fromJSON(const json::Value &value, Producer &producer, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("normc", producer.normc) && map.map("llvm", producer.llvm) && map.mapOptional("halide", producer.halide);
}

bool readInto(const json::Value &value, Manifest &manifest, json::Path path) {
  Producer producer;
  json::ObjectMapper map(value, path);
  const bool complete = map && map.map("abi_version", manifest.abi) && map.map("producer", producer) && map.map("name", manifest.name) &&
                        map.map("archive", manifest.archive) && map.map("command", manifest.command) && map.map("kernels", manifest.kernels) &&
                        map.map("sets", manifest.sets);
  manifest.normc = producer.normc, manifest.llvm = producer.llvm, manifest.halide = producer.halide;
  return complete;
}

/// What an object of the archive defines for others, and how much code that is.
struct Member {
  std::set<std::string> symbols;
  int64_t codeBytes = 0;
  llvm::StringRef contents;
};

/// The objects of an archive by name.
class ArchiveReader {
public:
  explicit ArchiveReader(const std::string &path) : path_(path), file_(readFile(path)) {
    archive_ = required(llvm::object::Archive::create(file_->getMemBufferRef()));
    llvm::Error problem = llvm::Error::success();
    std::vector<llvm::object::Archive::Child> children;
    for (const llvm::object::Archive::Child &child : archive_->children(problem))
      children.push_back(child);
    if (problem)
      damaged(std::move(problem));
    for (const llvm::object::Archive::Child &child : children)
      members[required(child.getName()).str()] = readMember(required(child.getMemoryBufferRef()));
  }

  std::map<std::string, Member> members;

private:
  [[noreturn]] void damaged(llvm::Error problem) const {
    throw Error(DiagCode::CannotRead, "cannot read '" + path_ + "': it is no library of x86-64 objects: " + llvm::toString(std::move(problem)),
                {"build it anew with 'normc build'"});
  }

  template <class T> T required(llvm::Expected<T> value) const {
    if (!value)
      damaged(value.takeError());
    return std::move(*value);
  }

  Member readMember(llvm::MemoryBufferRef buffer) const {
    const std::unique_ptr<llvm::object::ObjectFile> object = required(llvm::object::ObjectFile::createELFObjectFile(buffer));
    Member member{{}, 0, buffer.getBuffer()};
    for (const llvm::object::ELFSymbolRef symbol : llvm::cast<llvm::object::ELFObjectFileBase>(*object).symbols()) {
      const uint32_t flags = required(symbol.getFlags());
      if (!(flags & llvm::object::SymbolRef::SF_Global) || (flags & llvm::object::SymbolRef::SF_Undefined))
        continue;
      member.symbols.insert(required(symbol.getName()).str());
      if (symbol.getELFType() == llvm::ELF::STT_FUNC)
        member.codeBytes += static_cast<int64_t>(symbol.getSize());
    }
    return member;
  }

  std::string path_;
  std::unique_ptr<llvm::MemoryBuffer> file_;
  std::unique_ptr<llvm::object::Archive> archive_;
};

/// What the manifest says that an object of the archive defines.
std::map<std::string, std::set<std::string>> expectedSymbols(const Manifest &manifest) {
  std::map<std::string, std::set<std::string>> expected;
  for (const ManifestKernel &kernel : manifest.kernels) {
    expected[kernel.name + ".o"] = {kernel.name, kernel.name + "_kernel", kernel.name + "_workspace"};
    for (const ManifestVariant &variant : kernel.variants)
      expected[variant.symbol + ".o"] = {variant.bodies.begin(), variant.bodies.end()};
  }
  for (const ManifestSet &set : manifest.sets)
    expected[set.name + ".o"] = {set.name, set.name + "_kernel_set", set.name + "_workspace"};
  return expected;
}

} // namespace

Manifest readManifest(const std::string &path) {
  const std::unique_ptr<llvm::MemoryBuffer> file = readFile(path);
  const std::string hint = "'normc build' writes manifests; build the library anew";
  auto refuse = [&](const std::string &why) -> Error { return Error(DiagCode::BadJson, path + ": no manifest of a library: " + why, {hint}); };
  llvm::Expected<json::Value> value = json::parse(file->getBuffer());
  if (!value)
    throw refuse(llvm::toString(value.takeError()));
  json::Path::Root root("manifest");
  Manifest manifest;
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("manifest_version", manifest.version))
    throw refuse(llvm::toString(root.getError()));
  if (manifest.version != kManifestVersion)
    throw Error(DiagCode::BadJson,
                path + ": it has manifest version " + std::to_string(manifest.version) + ", but this normc reads version " + std::to_string(kManifestVersion),
                {"use the normc that built the library, or build it anew"});
  if (!readInto(*value, manifest, root))
    throw refuse(llvm::toString(root.getError()));
  manifest.text = file->getBuffer().str();
  return manifest;
}

void checkArchive(const Manifest &manifest, const std::string &archive) {
  auto differs = [&](const std::string &how) -> Error {
    return Error(DiagCode::WrongManifest, "'" + archive + "' is not the library that its manifest describes: " + how,
                 {"build the library anew: " + manifest.command});
  };
  const ArchiveReader reader(archive);
  const std::map<std::string, std::set<std::string>> expected = expectedSymbols(manifest);
  for (const auto &[name, symbols] : expected) {
    const auto member = reader.members.find(name);
    for (const std::string &symbol : symbols)
      if (member == reader.members.end() || !member->second.symbols.count(symbol))
        throw differs("it lacks '" + symbol + "'");
  }
  for (const auto &[name, member] : reader.members) {
    const auto known = expected.find(name);
    for (const std::string &symbol : member.symbols)
      if (known == expected.end() || !known->second.count(symbol))
        throw differs("it has '" + symbol + "' besides");
  }
  for (const ManifestKernel &kernel : manifest.kernels) {
    if (!reader.members.at(kernel.name + ".o").contents.contains(kernel.specHash))
      throw differs("'" + kernel.name + "' computes something else");
    for (const ManifestVariant &variant : kernel.variants)
      if (const int64_t bytes = reader.members.at(variant.symbol + ".o").codeBytes; bytes != variant.codeBytes)
        throw differs("'" + variant.symbol + "' has " + std::to_string(bytes) + " bytes of code, not " + std::to_string(variant.codeBytes));
  }
}

} // namespace normc
