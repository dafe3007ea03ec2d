// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries without a back end: bodies written by hand that fill y with a number which says who ran.
#pragma once

#include "compiler/library/library.h"
#include "test/unit/codegen/SampleIR.h"

#include <cstring>
#include <string>
#include <vector>

namespace normc {

/// What the sample's bodies write to y: kernel, instruction set and combination of parameters as one number that float32, f16 and bf16 hold exactly: at most 7
/// bits.
inline int sampleMark(int kernel, Target target, unsigned affine) { return kernel * 16 + (static_cast<int>(target) + 1) * 4 + static_cast<int>(affine); }

/// The bits of a small integer in a storage type.
inline std::string bitsOf(int value, DType type) {
  float number = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  if (type == DType::BF16)
    return std::to_string(bits >> 16);
  if (type == DType::F16)
    return std::to_string(value == 0 ? 0 : (((bits >> 23) - 127 + 15) << 10) | ((bits >> 13) & 0x3ff));
  return std::to_string(bits);
}

/// Fills rows x hidden of y, hidden a multiple of 16, sixteen bytes and more at a time.
inline BodyIR markingBody(const std::string &symbol, DType type, int mark, int streamAlignment) {
  std::string element = type == DType::F32 ? "i32" : "i16";
  return sliceBody(symbol, 16, element, element, "  store <16 x " + element + "> splat (" + element + " " + bitsOf(mark, type) + "), ptr %y.at, align 2",
                   streamAlignment);
}

/// A library with one kernel per spec, numbered from 1, each for all targets.
inline Library sampleLibrary(const std::string &name, const std::vector<KernelSpec> &specs, const std::vector<Target> &targets) {
  Library library;
  library.name = name;
  library.command = {"build", "layer_norm", "--hidden", "64"};
  for (size_t i = 0; i < specs.size(); ++i) {
    LibraryKernel kernel;
    kernel.spec = specs[i];
    for (Target target : targets) {
      LibraryVariant variant;
      variant.target = target;
      variant.backend = "halide";
      variant.plan.streaming = specs[i].yDtype == DType::F32;
      variant.plan.streamAlignment = variant.plan.streaming ? 64 : 0;
      variant.plan.reason = "a sample";
      VariantIR ir{target, {}};
      for (unsigned affine : affineCombinations(specs[i]))
        ir.bodies.push_back(markingBody(bodySymbol(specs[i].name, target, affine), specs[i].yDtype, sampleMark(static_cast<int>(i) + 1, target, affine),
                                        variant.plan.streamAlignment));
      variant.code = variantObject(ir);
      kernel.variants.push_back(variant);
    }
    library.kernels.push_back(kernel);
  }
  return library;
}

inline KernelSpec sampleSpec(const std::string &name, int64_t hidden, DType type = DType::F32) {
  KernelSpec spec;
  spec.name = name;
  spec.hidden = hidden;
  spec.dtype = spec.paramDtype = spec.yDtype = type;
  return spec;
}

} // namespace normc
