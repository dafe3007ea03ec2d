// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of a compiled kernel on memory laid out in some way, held against the reference.
#pragma once

#include "compiler/reference/interpreter.h"
#include "test/bits/product.h"
#include "test/bits/row_buffer.h"

#include <gtest/gtest.h>

namespace normc::bits {

/// Inputs, and what must come out of them.
struct Problem {
  KernelSpec spec;
  unsigned affine = 0;            ///< NORMC_AFFINE_*: which parameters are given
  int64_t rows = 0, hidden = 0;
  float eps = 1e-5f;
  std::map<std::string, Array> inputs, expected; ///< by role
};

/// Hostile rows for `spec` at a width, and what the reference makes of them. `affine` is one of affineCombinations(spec).
Problem makeProblem(const KernelSpec &spec, unsigned affine, int64_t rows, int64_t hidden, uint32_t seed, float eps = 1e-5f);

/// Which output is the very same array as which input.
enum class Sharing : uint8_t { None, YIsX, YIsResidual, SumIsX, SumIsResidual, YIsXSumIsResidual, YIsResidualSumIsX };

std::string_view sharingName(Sharing sharing);
/// Those that a kernel allows, None first.
std::vector<Sharing> legalSharings(const KernelSpec &spec);

/// How rows of a problem are handed over.
struct Call {
  Target target = Target::X86_64_V2;
  int64_t firstRow = 0;
  int64_t rows = 0;           ///< 0: all from firstRow on
  Sharing sharing = Sharing::None;
  int64_t gap = 0;            ///< elements between rows of x; residual, y and sum get two, three and four times as many where they are arrays of their own
  int64_t innerRows = 0;      ///< rows of a block; 0: one block
  int64_t outerGap = 0;       ///< elements between blocks, likewise
  bool interleaved = false;   ///< blocks interleave, as heads of a packed tensor do: row i of all blocks, then row i + 1
  int64_t misalignment = 0;   ///< elements that every array starts past a multiple of 64 bytes
  Edge edge = Edge::Margin;
  bool mean = true, rstd = true; ///< whether those outputs are wanted
  int threads = 0;            ///< 0: without parallel_for
  bool streaming = false;     ///< call the streaming body itself, as the runtime does for arrays past the caches
  bool throughSet = false;    ///< by the entry that picks the width
};

/// In words, for messages.
std::string describe(const Problem &problem, const Call &call);

/// What came of a call.
struct CallResult {
  std::string failure;  ///< empty: every output has the reference's bits, and nothing else was written
  int64_t tasks = 0;    ///< that the runtime cut the call into; 0 without parallel_for
};

/// Runs the call of kernel `index`, whose spec is the problem's.
CallResult run(const Product &product, size_t index, const Problem &problem, const Call &call);

/// run() as an assertion.
testing::AssertionResult givesReferenceBits(const Product &product, size_t index, const Problem &problem, const Call &call);

} // namespace normc::bits
