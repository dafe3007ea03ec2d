// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/llvm_support.h"

#include "compiler/support/error.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>

namespace normc::codegen {
namespace {

constexpr const char *kTriple = "x86_64-unknown-linux-gnu";

/// Keeps the first error; the default handler would print it and end the process.
struct KeepFirstError : llvm::DiagnosticHandler {
  explicit KeepFirstError(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && text.empty()) {
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  std::string &text;
};

void initializeX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeX86Disassembler();
  });
}

} // namespace

Context::Context() { context_.setDiagnosticHandler(std::make_unique<KeepFirstError>(firstError_)); }

void Context::throwIfFailed() const {
  if (!firstError_.empty())
    reportBug("LLVM: " + firstError_);
}

std::unique_ptr<llvm::Module> parseModule(Context &context, std::string_view ir, const std::string &what) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(llvm::MemoryBufferRef(llvm::StringRef(ir.data(), ir.size()), what), diagnostic, context.llvm());
  context.throwIfFailed();
  if (!module)
    reportBug("the LLVM IR of " + what + " does not parse: " + diagnostic.getMessage().str() + " (line " + std::to_string(diagnostic.getLineNo()) + ")");
  return module;
}

std::string writeBitcode(const llvm::Module &module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

std::string printModule(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

void verifyModule(const llvm::Module &module, const std::string &what) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(module, &stream))
    reportBug("the LLVM IR of " + what + " is not valid: " + problems.substr(0, problems.find('\n')));
}

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(std::string_view cpu) {
  initializeX86();
  llvm::Triple triple(kTriple);
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    reportBug("LLVM has no code generator for x86-64: " + problem);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  options.DataSections = true;
  options.MCOptions.AsmVerbose = true;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(triple, llvm::StringRef(cpu.data(), cpu.size()), "", options, llvm::Reloc::PIC_,
                                                                           llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    reportBug("LLVM makes no target machine for " + std::string(cpu));
  return machine;
}

void adoptModule(llvm::Module &module, const llvm::TargetMachine &machine, std::string_view name) {
  llvm::SmallVector<llvm::NamedMDNode *> named;
  for (llvm::NamedMDNode &node : module.named_metadata())
    named.push_back(&node);
  for (llvm::NamedMDNode *node : named)
    node->eraseFromParent();
  module.setModuleInlineAsm("");
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setModuleIdentifier(llvm::StringRef(name.data(), name.size()));
  module.setSourceFileName(llvm::StringRef(name.data(), name.size()));
  module.setPICLevel(llvm::PICLevel::BigPIC);
}

void setCodegenAttributes(llvm::Function &function, std::string_view cpu, int vectorBits) {
  llvm::AttrBuilder attributes(function.getContext());
  attributes.addAttribute(llvm::Attribute::NoUnwind);
  // Debuggers and profilers walk through these functions.
  attributes.addUWTableAttr(llvm::UWTableKind::Async);
  attributes.addAttribute("target-cpu", llvm::StringRef(cpu.data(), cpu.size()));
  // Without these two, x86-64-v4 would be compiled to 256-bit vectors.
  attributes.addAttribute("prefer-vector-width", std::to_string(vectorBits));
  attributes.addAttribute("min-legal-vector-width", std::to_string(vectorBits));
  function.setAttributes(llvm::AttributeList().addFnAttributes(function.getContext(), attributes));
}

int vectorBits(Target target) {
  switch (target) {
  case Target::X86_64_V2:
    return 128;
  case Target::X86_64_V3:
    return 256;
  case Target::X86_64_V4:
    return 512;
  }
  reportBug("a target without a vector width");
}

std::string emitMachineCode(Context &context, llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      reportBug("LLVM cannot write this kind of file");
    passes.run(module);
  }
  context.throwIfFailed();
  return std::string(bytes.begin(), bytes.end());
}

} // namespace normc::codegen
