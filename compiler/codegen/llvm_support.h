// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every part of codegen needs from LLVM. Include this in compiler/codegen and compiler/library only.
#pragma once

#include "compiler/schedule/plan.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <string_view>

namespace normc::codegen {

/// An LLVM context whose errors become normc::Error (InternalError) at the next call of `throwIfFailed`.
class Context {
public:
  Context();
  llvm::LLVMContext &llvm() { return context_; }
  /// Throws InternalError with the first error that LLVM reported.
  void throwIfFailed() const;

private:
  llvm::LLVMContext context_;
  std::string firstError_;
};

/// Parses bitcode or IR text. `what` names it in error messages.
std::unique_ptr<llvm::Module> parseModule(Context &context, std::string_view ir, const std::string &what);

std::string writeBitcode(const llvm::Module &module);
std::string printModule(const llvm::Module &module);

/// Throws InternalError where LLVM's verifier rejects the module.
void verifyModule(const llvm::Module &module, const std::string &what);

/// A target machine for Linux on x86-64 at `cpu` ("x86-64", "x86-64-v3"): position independent, one section per function, no contraction.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(std::string_view cpu);

/// Gives the module the machine's triple and data layout, a fixed name, and drops module flags, identification and inline assembly at module level.
void adoptModule(llvm::Module &module, const llvm::TargetMachine &machine, std::string_view name);

/// Gives `function` the attributes that code for `cpu` is compiled with and removes all others.
/// `vectorBits` is the widest vector that instruction selection shall use.
void setCodegenAttributes(llvm::Function &function, std::string_view cpu, int vectorBits);

/// The widest vector of `target` in bits.
int vectorBits(Target target);

/// Compiles the module, which is changed on the way, to an object or to assembly.
std::string emitMachineCode(Context &context, llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type);

} // namespace normc::codegen
