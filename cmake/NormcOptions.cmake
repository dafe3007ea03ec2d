# normc_options: what every target of ours is compiled with. Link it PUBLIC.
add_library(normc_options INTERFACE)
target_include_directories(normc_options INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
target_compile_features(normc_options INTERFACE cxx_std_20 c_std_11)
# Contraction would turn a*b + c into an FMA and with it change bits: no part of normc, tests included, may be compiled with it.
target_compile_options(normc_options INTERFACE -Wall -Wextra -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about `"text" + std::string` (its bug 105651).
  target_compile_options(normc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_compile_definitions(normc_options INTERFACE NORMC_VERSION="${PROJECT_VERSION}" NORMC_ENABLE_HALIDE=$<BOOL:${NORMC_ENABLE_HALIDE}>)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
# Emitted libraries and the runtime end up in shared objects too.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Flags that a program needs which links our objects with a plain `cc`: empty but for sanitizer builds.
set(NORMC_SANITIZER_FLAGS "")
if(NORMC_SANITIZER STREQUAL "address")
  set(NORMC_SANITIZER_FLAGS -fsanitize=address -fno-omit-frame-pointer)
elseif(NORMC_SANITIZER STREQUAL "undefined")
  set(NORMC_SANITIZER_FLAGS -fsanitize=undefined -fno-sanitize-recover=all)
elseif(NORMC_SANITIZER STREQUAL "thread")
  set(NORMC_SANITIZER_FLAGS -fsanitize=thread)
elseif(NORMC_SANITIZER)
  message(FATAL_ERROR "unknown NORMC_SANITIZER '${NORMC_SANITIZER}': expected address, undefined, thread or nothing")
endif()
target_compile_options(normc_options INTERFACE ${NORMC_SANITIZER_FLAGS})
target_link_options(normc_options INTERFACE ${NORMC_SANITIZER_FLAGS})
