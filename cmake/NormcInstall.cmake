# What an installed prefix holds: the tool, the runtime with its headers, and, for the tool alone, libHalide. The tool finds all of it relative to itself.
include(GNUInstallDirs)
install(TARGETS normc_runtime ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/normc" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(NORMC_ENABLE_HALIDE)
  # In a folder of its own, so that it is not taken for the Halide of the prefix.
  install(FILES "${HalideSDK_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/normc")
  install(FILES "${HalideSDK_INCLUDE_DIR}/../share/doc/Halide/LICENSE.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE-Halide.txt OPTIONAL)
  file(RELATIVE_PATH NORMC_LIBDIR_FROM_BINDIR "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}/normc")
  set_target_properties(normc PROPERTIES INSTALL_RPATH "$ORIGIN/${NORMC_LIBDIR_FROM_BINDIR}")
endif()
