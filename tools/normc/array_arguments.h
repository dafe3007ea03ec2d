// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arrays of `normc run` to a kernel and its call.
#pragma once

#include "compiler/spec/fields.h"
#include "compiler/support/npy.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace normc {

/// "--input x:bf16=x.npy"
struct ArrayArgument {
  std::string role; ///< canonical: "residual", not "skip"
  std::optional<DType> dtype;
  std::string file;
};

/// Reads "ROLE[:DTYPE]=FILE" of --input or --output. Throws BadUsage; MissingRole where there is no such role; UnknownDType.
ArrayArgument parseArrayArgument(const std::string &flag, const std::string &text);

/// What the command line says about arrays.
struct ArrayArguments {
  std::vector<ArrayArgument> inputs, outputs;
  std::optional<std::vector<int64_t>> normalizedShape;
  std::optional<int64_t> axis;
};

/// Reads "A[,B...]" of --normalized-shape; "" is the empty shape. Throws BadNumber.
std::vector<int64_t> parseShape(const std::string &text);

/// A kernel and the arrays of one call of it.
struct KernelProblem {
  KernelSpec spec;
  int64_t rows = 0;
  int64_t hidden = 0;
  std::map<std::string, NpyArray> inputs;           ///< by role
  std::map<std::string, DType> outputs;             ///< the wanted roles and their types
  std::map<std::string, std::vector<int64_t>> outputShapes;
};

/// Loads the inputs and derives what `request` leaves open: types and normalized shape follow from the arrays. Throws CannotRead, BadNpy, MissingRole,
/// DTypeMismatch and ShapeMismatch, and what verify throws.
KernelProblem readProblem(const KernelRequest &request, const ArrayArguments &arguments);

/// How arrays of a storage type are stored in .npy files.
NpyType npyTypeOf(DType dtype);

} // namespace normc
