/* Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * loader.c: loads shared objects, the last of which holds three_libraries, and calls that. The others come first and offer their symbols to all, as a host
 * program with libraries of its own would.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  void *object = NULL, *symbol = NULL;
  int (*call)(void);
  for (int i = 1; i < argc; ++i) {
    object = dlopen(argv[i], i + 1 < argc ? RTLD_NOW | RTLD_GLOBAL : RTLD_NOW | RTLD_LOCAL);
    if (!object) {
      fprintf(stderr, "loader: %s\n", dlerror());
      return 2;
    }
  }
  symbol = object ? dlsym(object, "three_libraries") : NULL;
  if (!symbol) {
    fprintf(stderr, "loader: no three_libraries in the last shared object\n");
    return 2;
  }
  memcpy(&call, &symbol, sizeof call);
  return call();
}
