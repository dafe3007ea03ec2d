// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All bodies of one variant in one module, and its machine-level forms.
#include "compiler/codegen/body.h"
#include "compiler/codegen/check_ir.h"
#include "compiler/codegen/check_object.h"
#include "compiler/codegen/llvm_support.h"
#include "compiler/codegen/lone_stores.h"
#include "compiler/codegen/stream_stores.h"
#include "compiler/support/error.h"

#include <normc/abi.h>

#include <llvm/Linker/Linker.h>

#include <map>

namespace normc {
namespace {

/// A variant's module, ready for machine code.
struct LinkedVariant {
  codegen::Context context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::map<std::string, unsigned> streaming; ///< streaming bodies and how many stores of theirs are non-temporal
};

void checkSignature(const llvm::Function *function, const std::string &name) {
  if (!function || function->isDeclaration())
    reportBug("a body's module does not define '" + name + "'");
  if (function->arg_size() != 1 || !function->getArg(0)->getType()->isPointerTy() || !function->getReturnType()->isVoidTy())
    reportBug("'" + name + "' is not a function of one normc_slice_t");
}

void link(LinkedVariant &linked, const VariantIR &variant) {
  std::string_view cpu = targetName(variant.target);
  linked.machine = codegen::makeTargetMachine(cpu);
  linked.module = std::make_unique<llvm::Module>("normc", linked.context.llvm());
  codegen::adoptModule(*linked.module, *linked.machine, "normc");
  for (const BodyIR &body : variant.bodies) {
    std::unique_ptr<llvm::Module> module = codegen::parseModule(linked.context, body.bitcode, body.function);
    codegen::adoptModule(*module, *linked.machine, body.function);
    checkSignature(module->getFunction(body.function), body.function);
    if (body.streamAlignment != 0) {
      codegen::StreamingBody streaming = codegen::addStreamingBody(*module->getFunction(body.function), static_cast<unsigned>(body.streamAlignment));
      linked.streaming[streaming.function->getName().str()] = streaming.stores;
    }
    if (llvm::Linker::linkModules(*linked.module, std::move(module))) {
      linked.context.throwIfFailed();
      reportBug("LLVM cannot link the body '" + body.function + "' to the others");
    }
  }
  for (llvm::Function &function : *linked.module) {
    if (function.isDeclaration())
      continue;
    codegen::spellOutLoneStores(function);
    codegen::setCodegenAttributes(function, cpu, codegen::vectorBits(variant.target));
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    function.setDSOLocal(true);
  }
  codegen::verifyModule(*linked.module, "the variant");
  codegen::checkIR(*linked.module);
  linked.context.throwIfFailed();
}

} // namespace

std::string bodySymbol(std::string_view name, Target target, unsigned affine) {
  std::string_view parameters = "plain";
  if (affine == (NORMC_AFFINE_WEIGHT | NORMC_AFFINE_BIAS))
    parameters = "weight_bias";
  else if (affine == NORMC_AFFINE_WEIGHT)
    parameters = "weight";
  else if (affine == NORMC_AFFINE_BIAS)
    parameters = "bias";
  return std::string(name) + "__" + targetSuffix(target) + "__" + std::string(parameters);
}

std::string streamSymbol(std::string_view function) { return std::string(function) + "_stream"; }

std::string variantLLVM(const VariantIR &variant) {
  LinkedVariant linked;
  link(linked, variant);
  return codegen::printModule(*linked.module);
}

std::string variantAssembly(const VariantIR &variant) {
  LinkedVariant linked;
  link(linked, variant);
  return codegen::emitMachineCode(linked.context, *linked.module, *linked.machine, llvm::CodeGenFileType::AssemblyFile);
}

VariantObject variantObject(const VariantIR &variant) {
  LinkedVariant linked;
  link(linked, variant);
  VariantObject result;
  result.object = codegen::emitMachineCode(linked.context, *linked.module, *linked.machine, llvm::CodeGenFileType::ObjectFile);
  for (const auto &[symbol, counts] : codegen::checkObject(result.object, *linked.machine)) {
    auto streaming = linked.streaming.find(symbol);
    if (streaming != linked.streaming.end() && counts.streamingStores < streaming->second)
      reportBug("'" + symbol + "' holds " + std::to_string(counts.streamingStores) + " streaming stores, expected " + std::to_string(streaming->second));
    result.symbols.push_back(symbol);
    result.codeBytes += counts.bytes;
  }
  return result;
}

} // namespace normc
