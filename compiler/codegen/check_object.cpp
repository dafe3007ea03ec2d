// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/check_object.h"

#include "compiler/support/error.h"

#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

namespace normc::codegen {
namespace {

template <typename T> T expect(llvm::Expected<T> value, const char *what) {
  if (!value)
    reportBug(std::string("the object's ") + what + " cannot be read: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

/// LLVM's name of an instruction ("VMOVNTPSZmr") decides what it is.
bool isStreamingStore(llvm::StringRef name) { return (name.starts_with("MOVNT") || name.starts_with("VMOVNT")) && name.ends_with("mr"); }

bool changesBits(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"VFMADD", "VFMSUB", "VFNMADD", "VFNMSUB", "RCP", "RSQRT", "VRCP", "VRSQRT"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

class ObjectChecker {
public:
  ObjectChecker(const std::string &object, const llvm::TargetMachine &machine)
      : machine_(machine), mc_(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(), machine.getMCSubtargetInfo()),
        disassembler_(machine.getTarget().createMCDisassembler(*machine.getMCSubtargetInfo(), mc_)),
        file_(expect(llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(object, "object")), "file")) {
    if (!disassembler_)
      reportBug("LLVM has no disassembler for x86-64");
  }

  std::map<std::string, MachineCounts> run();

private:
  void checkUndefined(const llvm::object::ELFSymbolRef &symbol, llvm::StringRef name);
  MachineCounts checkFunction(const llvm::object::ELFSymbolRef &symbol, llvm::StringRef name);

  const llvm::TargetMachine &machine_;
  llvm::MCContext mc_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  llvm::object::ELF64LEObjectFile file_;
};

void ObjectChecker::checkUndefined(const llvm::object::ELFSymbolRef &symbol, llvm::StringRef name) {
  uint32_t flags = expect(symbol.getFlags(), "symbol flags");
  if ((flags & llvm::object::SymbolRef::SF_Undefined) && !name.empty() && name != "memcpy" && name != "memset")
    reportBug("the machine code needs the symbol '" + name.str() + "', which nothing provides");
}

MachineCounts ObjectChecker::checkFunction(const llvm::object::ELFSymbolRef &symbol, llvm::StringRef name) {
  llvm::object::section_iterator section = expect(symbol.getSection(), "sections");
  llvm::StringRef contents = expect(section->getContents(), "code");
  uint64_t begin = expect(symbol.getValue(), "symbol values");
  uint64_t size = symbol.getSize();
  llvm::ArrayRef<uint8_t> bytes(contents.bytes_begin() + begin, size);
  MachineCounts counts;
  counts.bytes = static_cast<int64_t>(size);
  for (uint64_t at = 0; at < size;) {
    llvm::MCInst instruction;
    uint64_t length = 0;
    if (disassembler_->getInstruction(instruction, length, bytes.slice(at), at, llvm::nulls()) != llvm::MCDisassembler::Success)
      reportBug("'" + name.str() + "' holds bytes at " + std::to_string(at) + " that are no instruction of its target");
    llvm::StringRef opcode = machine_.getMCInstrInfo()->getName(instruction.getOpcode());
    if (changesBits(opcode))
      reportBug("'" + name.str() + "' holds the instruction " + opcode.str() + ", which rounds otherwise than the reference");
    counts.streamingStores += isStreamingStore(opcode);
    at += length;
  }
  return counts;
}

std::map<std::string, MachineCounts> ObjectChecker::run() {
  std::map<std::string, MachineCounts> functions;
  for (const llvm::object::ELFSymbolRef &symbol : file_.symbols()) {
    llvm::StringRef name = expect(symbol.getName(), "symbol names");
    checkUndefined(symbol, name);
    if (symbol.getELFType() == llvm::ELF::STT_FUNC)
      functions[name.str()] = checkFunction(symbol, name);
  }
  for (const llvm::object::SectionRef &section : file_.sections()) {
    uint64_t flags = llvm::object::ELFSectionRef(section).getFlags();
    if ((flags & llvm::ELF::SHF_ALLOC) && (flags & llvm::ELF::SHF_WRITE) && section.getSize() != 0)
      reportBug("section " + expect(section.getName(), "section names").str() + " can be written; bodies keep no state");
  }
  return functions;
}

} // namespace

std::map<std::string, MachineCounts> checkObject(const std::string &object, const llvm::TargetMachine &machine) { return ObjectChecker(object, machine).run(); }

} // namespace normc::codegen
