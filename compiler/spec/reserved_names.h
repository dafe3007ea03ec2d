// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a kernel cannot have although they are C identifiers.
#pragma once

#include <string_view>

namespace normc {

/// What in a C or C++ program has that name already, as the end of a sentence: "it is a reserved word of C or C++"; "" where the name is free. Covered are
/// reserved words; functions of the C library and of POSIX, which programs link and which compilers take for their own builtins; types and macros of the
/// headers that a kernel's header includes; and names that compilers predefine.
std::string_view reservedAs(std::string_view name);

} // namespace normc
