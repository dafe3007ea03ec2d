// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline, as a worker runs it: spec → stages → plan → back end → code.
#pragma once

#include "compiler/codegen/body.h"
#include "compiler/spec/kernel_spec.h"

#include <string>

namespace normc {

/// Whether this normc has the Halide back end.
bool haveHalide();

/// All bodies of a kernel for one target, in one object.
VariantObject lowerToObject(const KernelSpec &spec, Target target);

/// The body with all parameters that the kernel accepts, as text: "halide", "llvm" or "asm".
std::string lowerToForm(const KernelSpec &spec, Target target, const std::string &form);

} // namespace normc
