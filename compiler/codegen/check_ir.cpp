// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/check_ir.h"

#include "compiler/support/error.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace normc::codegen {
namespace {

[[noreturn]] void refuse(const llvm::Function &function, const std::string &what) { reportBug("'" + function.getName().str() + "' holds " + what); }

/// Intrinsics that contract, reassociate or estimate, whatever their flags.
bool changesBits(llvm::StringRef name) {
  for (llvm::StringRef part : {"llvm.fma.", "llvm.fmuladd.", "rsqrt", "rcp", ".vfmadd", ".vfmsub", ".vfnmadd", ".vfnmsub"})
    if (name.contains(part))
      return true;
  return false;
}

void checkCall(const llvm::Function &function, const llvm::CallBase &call) {
  if (call.isInlineAsm()) {
    const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    if (!assembly->getAsmString().empty())
      refuse(function, "inline assembly");
    return;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    refuse(function, "a call through a pointer");
  if (!callee->isIntrinsic())
    refuse(function, "a call of '" + callee->getName().str() + "'");
  if (changesBits(callee->getName()))
    refuse(function, "the intrinsic '" + callee->getName().str() + "'");
}

} // namespace

void checkIR(const llvm::Module &module) {
  for (const llvm::GlobalVariable &variable : module.globals())
    if (!variable.isConstant())
      reportBug("the variable '" + variable.getName().str() + "' can be written; bodies keep no state");
  for (const llvm::Function &function : module) {
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
      if (math && math->getFastMathFlags().any())
        refuse(function, std::string("a fast-math flag on '") + instruction.getOpcodeName() + "'");
      if (instruction.getMetadata(llvm::LLVMContext::MD_fpmath))
        refuse(function, std::string("permission to round '") + instruction.getOpcodeName() + "' wrongly (!fpmath)");
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        checkCall(function, *call);
    }
  }
}

} // namespace normc::codegen
