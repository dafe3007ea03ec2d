// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-temporal stores of y and sum.
#pragma once

#include <llvm/IR/Function.h>

namespace normc::codegen {

struct StreamingBody {
  llvm::Function *function; ///< `<body>_stream`
  unsigned stores;          ///< how many stores in it are non-temporal
};

/// Clones `body`, a function of a normc_slice_t, and makes stores of y and sum in the clone non-temporal: unmasked vectors, adjacent narrow ones joined, of at
/// least 16 bytes whose address is a multiple of their size wherever y, sum, their strides in bytes and hidden in bytes are multiples of `alignment`. Others
/// stay as they are. The clone does not fence: its caller issues an sfence after the last call. Throws InternalError where there is no such store.
StreamingBody addStreamingBody(llvm::Function &body, unsigned alignment);

} // namespace normc::codegen
