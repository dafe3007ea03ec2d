// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/stream_stores.h"

#include "compiler/codegen/body.h"
#include "compiler/codegen/slice_reads.h"
#include "compiler/support/error.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <bit>

namespace normc::codegen {
namespace {

constexpr unsigned kSmallestStore = 16;
constexpr unsigned kLineBytes = 64;

/// Stores that write adjacent bytes, as one.
struct Group {
  std::vector<llvm::StoreInst *> stores; ///< in order of program and of address
  const SliceArray *array;
  unsigned bytes;
};

class Streamer {
public:
  Streamer(llvm::Function &function, unsigned alignment)
      : function_(function), layout_(function.getParent()->getDataLayout()), alignment_(alignment),
        library_(llvm::Triple(function.getParent()->getTargetTriple())), libraryInfo_(library_), assumptions_(function), dominators_(function),
        loops_(dominators_), evolution_(function, libraryInfo_, assumptions_, dominators_, loops_) {}

  unsigned run();

private:
  const SliceArray *target(const llvm::StoreInst &store) const;
  unsigned vectorBytes(const llvm::StoreInst &store) const;
  std::vector<Group> groups(llvm::BasicBlock &block);
  bool follows(const Group &group, llvm::StoreInst &store);
  bool staysAligned(const Group &group);
  void stream(const Group &group);

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
  const SliceArray *array = sliceArrayOf(store.getPointerOperand(), function_);
  return array && (array->role == "y" || array->role == "sum") ? array : nullptr;
}

/// Bytes that a vector store moves where they are a power of two, else 0.
unsigned Streamer::vectorBytes(const llvm::StoreInst &store) const {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  if (!type || !store.isSimple())
    return 0;
  unsigned bytes = static_cast<unsigned>(layout_.getTypeStoreSize(type).getFixedValue());
  return std::has_single_bit(bytes) ? bytes : 0;
}

/// Whether `store` writes the bytes behind the group's.
bool Streamer::follows(const Group &group, llvm::StoreInst &store) {
  llvm::StoreInst &first = *group.stores.front();
  if (store.getValueOperand()->getType() != first.getValueOperand()->getType())
    return false;
  const auto *distance =
      llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(evolution_.getSCEV(store.getPointerOperand()), evolution_.getSCEV(first.getPointerOperand())));
  return distance && distance->getAPInt() == group.bytes;
}

/// The block's vector stores of y and sum. Those narrower than the promised alignment (16-bit elements) are joined up to it where they are adjacent, so that
/// each streaming store fills as much of a cache line as it can. Joining delays all but the last of them past loads of inputs at other columns, which is sound:
/// an output shares memory with an input only element by element, and a body that read an input's element after storing that output element would not work in
/// place at all.
std::vector<Group> Streamer::groups(llvm::BasicBlock &block) {
  std::vector<Group> done;
  std::vector<Group> open; // at most one per array
  auto close = [&](Group &group) {
    if (group.bytes == alignment_ || group.stores.size() == 1) {
      done.push_back(group);
      return;
    }
    for (llvm::StoreInst *store : group.stores)
      done.push_back({{store}, group.array, vectorBytes(*store)});
  };
  for (llvm::Instruction &instruction : block) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const SliceArray *array = store ? target(*store) : nullptr;
    unsigned bytes = array ? vectorBytes(*store) : 0;
    if (bytes == 0) {
      // A store of one element or under a mask may touch the same bytes; only stores of vectors are known not to.
      if (instruction.mayWriteToMemory()) {
        std::for_each(open.begin(), open.end(), close);
        open.clear();
      }
      continue;
    }
    auto group = std::find_if(open.begin(), open.end(), [&](const Group &candidate) { return candidate.array == array; });
    if (group != open.end() && !follows(*group, *store)) {
      close(*group);
      open.erase(group);
      group = open.end();
    }
    if (group == open.end())
      group = open.insert(open.end(), Group{{}, array, 0});
    group->stores.push_back(store);
    group->bytes += bytes;
    if (group->bytes >= alignment_) {
      close(*group);
      open.erase(group);
    }
  }
  std::for_each(open.begin(), open.end(), close);
  return done;
}

/// Whether the address is a multiple of the group's size, given what the runtime checks before it calls a streaming body. The stride and hidden are replaced by
/// multiples of the promised alignment; what scalar evolution then knows about the distance from y (or sum) decides.
bool Streamer::staysAligned(const Group &group) {
  if (group.bytes > alignment_)
    return false;
  llvm::StoreInst &store = *group.stores.front();
  unsigned elementBytes = store.getValueOperand()->getType()->getScalarSizeInBits() / 8;
  llvm::ValueToSCEVMapTy promised;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    std::optional<size_t> offset = sliceOffset(&instruction, function_);
    if (!offset)
      continue;
    if (offset == group.array->stride || offset == offsetof(normc_slice_t, hidden)) {
      const llvm::SCEV *unit = evolution_.getConstant(instruction.getType(), alignment_ / elementBytes);
      promised[&instruction] = evolution_.getMulExpr(evolution_.getUnknown(&instruction), unit);
    }
  }
  const llvm::SCEV *address = evolution_.removePointerBase(evolution_.getSCEV(store.getPointerOperand()));
  const llvm::SCEV *distance = llvm::SCEVParameterRewriter::rewrite(address, evolution_, promised);
  return distance->isZero() || evolution_.getConstantMultiple(distance).urem(group.bytes) == 0;
}

/// Replaces the group's stores by one that is non-temporal.
/// LLVM 22 drops the mark where it folds a narrowing conversion into the store (vpmovdw to memory, say). Sixteen-bit vectors therefore go through an empty
/// inline assembly, which leaves the value as it is and hides where it comes from.
void Streamer::stream(const Group &group) {
  llvm::IRBuilder<> builder(group.stores.back());
  std::vector<llvm::Value *> parts;
  for (llvm::StoreInst *store : group.stores)
    parts.push_back(store->getValueOperand());
  llvm::Value *value = parts.size() == 1 ? parts.front() : llvm::concatenateVectors(builder, parts);
  if (value->getType()->getScalarSizeInBits() < 32) {
    llvm::Type *opaque = llvm::FixedVectorType::get(builder.getInt32Ty(), group.bytes / 4);
    auto *type = llvm::FunctionType::get(opaque, {opaque}, false);
    value = builder.CreateCall(llvm::InlineAsm::get(type, "", "=x,0", /*hasSideEffects=*/false), {builder.CreateBitCast(value, opaque)});
  }
  llvm::StoreInst *joined = builder.CreateAlignedStore(value, group.stores.front()->getPointerOperand(), llvm::Align(group.bytes));
  joined->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(function_.getContext(), llvm::ConstantAsMetadata::get(builder.getInt32(1))));
  for (llvm::StoreInst *store : group.stores)
    store->eraseFromParent();
}

unsigned Streamer::run() {
  unsigned narrow = 0;
  unsigned unproven = 0;
  std::vector<Group> chosen;
  for (llvm::BasicBlock &block : function_) {
    for (const Group &group : groups(block)) {
      if (group.bytes < kSmallestStore)
        ++narrow;
      else if (!staysAligned(group))
        ++unproven;
      else
        chosen.push_back(group);
    }
  }
  if (chosen.empty())
    reportBug("no store of y in '" + function_.getName().str() + "' can be streaming: of its vector stores " + std::to_string(narrow) + " are too narrow and " +
              std::to_string(unproven) + " are not aligned to " + std::to_string(alignment_) + " bytes for certain");
  for (const Group &group : chosen)
    stream(group);
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
