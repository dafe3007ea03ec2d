// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM IR may not hold if its bits are to be those of the reference.
#pragma once

#include <llvm/IR/Module.h>

namespace normc::codegen {

/// Throws InternalError where the module holds a fast-math flag, permission for a less accurate operation, a fused multiply-add, a call of anything but a
/// harmless intrinsic, or a variable that can be written.
void checkIR(const llvm::Module &module);

} // namespace normc::codegen
