// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a back end's LLVM IR to machine code. No LLVM type appears here.
#pragma once

#include "compiler/halide/halide_backend.h"
#include "compiler/schedule/plan.h"

#include <string>
#include <vector>

namespace normc {

/// One body of a variant, as a back end hands it over: a module with one function `void (const normc_slice_t *)`.
struct BodyIR {
  std::string bitcode;
  std::string function;    ///< its symbol
  bool wantStreaming = false; ///< also make `<function>_stream`
};

/// Everything a variant is made of, in one object.
struct VariantIR {
  Target target;
  std::vector<BodyIR> bodies;
};

/// The machine-level forms of one variant.
struct VariantObject {
  std::string object;      ///< a position-independent ELF relocatable file
  std::vector<std::string> symbols; ///< the body functions it defines (hidden visibility)
};

/// Rewrites a Halide function, which takes halide_buffer_t pointers, to one that takes a normc_slice_t: same computation, same symbol, no trace of Halide left.
BodyIR fromHalide(const HalideBody &body, Target target);

/// LLVM IR of the whole variant after normc's passes: what the object is made from. The form `normc emit --as llvm` prints.
std::string variantLLVM(const VariantIR &variant);
/// The form `normc emit --as asm` prints.
std::string variantAssembly(const VariantIR &variant);
/// Throws InternalError where the streaming pass finds no store of y to change, or where the IR holds a fast-math flag, an fma or an undefined symbol.
VariantObject variantObject(const VariantIR &variant);

} // namespace normc
