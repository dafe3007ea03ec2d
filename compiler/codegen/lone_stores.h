// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around a fault of LLVM 22 (its issue 179489): a masked store under a constant mask with one lane set, of a value that a truncation made, writes that lane as it
// was before the truncation. With bf16 it writes four bytes instead of two, past the end of a row of 16 n + 1 columns.
#pragma once

#include <llvm/IR/Function.h>

namespace normc::codegen {

/// Replaces masked stores of one constant lane by stores of that element.
void spellOutLoneStores(llvm::Function &function);

} // namespace normc::codegen
