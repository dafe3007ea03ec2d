// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/halide/ir_facts.h"

#include "compiler/codegen/slice_fields.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

namespace normc::test {
namespace {

/// A parsed module.
struct Parsed {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function *function = nullptr;

  Parsed(const std::string &ir, const std::string &name) {
    llvm::SMDiagnostic diagnostic;
    module = llvm::parseIR(llvm::MemoryBufferRef(ir, "ir"), diagnostic, context);
    if (!module || !(function = module->getFunction(name)))
      reportBug("the IR cannot be read or lacks '" + name + "': " + diagnostic.getMessage().str());
  }
};

/// Whether `pointer` is what the function loaded from that place of its slice, moved by some offset.
bool pointsInto(const llvm::Value *pointer, size_t field, const llvm::Function &function) {
  const auto *base = llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  if (!base)
    return false;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  return base->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true) == function.getArg(0) && offset == field;
}

} // namespace

std::vector<std::string> undefinedSymbols(const std::string &object) {
  auto file = llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    reportBug("the object cannot be read: " + llvm::toString(file.takeError()));
  std::vector<std::string> symbols;
  for (const llvm::object::ELFSymbolRef &symbol : file->symbols())
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
      if (llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty())
        symbols.push_back(name.str());
  return symbols;
}

std::optional<int64_t> stackBytes(const std::string &ir, const std::string &name) {
  Parsed parsed(ir, name);
  int64_t total = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(*parsed.function)) {
    const auto *allocation = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!allocation)
      continue;
    std::optional<llvm::TypeSize> size = allocation->getAllocationSize(parsed.module->getDataLayout());
    if (!size || !allocation->isStaticAlloca())
      return std::nullopt;
    total += static_cast<int64_t>(size->getFixedValue());
  }
  return total;
}

std::optional<int64_t> loadedBytesPerRow(const std::string &ir, const std::string &name, const std::string &role) {
  Parsed parsed(ir, name);
  llvm::Function &function = *parsed.function;
  llvm::TargetLibraryInfoImpl library(llvm::Triple(parsed.module->getTargetTriple()));
  llvm::TargetLibraryInfo libraryInfo(library);
  llvm::AssumptionCache assumptions(function);
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::ScalarEvolution evolution(function, libraryInfo, assumptions, dominators, loops);

  int64_t total = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !pointsInto(load->getPointerOperand(), codegen::sliceArray(role).pointer, function))
      continue;
    int64_t bytes = static_cast<int64_t>(parsed.module->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue());
    for (const llvm::Loop *loop = loops.getLoopFor(load->getParent()); loop && loop->getParentLoop(); loop = loop->getParentLoop()) {
      const unsigned trips = evolution.getSmallConstantTripCount(loop);
      if (trips == 0)
        return std::nullopt;
      bytes *= trips;
    }
    total += bytes;
  }
  return total;
}

} // namespace normc::test
