// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What machine code may not hold, read back from the object that was written.
#pragma once

#include "compiler/schedule/plan.h"

#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <map>
#include <string>

namespace normc::codegen {

/// What one function of an object holds.
struct MachineCounts {
  int64_t bytes = 0;
  int64_t streamingStores = 0; ///< movntps, movntdq and their relatives
};

/// Disassembles every function of an object. Throws InternalError at a fused multiply-add, a reciprocal or square-root estimate, a byte sequence that is no
/// instruction, an undefined symbol other than memcpy and memset or a section that would have to be written while loading.
std::map<std::string, MachineCounts> checkObject(const std::string &object, const llvm::TargetMachine &machine);

} // namespace normc::codegen
