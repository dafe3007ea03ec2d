// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/library/descriptor.h"

#include "compiler/codegen/llvm_support.h"
#include "compiler/support/error.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <array>

namespace normc::library {
namespace {

/// The lowest common denominator: descriptors are read before anything is known about the CPU.
constexpr std::string_view kBaseline = "x86-64";

class DescriptorBuilder {
public:
  explicit DescriptorBuilder(const std::string &name)
      : name_(name), machine_(codegen::makeTargetMachine(kBaseline)), module_("descriptor", context_.llvm()), builder_(context_.llvm()),
        pointer_(builder_.getPtrTy()), int32_(builder_.getInt32Ty()), int64_(builder_.getInt64Ty()) {
    codegen::adoptModule(module_, *machine_, name);
  }

  void kernel(const LibraryKernel &kernel);
  void kernelSet(const KernelSet &set);
  std::string object();

private:
  llvm::Constant *number(uint32_t value) { return llvm::ConstantInt::get(int32_, value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(builder_.getPtrTy()); }
  llvm::Constant *text(const std::string &value);
  llvm::Constant *body(const LibraryVariant &variant, const std::string &symbol);
  llvm::Constant *variant(const LibraryVariant &variant, const std::string &kernel);
  llvm::Constant *record(std::vector<llvm::Constant *> fields, size_t bytes);
  llvm::Constant *internalArray(std::vector<llvm::Constant *> elements, const char *name);
  llvm::GlobalVariable *publicConstant(llvm::Constant *value, const std::string &name);
  void entry(const char *callee, llvm::Constant *description);
  void workspace();

  std::string name_;
  codegen::Context context_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::Module module_;
  llvm::IRBuilder<> builder_;
  llvm::PointerType *pointer_;
  llvm::Type *int32_;
  llvm::Type *int64_;
};

llvm::Constant *DescriptorBuilder::text(const std::string &value) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(context_.llvm(), value);
  auto *variable = new llvm::GlobalVariable(module_, bytes->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, bytes, ".str");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(1));
  return variable;
}

/// The address of a body in another object of the archive, or NULL where the variant has none of that name.
llvm::Constant *DescriptorBuilder::body(const LibraryVariant &variant, const std::string &symbol) {
  const std::vector<std::string> &symbols = variant.code.symbols;
  if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
    return null();
  auto *type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer_}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module_);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  return function;
}

/// A struct of C, checked against the size that the C compiler gives it.
llvm::Constant *DescriptorBuilder::record(std::vector<llvm::Constant *> fields, size_t bytes) {
  llvm::Constant *value = llvm::ConstantStruct::getAnon(context_.llvm(), fields);
  if (module_.getDataLayout().getTypeAllocSize(value->getType()) != bytes)
    reportBug("a descriptor does not have the layout of normc/abi.h");
  return value;
}

llvm::Constant *DescriptorBuilder::internalArray(std::vector<llvm::Constant *> elements, const char *name) {
  auto *type = llvm::ArrayType::get(elements.front()->getType(), elements.size());
  return new llvm::GlobalVariable(module_, type, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(type, elements), name);
}

llvm::GlobalVariable *DescriptorBuilder::publicConstant(llvm::Constant *value, const std::string &name) {
  return new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, value, name);
}

llvm::Constant *DescriptorBuilder::variant(const LibraryVariant &variant, const std::string &kernel) {
  std::vector<llvm::Constant *> bodies;
  std::vector<llvm::Constant *> streaming;
  for (unsigned affine = 0; affine < NORMC_AFFINE_COUNT; ++affine) {
    std::string symbol = bodySymbol(kernel, variant.target, affine);
    bodies.push_back(body(variant, symbol));
    streaming.push_back(body(variant, streamSymbol(symbol)));
  }
  auto *table = llvm::ArrayType::get(pointer_, NORMC_AFFINE_COUNT);
  uint32_t alignment = streams(variant, kernel) ? static_cast<uint32_t>(variant.plan.streamAlignment) : 0;
  return record({number(isaOf(variant.target)), number(alignment), text(variantSymbol(kernel, variant.target)), text(planText(variant.plan)),
                 llvm::ConstantArray::get(table, bodies), llvm::ConstantArray::get(table, streaming)},
                sizeof(normc_variant_t));
}

