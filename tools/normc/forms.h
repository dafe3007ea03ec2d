// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `normc emit --as` prints.
#pragma once

#include <span>
#include <string_view>

namespace normc {

struct Form {
  std::string_view name;
  std::string_view summary;
  bool forTarget; ///< whether it depends on a target and is made by a worker
};

std::span<const Form> allForms();

/// Throws UnknownForm, with the nearest name and the list.
const Form &parseForm(std::string_view name);

} // namespace normc
