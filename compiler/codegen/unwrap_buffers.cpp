// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide's functions take a halide_buffer_t per array. Here each gets a caller that builds those structs on the stack from a normc_slice_t; inlining and scalar
// replacement then leave the computation alone, reading the slice. The clean-up is kept small: LLVM already optimized this code once, and its folds of vectors
// into scalars are easily spoilt by doing so again.
#include "compiler/codegen/body.h"
#include "compiler/codegen/halide_abi.h"
#include "compiler/codegen/llvm_support.h"
#include "compiler/codegen/slice_fields.h"
#include "compiler/support/error.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace normc {
namespace codegen {
namespace {

/// Marks the stack slots that must all be gone in the end.
constexpr const char *kSlotPrefix = "normc.buffer.";

class Unwrapper {
public:
  Unwrapper(llvm::Module &module, const HalideBody &body)
      : module_(module), body_(body), context_(module.getContext()), builder_(context_), pointer_(builder_.getPtrTy()), int32_(builder_.getInt32Ty()) {}

  llvm::Function &run();

private:
  llvm::Function &isolateHalideFunction();
  void dropAliasFacts(llvm::Function &function);
  llvm::Value *sliceField(llvm::Type *type, size_t offset, const llvm::Twine &name);
  llvm::Value *sliceInt32(size_t offset, const llvm::Twine &name);
  llvm::Value *makeBuffer(const HalideParameter &parameter);
  void storeDimension(llvm::Value *dims, llvm::Type *dimType, unsigned index, llvm::Value *extent, llvm::Value *stride);
  void simplify(llvm::Function &function);
  void checkNothingLeft(llvm::Function &function);

  llvm::Module &module_;
  const HalideBody &body_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  llvm::Type *pointer_;
  llvm::Type *int32_;
  llvm::Value *slice_ = nullptr;
};

/// Removes what Halide emits beside the function (argument-array wrapper, metadata) by keeping nothing but it, and checks its signature.
llvm::Function &Unwrapper::isolateHalideFunction() {
  llvm::Function *function = module_.getFunction(body_.function);
  if (!function || function->isDeclaration())
    reportBug("Halide's module does not define '" + body_.function + "'");
  if (function->arg_size() != body_.parameters.size())
    reportBug("'" + body_.function + "' has " + std::to_string(function->arg_size()) + " parameters, expected " + std::to_string(body_.parameters.size()));
  for (auto [argument, parameter] : llvm::zip(function->args(), body_.parameters)) {
    bool fits = parameter.kind == HalideParameter::Kind::Buffer ? argument.getType()->isPointerTy() : argument.getType()->isFloatTy();
    if (!fits)
      reportBug("parameter '" + parameter.role + "' of '" + body_.function + "' has another type than expected");
  }
  function->setName(body_.function + ".inner");
  for (llvm::GlobalValue &global : module_.global_values())
    if (!global.isDeclaration())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
  return *function;
}

/// y may be x and sum may be x or residual: type-based and scoped alias facts, which Halide derives from the names of buffers, do not hold.
void Unwrapper::dropAliasFacts(llvm::Function &function) {
  function.setAttributes(llvm::AttributeList());
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    for (unsigned kind : {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_tbaa_struct, llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_alias_scope,
                          llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_access_group, llvm::LLVMContext::MD_mem_parallel_loop_access})
      instruction.setMetadata(kind, nullptr);
  }
}

llvm::Value *Unwrapper::sliceField(llvm::Type *type, size_t offset, const llvm::Twine &name) {
  llvm::Value *address = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), slice_, offset, name + ".field");
  return builder_.CreateLoad(type, address, name);
}

/// Counts and strides fit 32 bits wherever more than one row depends on them: the runtime sees to that.
llvm::Value *Unwrapper::sliceInt32(size_t offset, const llvm::Twine &name) {
  return builder_.CreateTrunc(sliceField(builder_.getInt64Ty(), offset, name), int32_, name + ".32");
}

void Unwrapper::storeDimension(llvm::Value *dims, llvm::Type *dimType, unsigned index, llvm::Value *extent, llvm::Value *stride) {
  auto store = [&](unsigned field, llvm::Value *value) {
    builder_.CreateStore(value, builder_.CreateInBoundsGEP(dimType, dims, {builder_.getInt32(index), builder_.getInt32(field)}));
  };
  store(HalideDimensionLayout::Min, builder_.getInt32(0));
  store(HalideDimensionLayout::Extent, extent);
  store(HalideDimensionLayout::Stride, stride);
  store(HalideDimensionLayout::Flags, builder_.getInt32(0));
}