/// The entry only adds the description: `normc_status_t NAME(const NAME_args *args, const normc_exec_t *exec)`.
void DescriptorBuilder::entry(const char *callee, llvm::Constant *description) {
  auto *calleeType = llvm::FunctionType::get(int32_, {pointer_, pointer_, pointer_}, false);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(int32_, {pointer_, pointer_}, false), llvm::GlobalValue::ExternalLinkage, name_, module_);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_.llvm(), "entry", function));
  llvm::CallInst *call = builder_.CreateCall(module_.getOrInsertFunction(callee, calleeType), {description, function->getArg(0), function->getArg(1)});
  call->setTailCall();
  builder_.CreateRet(call);
}

/// Forward kernels on a CPU need none: `size_t NAME_workspace(int64_t rows, int64_t hidden)` gives 0.
void DescriptorBuilder::workspace() {
  auto *type = llvm::FunctionType::get(int64_, {int64_, int64_}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name_ + "_workspace", module_);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_.llvm(), "entry", function));
  builder_.CreateRet(builder_.getInt64(0));
}

void DescriptorBuilder::kernel(const LibraryKernel &kernel) {
  const KernelSpec &spec = kernel.spec;
  std::vector<llvm::Constant *> variants;
  for (const LibraryVariant *candidate : variantsByIsa(kernel))
    variants.push_back(variant(*candidate, spec.name));
  uint32_t accepts = 0;
  uint32_t required = 0;
  for (const Argument &argument : arguments(spec)) {
    accepts |= argument.use != Use::Absent ? argument.role : 0;
    required |= argument.use == Use::Required ? argument.role : 0;
  }
  llvm::Constant *value =
      record({number(sizeof(normc_kernel_t)), number(NORMC_ABI_VERSION), text(spec.name), text(std::string(opName(spec.op))), text(canonicalSpelling(spec)),
              text(specHash(spec)), text(producer()), number(accepts), number(required), number(dtypeCode(spec.dtype)), number(dtypeCode(spec.yDtype)),
              number(dtypeCode(spec.paramDtype)), number(static_cast<uint32_t>(variants.size())),
              llvm::ConstantInt::get(int64_, static_cast<uint64_t>(spec.hidden)), internalArray(variants, "variants")},
             sizeof(normc_kernel_t));
  entry("normc_run_forward", publicConstant(value, name_ + "_kernel"));
  workspace();
}

void DescriptorBuilder::kernelSet(const KernelSet &set) {
  std::vector<llvm::Constant *> kernels;
  for (const LibraryKernel *kernel : set.kernels)
    kernels.push_back(new llvm::GlobalVariable(module_, llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(normc_kernel_t)), /*isConstant=*/true,
                                               llvm::GlobalValue::ExternalLinkage, nullptr, kernel->spec.name + "_kernel"));
  uint32_t count = static_cast<uint32_t>(kernels.size());
  llvm::Constant *value =
      record({number(sizeof(normc_kernel_set_t)), number(NORMC_ABI_VERSION), text(set.name), number(0), number(count), internalArray(kernels, "kernels")},
             sizeof(normc_kernel_set_t));
  entry("normc_run_forward_set", publicConstant(value, name_ + "_kernel_set"));
  workspace();
}

std::string DescriptorBuilder::object() {
  for (llvm::Function &function : module_)
    if (!function.isDeclaration())
      codegen::setCodegenAttributes(function, kBaseline, 128);
  codegen::verifyModule(module_, name_);
  return codegen::emitMachineCode(context_, module_, *machine_, llvm::CodeGenFileType::ObjectFile);
}

} // namespace

std::string kernelDescriptor(const LibraryKernel &kernel) {
  DescriptorBuilder builder(kernel.spec.name);
  builder.kernel(kernel);
  return builder.object();
}

std::string setDescriptor(const KernelSet &set) {
  DescriptorBuilder builder(set.name);
  builder.kernelSet(set);
  return builder.object();
}

} // namespace normc::library
