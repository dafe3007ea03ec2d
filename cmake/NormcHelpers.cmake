# normc_add_library(<target>
#   OP <op> HIDDEN <n>|dynamic… [DTYPE <t>…] [<keyword> <value>…]     one kernel, or a product of widths and types
#   | FILE <kernels.json>                                              a list of kernels
#   [TARGETS <machine>…] [OUTPUT_DIRECTORY <folder>])
#
# Adds a library target whose archive and header `normc build` makes during the build, and which brings normc::runtime along:
#
#   find_package(normc REQUIRED)
#   normc_add_library(ln768 OP layer_norm HIDDEN 768 DTYPE f32 TARGETS x86-64-v3 x86-64-v4)
#   target_link_libraries(app PRIVATE ln768)          # and #include "ln768.h"
#
# Keywords are the flags of `normc build` (cmake/NormcFields.cmake lists them); lists are CMake lists. Archive, header and the C function (or the functions of a
# product, and its common entry) are named after the target: NAME is that name where the target shall have another one. The target properties NORMC_HEADER and
# NORMC_MANIFEST hold paths.
include("${CMAKE_CURRENT_LIST_DIR}/NormcFields.cmake")
set_property(GLOBAL PROPERTY NORMC_FIELDS "${NORMC_FIELDS}")

function(normc_add_library target)
  get_property(fields GLOBAL PROPERTY NORMC_FIELDS)
  set(switches "")
  set(values FILE OUTPUT_DIRECTORY)
  set(lists "")
  foreach(field ${fields})
    separate_arguments(field)
    list(GET field 0 keyword)
    list(GET field 1 flag_${keyword})
    list(GET field 2 kind)
    if(kind STREQUAL "Switch")
      list(APPEND switches ${keyword})
    elseif(kind MATCHES "List$")
      list(APPEND lists ${keyword})
    else()
      list(APPEND values ${keyword})
    endif()
  endforeach()
  cmake_parse_arguments(PARSE_ARGV 1 arg "${switches}" "${values}" "${lists}")

  if(arg_UNPARSED_ARGUMENTS)
    list(JOIN arg_UNPARSED_ARGUMENTS " " unknown)
    list(JOIN switches " " switches)
    list(JOIN values " " values)
    list(JOIN lists " " lists)
    message(FATAL_ERROR "normc_add_library(${target}): unknown keyword or stray value '${unknown}'; expected ${values} (one value), ${lists} (values), ${switches} (none)")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    list(JOIN arg_KEYWORDS_MISSING_VALUES ", " missing)
    message(FATAL_ERROR "normc_add_library(${target}): no value after ${missing}")
  endif()
  if(TARGET ${target})
    message(FATAL_ERROR "normc_add_library(${target}): there is a target of that name already")
  endif()
  if(NOT DEFINED arg_NAME)
    set(arg_NAME ${target})
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "normc_add_library(${target}): '${arg_NAME}' becomes a C symbol: letters, digits and _ only, not starting with a digit; give NAME, or the target another name")
  endif()
  if((arg_FILE AND arg_OP) OR NOT (arg_FILE OR arg_OP))
    message(FATAL_ERROR "normc_add_library(${target}): give either OP, such as layer_norm, or FILE, a JSON list of kernels")
  endif()

  set(command "")
  set(inputs "")
  if(arg_FILE)
    cmake_path(ABSOLUTE_PATH arg_FILE)
    list(APPEND command "${arg_FILE}")
    list(APPEND inputs "${arg_FILE}")
  else()
    list(APPEND command "${arg_OP}")
  endif()
  foreach(keyword ${values} ${lists})
    if(keyword MATCHES "^(OP|FILE|OUTPUT_DIRECTORY)$" OR NOT DEFINED arg_${keyword})
      continue()
    endif()
    list(JOIN arg_${keyword} "," value)
    list(APPEND command "--${flag_${keyword}}=${value}")
  endforeach()
  foreach(keyword ${switches})
    if(arg_${keyword})
      list(APPEND command "--${flag_${keyword}}")
    endif()
  endforeach()

  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}.normc")
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT_DIRECTORY BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  file(MAKE_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  set(archive "${arg_OUTPUT_DIRECTORY}/lib${arg_NAME}.a")
  set(header "${arg_OUTPUT_DIRECTORY}/${arg_NAME}.h")
  set(manifest "${arg_OUTPUT_DIRECTORY}/${arg_NAME}.json")
  add_custom_command(
    OUTPUT "${archive}" "${header}" "${manifest}"
    COMMAND normc::normc build ${command} -o "${arg_OUTPUT_DIRECTORY}"
    DEPENDS normc::normc ${inputs}
    COMMENT "normc: kernels of ${target}"
    VERBATIM)
  add_custom_target(${target}_normc_build DEPENDS "${archive}" "${header}" "${manifest}")
  # An interface library rather than an imported one, so that the dependency on the files reaches every user of the header, in every generator.
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_normc_build)
  target_include_directories(${target} SYSTEM INTERFACE "${arg_OUTPUT_DIRECTORY}")
  target_link_libraries(${target} INTERFACE "${archive}" normc::runtime)
  set_target_properties(${target} PROPERTIES NORMC_HEADER "${header}" NORMC_MANIFEST "${manifest}")
endfunction()
