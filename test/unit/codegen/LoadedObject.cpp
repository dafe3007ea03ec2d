// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/codegen/LoadedObject.h"

#include "compiler/support/files.h"

#include <dlfcn.h>
#include <stdexcept>

namespace normc {

LoadedObject::LoadedObject(const std::string &object, const std::vector<std::string> &symbols) {
  std::string callers;
  for (const std::string &symbol : symbols)
    callers += "void " + symbol + "(const void *slice);\nvoid call_" + symbol + "(const void *slice) { " + symbol + "(slice); }\n";
  writeFiles(folder_.path(), {{"bodies.o", object}, {"callers.c", callers}});
  std::string base = folder_.path() + "/";
  ExitReport report =
      runJob({{findProgram(NORMC_TEST_CC), "-shared", "-fPIC", "-o", base + "bodies.so", base + "bodies.o", base + "callers.c"}, base + "out", base + "err"});
  if (!report.ok())
    throw std::runtime_error("the C compiler does not link the emitted object");
  handle_ = dlopen((base + "bodies.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_)
    throw std::runtime_error(dlerror());
}

LoadedObject::~LoadedObject() {
  if (handle_)
    dlclose(handle_);
}

normc_body_t LoadedObject::body(const std::string &symbol) const { return reinterpret_cast<normc_body_t>(dlsym(handle_, ("call_" + symbol).c_str())); }

void *LoadedObject::visible(const std::string &symbol) const { return dlsym(handle_, symbol.c_str()); }

} // namespace normc
