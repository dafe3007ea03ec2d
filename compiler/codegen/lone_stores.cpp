// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/lone_stores.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace normc::codegen {
namespace {

/// The lane of a constant mask that is set, where it is the only one.
std::optional<unsigned> loneLane(const llvm::Value *mask) {
  const auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const llvm::Constant *element = constant->getAggregateElement(i);
    if (!element || (!element->isNullValue() && !element->isOneValue()))
      return std::nullopt;
    if (element->isOneValue()) {
      if (lane)
        return std::nullopt;
      lane = i;
    }
  }
  return lane;
}

} // namespace

void spellOutLoneStores(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
      continue;
    std::optional<unsigned> lane = loneLane(store->getArgOperand(2));
    if (!lane)
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value *element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
    llvm::Value *place = *lane == 0 ? store->getArgOperand(1) : builder.CreateConstGEP1_32(element->getType(), store->getArgOperand(1), *lane);
    const uint64_t distance = *lane * function.getParent()->getDataLayout().getTypeStoreSize(element->getType()).getFixedValue();
    builder.CreateAlignedStore(element, place, llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), distance));
    store->eraseFromParent();
  }
}

} // namespace normc::codegen
