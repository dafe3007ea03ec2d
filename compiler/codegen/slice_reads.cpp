// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/slice_reads.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace normc::codegen {

std::optional<size_t> sliceOffset(const llvm::Value *value, const llvm::Function &function) {
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load)
    return std::nullopt;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  llvm::APInt offset(layout.getPointerSizeInBits(), 0);
  const llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (base != function.getArg(0))
    return std::nullopt;
  return offset.getZExtValue();
}

const SliceArray *sliceArrayOf(const llvm::Value *pointer, const llvm::Function &function) {
  std::optional<size_t> offset = sliceOffset(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0), function);
  auto found = std::find_if(kSliceArrays.begin(), kSliceArrays.end(), [&](const SliceArray &array) { return offset == array.pointer; });
  return found == kSliceArrays.end() ? nullptr : found;
}

} // namespace normc::codegen
