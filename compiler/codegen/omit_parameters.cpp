// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose weight and bias are optional needs up to four bodies. Lowering each from the stages costs four times the time of one; here the lesser ones come
// from the fullest, by reading the neutral value in place of each element of an absent parameter and folding it away. LLVM folds x * 1 and x + -0 without
// any fast-math flag because both give x, bit for bit (a NaN stays a NaN).
#include "compiler/codegen/body.h"
#include "compiler/codegen/llvm_support.h"
#include "compiler/codegen/slice_reads.h"
#include "compiler/support/error.h"
#include "compiler/support/float_formats.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>

#include <bit>

namespace normc {
namespace codegen {
namespace {

uint32_t elementBits(const AbsentParameter &parameter) {
  switch (parameter.dtype) {
  case DType::F32: return std::bit_cast<uint32_t>(parameter.neutral);
  case DType::F16: return f16FromF32(parameter.neutral);
  case DType::BF16: return bf16FromF32(parameter.neutral);
  default: reportBug("parameter '" + parameter.role + "' has no element type that kernels take");
  }
}

/// The pointer that a load, plain or masked, reads from; null for other instructions.
const llvm::Value *loadedFrom(const llvm::Instruction &instruction) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getPointerOperand();
  if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_load)
      return intrinsic->getArgOperand(0);
  return nullptr;
}

bool readsParameter(const llvm::Instruction &instruction, const llvm::Function &function, const AbsentParameter &parameter) {
  const llvm::Value *pointer = loadedFrom(instruction);
  const SliceArray *array = pointer ? sliceArrayOf(pointer, function) : nullptr;
  return array && array->role == parameter.role;
}

llvm::Constant *neutralConstant(llvm::Type *type, const AbsentParameter &parameter) {
  llvm::Type *scalar = type->getScalarType();
  const unsigned bits = static_cast<unsigned>(8 * dtypeBytes(parameter.dtype));
  if (scalar->getScalarSizeInBits() != bits)
    reportBug("a load of '" + parameter.role + "' reads elements of " + std::to_string(scalar->getScalarSizeInBits()) + " bits, expected " +
              std::to_string(bits));
  llvm::APInt pattern(bits, elementBits(parameter));
  llvm::Constant *element = scalar->isIntegerTy() ? static_cast<llvm::Constant *>(llvm::ConstantInt::get(scalar, pattern))
                                                  : llvm::ConstantFP::get(scalar, llvm::APFloat(scalar->getFltSemantics(), pattern));
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? llvm::ConstantVector::getSplat(vector->getElementCount(), element) : element;
}

void omit(llvm::Function &function, const AbsentParameter &parameter) {
  std::vector<llvm::Instruction *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (readsParameter(instruction, function, parameter))
      loads.push_back(&instruction);
  if (loads.empty())
    reportBug("'" + function.getName().str() + "' never reads '" + parameter.role + "', so leaving that out means nothing");
  for (llvm::Instruction *load : loads) {
    load->replaceAllUsesWith(neutralConstant(load->getType(), parameter));
    load->eraseFromParent();
  }
}

void foldConstants(llvm::Function &function) {
  llvm::PassBuilder passBuilder;
  llvm::FunctionAnalysisManager functions;
  passBuilder.registerFunctionAnalyses(functions);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(function, functions);
}

} // namespace
} // namespace codegen

BodyIR omitParameters(const BodyIR &body, const std::vector<AbsentParameter> &absent, const std::string &function) {
  codegen::Context context;
  std::unique_ptr<llvm::Module> module = codegen::parseModule(context, body.bitcode, body.function);
  llvm::Function *code = module->getFunction(body.function);
  if (!code || code->isDeclaration())
    reportBug("a body's module does not define '" + body.function + "'");
  for (const AbsentParameter &parameter : absent)
    codegen::omit(*code, parameter);
  codegen::foldConstants(*code);
  code->setName(function);
  codegen::verifyModule(*module, function);
  context.throwIfFailed();
  return BodyIR{codegen::writeBitcode(*module), function, body.streamAlignment};
}

} // namespace normc
