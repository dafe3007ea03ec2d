// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a back end's LLVM IR to machine code. No LLVM type appears here.
#pragma once

#include "compiler/halide/halide_backend.h"
#include "compiler/schedule/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

/// One body of a variant, as a back end hands it over: a module that defines one function `void (const normc_slice_t *)`.
struct BodyIR {
  std::string bitcode;  ///< LLVM bitcode, or LLVM IR as text
  std::string function; ///< its symbol
  /// Bytes. Where not 0, codegen also makes `streamSymbol(function)`, which may rely on that alignment of y, sum, their strides and hidden.
  int streamAlignment = 0;
};

/// Everything a variant is made of, in one object.
struct VariantIR {
  Target target = Target::X86_64_V2;
  std::vector<BodyIR> bodies;
};

/// The machine code of one variant.
struct VariantObject {
  std::string object;               ///< a position-independent ELF relocatable file; the same bytes for the same IR
  std::vector<std::string> symbols; ///< the functions it defines, all hidden: bodies and their streaming versions
  int64_t codeBytes = 0;            ///< size of its machine code
};

/// The symbol of the body of kernel `name` for `target` that takes the optional parameters in `affine` (bits NORMC_AFFINE_*):
/// "ln768__x86_64_v3__weight_bias", "…__weight", "…__bias", "…__plain".
std::string bodySymbol(std::string_view name, Target target, unsigned affine);

/// The symbol of a body's streaming version: `function` and "_stream".
std::string streamSymbol(std::string_view function);

/// Rewrites a Halide function, which takes halide_buffer_t pointers, to one that takes a normc_slice_t: same computation, same symbol, no trace of Halide left.
/// Aliasing facts that Halide derived from its buffers' names are dropped, since y may be x. Throws InternalError where the module has another shape.
BodyIR fromHalide(const HalideBody &body, Target target);

/// A parameter that a body does without.
struct AbsentParameter {
  std::string role;
  DType dtype = DType::F32;
  float neutral = 0; ///< reading this in place of each element gives the bits of a kernel without the parameter
};

/// The body that `body` becomes, as `function`, where every element of the absent parameters has the neutral value. Throws InternalError where the body does
/// not read such a parameter, or reads its elements otherwise than one by one or in vectors.
BodyIR omitParameters(const BodyIR &body, const std::vector<AbsentParameter> &absent, const std::string &function);

/// LLVM IR of the whole variant after normc's passes: what the object is made from. The form `normc emit --as llvm` prints.
std::string variantLLVM(const VariantIR &variant);

/// The form `normc emit --as asm` prints, in AT&T syntax.
std::string variantAssembly(const VariantIR &variant);

/// Compiles a variant. Throws InternalError where the streaming pass finds no store to change, where the IR holds a fast-math flag, an fma or a call, or where
/// the machine code holds a fused multiply-add, an estimate, fewer streaming stores than the IR, or an undefined symbol other than memcpy and memset.
VariantObject variantObject(const VariantIR &variant);

} // namespace normc
