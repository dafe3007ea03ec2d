# Finds Halide's headers and shared library as the Python wheel lays them out. (The wheel's own CMake package wants CMake 3.28.)
#
#   find_package(HalideSDK 21.0.0 MODULE REQUIRED)
#
# looks in NORMC_HALIDE_ROOT and then in deps/halide of the build folder, which tools/setup fills, and gives
#   Halide::SDK             imported target: libHalide.so with its include folder
#   HalideSDK_VERSION       "21.0.0"
#   HalideSDK_LLVM_VERSION  that of the LLVM inside libHalide, "21.1.1"
# The bitcode that Halide writes is read by the LLVM that normc links, which therefore must not be older: find LLVM first.
if(NORMC_HALIDE_ROOT)
  set(HalideSDK_ROOTS "${NORMC_HALIDE_ROOT}")
else()
  set(HalideSDK_ROOTS "${PROJECT_BINARY_DIR}/deps/halide")
endif()

find_path(HalideSDK_INCLUDE_DIR Halide.h PATHS ${HalideSDK_ROOTS} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(HalideSDK_LIBRARY Halide PATHS ${HalideSDK_ROOTS} PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH)
mark_as_advanced(HalideSDK_INCLUDE_DIR HalideSDK_LIBRARY)

set(HalideSDK_VERSION "")
if(HalideSDK_INCLUDE_DIR)
  file(STRINGS "${HalideSDK_INCLUDE_DIR}/HalideRuntime.h" HalideSDK_LINES REGEX "^#define HALIDE_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  foreach(part MAJOR MINOR PATCH)
    if("${HalideSDK_LINES}" MATCHES "HALIDE_VERSION_${part} ([0-9]+)")
      list(APPEND HalideSDK_PARTS "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(JOIN HalideSDK_PARTS "." HalideSDK_VERSION)
  unset(HalideSDK_PARTS)
endif()

# Nothing in the headers says it, and the library is large: read it once.
if(HalideSDK_LIBRARY AND NOT "${HalideSDK_LLVM_OF}" STREQUAL "${HalideSDK_LIBRARY} ${HalideSDK_VERSION}")
  file(STRINGS "${HalideSDK_LIBRARY}" HalideSDK_LINE LIMIT_COUNT 1 REGEX "based on LLVM [0-9]+\\.[0-9]+\\.[0-9]+")
  if("${HalideSDK_LINE}" MATCHES "based on LLVM ([0-9]+\\.[0-9]+\\.[0-9]+)")
    set(HalideSDK_LLVM_VERSION "${CMAKE_MATCH_1}" CACHE INTERNAL "the LLVM inside libHalide")
    set(HalideSDK_LLVM_OF "${HalideSDK_LIBRARY} ${HalideSDK_VERSION}" CACHE INTERNAL "the library that HalideSDK_LLVM_VERSION was read from")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HalideSDK
  REQUIRED_VARS HalideSDK_LIBRARY HalideSDK_INCLUDE_DIR HalideSDK_LLVM_VERSION
  VERSION_VAR HalideSDK_VERSION
  REASON_FAILURE_MESSAGE "Looked in ${HalideSDK_ROOTS}. tools/setup puts Halide ${HalideSDK_FIND_VERSION} there, NORMC_HALIDE_ROOT names another folder, NORMC_ENABLE_HALIDE=OFF builds without it.")

if(HalideSDK_FOUND)
  if(NOT HalideSDK_VERSION VERSION_EQUAL HalideSDK_FIND_VERSION)
    message(FATAL_ERROR "Halide ${HalideSDK_VERSION} is in ${HalideSDK_INCLUDE_DIR}, but normc is written for ${HalideSDK_FIND_VERSION}, which tools/setup installs")
  endif()
  if(LLVM_PACKAGE_VERSION AND HalideSDK_LLVM_VERSION VERSION_GREATER LLVM_PACKAGE_VERSION)
    message(FATAL_ERROR "Halide ${HalideSDK_VERSION} contains LLVM ${HalideSDK_LLVM_VERSION}, which is newer than LLVM ${LLVM_PACKAGE_VERSION}: its bitcode could not be read")
  endif()
  if(NOT TARGET Halide::SDK)
    add_library(Halide::SDK SHARED IMPORTED)
    set_target_properties(Halide::SDK PROPERTIES
      IMPORTED_LOCATION "${HalideSDK_LIBRARY}" IMPORTED_SONAME libHalide.so INTERFACE_INCLUDE_DIRECTORIES "${HalideSDK_INCLUDE_DIR}")
    # Halide.h asks for C++17 and its classes are compiled with RTTI.
    target_compile_features(Halide::SDK INTERFACE cxx_std_17)
  endif()
endif()