llvm::Value *Unwrapper::makeBuffer(const HalideParameter &parameter) {
  const SliceArray &array = sliceArray(parameter.role);
  bool fits = parameter.dimensions == 2 ? array.stride && !parameter.rowDomain : parameter.dimensions == 1 && array.stride.has_value() == parameter.rowDomain;
  if (!fits)
    reportBug("array '" + parameter.role + "' with " + std::to_string(parameter.dimensions) + " dimensions does not fit its fields of normc_slice_t");

  llvm::Type *byte = builder_.getInt8Ty();
  llvm::Type *long_ = builder_.getInt64Ty();
  auto *bufferType = llvm::StructType::get(context_, {long_, pointer_, pointer_, long_, byte, byte, builder_.getInt16Ty(), int32_, pointer_, pointer_});
  auto *dimType = llvm::StructType::get(context_, {int32_, int32_, int32_, int32_});
  llvm::Value *buffer = builder_.CreateAlloca(bufferType, nullptr, kSlotPrefix + parameter.role);
  llvm::Value *dims = builder_.CreateAlloca(llvm::ArrayType::get(dimType, parameter.dimensions), nullptr, kSlotPrefix + parameter.role + ".dim");

  if (parameter.rowDomain) {
    storeDimension(dims, dimType, 0, sliceInt32(offsetof(normc_slice_t, rows), "rows"), sliceInt32(*array.stride, parameter.role + ".stride"));
  } else {
    storeDimension(dims, dimType, 0, sliceInt32(offsetof(normc_slice_t, hidden), "hidden"), builder_.getInt32(1));
    if (parameter.dimensions == 2)
      storeDimension(dims, dimType, 1, sliceInt32(offsetof(normc_slice_t, rows), "rows"), sliceInt32(*array.stride, parameter.role + ".stride"));
  }

  auto store = [&](HalideBufferLayout::Field field, llvm::Value *value) { builder_.CreateStore(value, builder_.CreateStructGEP(bufferType, buffer, field)); };
  llvm::Value *null = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  // Halide has no bfloat16 here: those arrays are declared as 16-bit integers.
  uint8_t code = parameter.dtype == DType::BF16 || parameter.dtype == DType::U8 ? kHalideUInt : parameter.dtype == DType::S8 ? kHalideInt : kHalideFloat;
  store(HalideBufferLayout::Device, builder_.getInt64(0));
  store(HalideBufferLayout::DeviceInterface, null);
  store(HalideBufferLayout::Host, sliceField(pointer_, array.pointer, parameter.role));
  store(HalideBufferLayout::Flags, builder_.getInt64(0));
  store(HalideBufferLayout::TypeCode, builder_.getInt8(code));
  store(HalideBufferLayout::TypeBits, builder_.getInt8(static_cast<uint8_t>(8 * dtypeBytes(parameter.dtype))));
  store(HalideBufferLayout::TypeLanes, builder_.getInt16(1));
  store(HalideBufferLayout::Dimensions, builder_.getInt32(parameter.dimensions));
  store(HalideBufferLayout::Dim, dims);
  store(HalideBufferLayout::Padding, null);
  return buffer;
}

/// No vectorizer and no loop pass, and nothing that combines instructions: only what makes our own stack slots and the constants in them disappear.
void Unwrapper::simplify(llvm::Function &function) {
  llvm::PassBuilder passBuilder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgsccs;
  llvm::ModuleAnalysisManager modules;
  passBuilder.registerModuleAnalyses(modules);
  passBuilder.registerCGSCCAnalyses(cgsccs);
  passBuilder.registerFunctionAnalyses(functions);
  passBuilder.registerLoopAnalyses(loops);
  passBuilder.crossRegisterProxies(loops, functions, cgsccs, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::DCEPass());
  passes.run(function, functions);
  llvm::ModulePassManager dead;
  dead.addPass(llvm::GlobalDCEPass());
  dead.run(module_, modules);
}

void Unwrapper::checkNothingLeft(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::AllocaInst>(instruction) && instruction.getName().starts_with(kSlotPrefix))
      reportBug("a halide_buffer_t is left in '" + body_.function + "': its slot " + instruction.getName().str() + " was not replaced by values");
  for (llvm::GlobalValue &global : module_.global_values())
    if (global.getName().contains("halide"))
      reportBug("'" + body_.function + "' needs Halide's runtime: it refers to " + global.getName().str());
}

llvm::Function &Unwrapper::run() {
  llvm::Function &inner = isolateHalideFunction();
  dropAliasFacts(inner);

  auto *type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer_}, false);
  auto *outer = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, body_.function, module_);
  slice_ = outer->getArg(0);
  slice_->setName("slice");
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", outer));
  std::vector<llvm::Value *> arguments;
  for (const HalideParameter &parameter : body_.parameters) {
    if (parameter.kind == HalideParameter::Kind::Buffer) {
      arguments.push_back(makeBuffer(parameter));
    } else if (parameter.role == "eps") {
      arguments.push_back(sliceField(builder_.getFloatTy(), offsetof(normc_slice_t, eps), "eps"));
    } else {
      reportBug("normc_slice_t has no scalar '" + parameter.role + "'");
    }
  }
  llvm::CallInst *call = builder_.CreateCall(&inner, arguments);
  builder_.CreateRetVoid();

  llvm::InlineFunctionInfo info;
  llvm::InlineResult result = llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false);
  if (!result.isSuccess())
    reportBug("'" + body_.function + "' cannot be inlined: " + result.getFailureReason());
  simplify(*outer);
  checkNothingLeft(*outer);
  return *outer;
}

} // namespace
} // namespace codegen

BodyIR fromHalide(const HalideBody &body, Target target) {
  // The runtime cuts calls into slices, and a slice does not say which rows of the call it holds.
  if (body.usesRowNumbers)
    throw Error(DiagCode::ImpossibleCombination, "'" + body.function + "' computes with the numbers of rows, which normc_slice_t does not have");
  codegen::Context context;
  std::unique_ptr<llvm::Module> module = codegen::parseModule(context, body.bitcode, body.function);
  std::unique_ptr<llvm::TargetMachine> machine = codegen::makeTargetMachine(targetName(target));
  codegen::adoptModule(*module, *machine, body.function);
  llvm::Function &function = codegen::Unwrapper(*module, body).run();
  codegen::setCodegenAttributes(function, targetName(target), codegen::vectorBits(target));
  codegen::verifyModule(*module, body.function);
  context.throwIfFailed();
  return BodyIR{codegen::writeBitcode(*module), body.function, 0};
}

} // namespace normc
