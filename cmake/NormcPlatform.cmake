# Where normc builds, and what a build folder starts with.
if(NOT (CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8))
  message(FATAL_ERROR "Linux on x86-64 and CUDA are the only platforms now (found ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR})")
endif()

foreach(language C CXX)
  if(CMAKE_${language}_COMPILER_ID STREQUAL "GNU" AND CMAKE_${language}_COMPILER_VERSION VERSION_LESS 12)
    message(FATAL_ERROR "GCC 12 or later is needed (found ${CMAKE_${language}_COMPILER_VERSION} in ${CMAKE_${language}_COMPILER})")
  endif()
endforeach()

get_property(NORMC_MULTI_CONFIG GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT NORMC_MULTI_CONFIG AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(NORMC_CCACHE ccache)
  if(NORMC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${NORMC_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${NORMC_CCACHE}")
  endif()
endif()
