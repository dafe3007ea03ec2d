// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel is computed: targets, and the plan that back ends obey.
#pragma once

#include "compiler/spec/kernel_spec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normc {

/// Machines to compile for.
enum class Target : uint8_t { X86_64_V2, X86_64_V3, X86_64_V4 };

std::string_view targetName(Target target); ///< "x86-64-v3"
std::string targetSuffix(Target target);    ///< "x86_64_v3": the part of a variant's symbol after NAME__
std::vector<std::string> targetNames();
/// Parses a name; "host" gives the widest target that this machine runs. Throws UnknownTarget, or UnsupportedCpu where host runs none.
Target parseTarget(std::string_view name);
/// Whether this machine runs code for `target`.
bool hostRuns(Target target);

/// How dynamic widths are folded, or how a static width is.
enum class FoldForm : uint8_t {
  Narrow,   ///< static, fewer columns than the 64 lanes: one element a lane
  Static,   ///< static width: full segments, then a partial one
  Dynamic,  ///< any width: tiers by number of segments
};

/// A schedule. Plain data; `normc inspect` prints it.
struct Plan {
  FoldForm fold = FoldForm::Static;
  int vectorLanes = 8;      ///< float32 lanes of a vector
  int laneGroup = 16;        ///< lanes that a sweep of one fold keeps in registers at once: a segment is laneGroup x (64 / laneGroup) lanes
  int laneGroupShared = 16;  ///< likewise for a sweep that several folds share
  int straightSegments = 4;  ///< up to this many segments are written out one after another, more are folded in a loop
  bool unrollGroups = false; ///< unroll the loop over lane groups and the terms of a lane
  int storeUnroll = 4;      ///< vectors of y per iteration of the last sweep
  bool streaming = false;   ///< also emit bodies with non-temporal stores
  int streamAlignment = 0;  ///< bytes; 0 where `streaming` is false
  std::string reason;       ///< one sentence
};

/// The plan for `spec` on `target`, from the table in plan.cpp.
Plan choose(const KernelSpec &spec, Target target);

/// "static fold, vectors of 16, lane groups of 16 (shared sweeps 16), 4 vectors a store, streaming at 64 bytes": one line.
std::string planText(const Plan &plan);

} // namespace normc
