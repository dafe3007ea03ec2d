// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tool finds what it links against: beside itself in an installed prefix, or in the folders that the build was made in.
#pragma once

#include <string>
#include <vector>

namespace normc {

struct Installation {
  std::string includeDir;     ///< holds normc/abi.h; "" where it was not found
  std::string runtimeArchive; ///< libnormc_runtime.a; "" where it was not found
  std::string prefix;         ///< what CMake's find_package looks below; "" where the tool is not installed
};

Installation findInstallation();

/// The runtime archive. Throws MissingTool.
std::string requireRuntime();

/// The C compiler with the arguments that come first: $CC, a path or words ("ccache gcc"), or cc, gcc or clang in PATH; empty where there is none.
std::vector<std::string> findCCompiler();

/// The same. Throws MissingTool where there is none.
std::vector<std::string> requireCCompiler();

/// A text that changes whenever the tool or the runtime is built anew: part of the keys of cached kernels.
std::string buildStamp();

} // namespace normc
