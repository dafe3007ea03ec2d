// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/lowering.h"

#include "compiler/halide/halide_backend.h"
#include "compiler/library/library.h"
#include "compiler/stages/norms.h"
#include "compiler/support/error.h"

#include <normc/abi.h>

namespace normc {

#if NORMC_ENABLE_HALIDE

namespace {

Affine affineOf(unsigned bits) { return {(bits & NORMC_AFFINE_WEIGHT) != 0, (bits & NORMC_AFFINE_BIAS) != 0}; }

/// The body that takes the parameters in `affine`, lowered from its stages.
BodyIR lowerBody(const KernelSpec &spec, Target target, const Plan &plan, unsigned affine) {
  const std::string symbol = bodySymbol(spec.name, target, affine);
  BodyIR body = fromHalide(lowerWithHalide(normKernel(spec, affineOf(affine)), plan, target, spec.hidden, symbol), target);
  body.streamAlignment = plan.streaming ? plan.streamAlignment : 0;
  return body;
}

/// The parameters that `full` has and `affine` lacks.
std::vector<AbsentParameter> absentParameters(const KernelSpec &spec, unsigned full, unsigned affine) {
  std::vector<AbsentParameter> absent;
  if (full & ~affine & NORMC_AFFINE_WEIGHT)
    absent.push_back({"weight", spec.paramDtype, neutralWeight(spec)});
  if (full & ~affine & NORMC_AFFINE_BIAS)
    absent.push_back({"bias", spec.paramDtype, neutralBias(spec)});
  return absent;
}

} // namespace

bool haveHalide() { return true; }

VariantObject lowerToObject(const KernelSpec &spec, Target target) {
  const Plan plan = choose(spec, target);
  const std::vector<unsigned> combinations = affineCombinations(spec);
  // The last combination has every parameter that the kernel accepts; the others follow from its body in a fraction of the time.
  const unsigned full = combinations.back();
  const BodyIR body = lowerBody(spec, target, plan, full);
  VariantIR variant{target, {}};
  for (unsigned affine : combinations)
    variant.bodies.push_back(affine == full ? body : omitParameters(body, absentParameters(spec, full, affine), bodySymbol(spec.name, target, affine)));
  return variantObject(variant);
}

std::string lowerToForm(const KernelSpec &spec, Target target, const std::string &form) {
  const Plan plan = choose(spec, target);
  const unsigned affine = affineCombinations(spec).back();
  if (form == "halide")
    return halideStatement(normKernel(spec, affineOf(affine)), plan, target, spec.hidden, bodySymbol(spec.name, target, affine));
  const VariantIR variant{target, {lowerBody(spec, target, plan, affine)}};
  if (form == "llvm")
    return variantLLVM(variant);
  if (form == "asm")
    return variantAssembly(variant);
  reportBug("no form '" + form + "'");
}

#else

bool haveHalide() { return false; }

VariantObject lowerToObject(const KernelSpec &, Target) { reportBug("this normc has no back end"); }

std::string lowerToForm(const KernelSpec &, Target, const std::string &) { reportBug("this normc has no back end"); }

#endif

} // namespace normc
