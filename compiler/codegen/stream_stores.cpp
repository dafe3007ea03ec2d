// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/stream_stores.h"

#include "compiler/codegen/body.h"
#include "compiler/codegen/slice_fields.h"
#include "compiler/support/error.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <bit>

namespace normc::codegen {
namespace {

constexpr unsigned kSmallestStore = 16;
constexpr unsigned kLineBytes = 64;

/// Where in the slice a value was loaded from; nullopt where it was not.
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

class Streamer {
public:
  Streamer(llvm::Function &function, unsigned alignment)
      : function_(function), layout_(function.getParent()->getDataLayout()), alignment_(alignment), library_(llvm::Triple(function.getParent()->getTargetTriple())),
        libraryInfo_(library_), assumptions_(function), dominators_(function), loops_(dominators_), evolution_(function, libraryInfo_, assumptions_, dominators_, loops_) {}

  unsigned run();

private:
  const SliceArray *target(const llvm::StoreInst &store) const;
  bool staysAligned(llvm::StoreInst &store, const SliceArray &array, unsigned bytes);
  void stream(llvm::StoreInst &store, unsigned bytes);
  unsigned vectorBytes(const llvm::StoreInst &store) const;

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  unsigned alignment_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::TargetLibraryInfo libraryInfo_;
  llvm::AssumptionCache assumptions_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
};

/// The array that the store writes to, where that is y or sum.
const SliceArray *Streamer::target(const llvm::StoreInst &store) const {
  const llvm::Value *base = llvm::getUnderlyingObject(store.getPointerOperand(), /*MaxLookup=*/0);
  std::optional<size_t> offset = sliceOffset(base, function_);
  for (std::string_view role : {"y", "sum"})
    if (offset == sliceArray(role).pointer)
      return &sliceArray(role);
  return nullptr;
}

/// Bytes that a store moves where it is of a kind that can be non-temporal, else 0.
unsigned Streamer::vectorBytes(const llvm::StoreInst &store) const {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  if (!type || !store.isSimple())
    return 0;
  unsigned bytes = static_cast<unsigned>(layout_.getTypeStoreSize(type).getFixedValue());
  return bytes >= kSmallestStore && std::has_single_bit(bytes) ? bytes : 0;
}

/// Whether the address is a multiple of `bytes`, given what the runtime checks before it calls a streaming body. The stride and hidden are replaced by multiples of
/// the promised alignment; what scalar evolution then knows about the distance from y (or sum) decides.
bool Streamer::staysAligned(llvm::StoreInst &store, const SliceArray &array, unsigned bytes) {
  if (bytes > alignment_)
    return false;
  const auto *type = llvm::cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  unsigned elementBytes = type->getScalarSizeInBits() / 8;
  llvm::ValueToSCEVMapTy promised;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    std::optional<size_t> offset = sliceOffset(&instruction, function_);
    if (!offset)
      continue;
    if (offset == array.stride || offset == offsetof(normc_slice_t, hidden)) {
      const llvm::SCEV *unit = evolution_.getConstant(instruction.getType(), alignment_ / elementBytes);
      promised[&instruction] = evolution_.getMulExpr(evolution_.getUnknown(&instruction), unit);
    }
  }
  const llvm::SCEV *address = evolution_.removePointerBase(evolution_.getSCEV(store.getPointerOperand()));
  const llvm::SCEV *distance = llvm::SCEVParameterRewriter::rewrite(address, evolution_, promised);
  return distance->isZero() || evolution_.getConstantMultiple(distance).urem(bytes) == 0;
}

/// LLVM 22 drops the mark where it folds a narrowing conversion into the store (vpmovdw to memory, say). Sixteen-bit vectors therefore go through an empty inline
/// assembly, which leaves the value as it is and hides where it comes from.
void Streamer::stream(llvm::StoreInst &store, unsigned bytes) {
  llvm::IRBuilder<> builder(&store);
  llvm::Value *value = store.getValueOperand();
  if (value->getType()->getScalarSizeInBits() < 32) {
    llvm::Type *opaque = llvm::FixedVectorType::get(builder.getInt32Ty(), bytes / 4);
    auto *type = llvm::FunctionType::get(opaque, {opaque}, false);
    value = builder.CreateCall(llvm::InlineAsm::get(type, "", "=x,0", /*hasSideEffects=*/false), {builder.CreateBitCast(value, opaque)});
    store.setOperand(0, value);
  }
  store.setAlignment(llvm::Align(std::min(bytes, kLineBytes)));
  store.setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(function_.getContext(), llvm::ConstantAsMetadata::get(builder.getInt32(1))));
}

unsigned Streamer::run() {
  unsigned narrow = 0;
  unsigned unproven = 0;
  std::vector<std::pair<llvm::StoreInst *, unsigned>> chosen;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const SliceArray *array = store ? target(*store) : nullptr;
    if (!array)
      continue;
    unsigned bytes = vectorBytes(*store);
    if (bytes == 0)
      ++narrow;
    else if (!staysAligned(*store, *array, std::min(bytes, kLineBytes)))
      ++unproven;
    else
      chosen.emplace_back(store, bytes);
  }
  if (chosen.empty())
    reportBug("no store of y in '" + function_.getName().str() + "' can be streaming: " + std::to_string(narrow) + " are too narrow, " + std::to_string(unproven) +
              " are not aligned to " + std::to_string(alignment_) + " bytes for certain");
  for (auto [store, bytes] : chosen)
    stream(*store, bytes);
  return static_cast<unsigned>(chosen.size());
}

} // namespace

StreamingBody addStreamingBody(llvm::Function &body, unsigned alignment) {
  if (alignment < kSmallestStore || alignment > kLineBytes || !std::has_single_bit(alignment))
    reportBug("streaming stores cannot be aligned to " + std::to_string(alignment) + " bytes: expected 16, 32 or 64");
  llvm::ValueToValueMapTy values;
  llvm::Function *clone = llvm::CloneFunction(&body, values);
  clone->setName(streamSymbol(body.getName()));
  return {clone, Streamer(*clone, alignment).run()};
}

} // namespace normc::codegen
