# What an installed prefix holds: the tool, the runtime with its headers, and, for the tool alone, libHalide. The tool finds all of it relative to itself.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS normc_runtime EXPORT normcTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS normc EXPORT normcTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/normc" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(NORMC_ENABLE_HALIDE)
  # In a folder of its own, so that it is not taken for the Halide of the prefix.
  install(FILES "${HalideSDK_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/normc")
  install(FILES "${HalideSDK_INCLUDE_DIR}/../share/doc/Halide/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE-Halide.txt OPTIONAL)
  file(RELATIVE_PATH NORMC_LIBDIR_FROM_BINDIR "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}/normc")
  set_target_properties(normc PROPERTIES INSTALL_RPATH "$ORIGIN/${NORMC_LIBDIR_FROM_BINDIR}")
endif()

# find_package(normc)
set(NORMC_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/normc")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/normcConfig.cmake.in" "${PROJECT_BINARY_DIR}/cmake/normcConfig.cmake" INSTALL_DESTINATION "${NORMC_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/normcConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(EXPORT normcTargets NAMESPACE normc:: DESTINATION "${NORMC_CMAKE_DIR}")
install(FILES
  "${PROJECT_BINARY_DIR}/cmake/normcConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/normcConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/NormcHelpers.cmake" "${PROJECT_SOURCE_DIR}/cmake/NormcFields.cmake"
  DESTINATION "${NORMC_CMAKE_DIR}")

# pkg-config, relative to the file itself: the prefix can be moved.
set(NORMC_PKGCONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH NORMC_PREFIX_FROM_PKGCONFIG "/${NORMC_PKGCONFIG_DIR}" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/normc-runtime.pc.in" "${PROJECT_BINARY_DIR}/cmake/normc-runtime.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/normc-runtime.pc" DESTINATION "${NORMC_PKGCONFIG_DIR}")
