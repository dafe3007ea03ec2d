// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which field of its slice a body works on.
#pragma once

#include "compiler/codegen/slice_fields.h"

#include <llvm/IR/Function.h>

namespace normc::codegen {

/// The offset in the slice from which `value` was loaded, in a body whose only argument is the slice; nullopt where it was not.
std::optional<size_t> sliceOffset(const llvm::Value *value, const llvm::Function &function);

/// The array of the slice that `pointer` points into; null where it points elsewhere.
const SliceArray *sliceArrayOf(const llvm::Value *pointer, const llvm::Function &function);

} // namespace normc::codegen
