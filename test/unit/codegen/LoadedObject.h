// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs what codegen emitted.
#pragma once

#include "compiler/support/process.h"

#include <normc/abi.h>

#include <string>
#include <vector>

namespace normc {

/// An object linked into a shared object by the C compiler and loaded. Its bodies are hidden, as in an emitted library, so each gets a visible caller.
class LoadedObject {
public:
  LoadedObject(const std::string &object, const std::vector<std::string> &symbols);
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;
  ~LoadedObject();

  normc_body_t body(const std::string &symbol) const;
  /// What dlsym finds under the body's own name: nothing, since it is hidden.
  void *visible(const std::string &symbol) const;

private:
  TempDir folder_;
  void *handle_ = nullptr;
};

} // namespace normc
