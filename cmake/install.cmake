# make install: the library, its headers, the tools, and four ways in for users: purecxx (cmake/wrappers.cmake),
# find_package(Pure CONFIG), pure.pc and pure.mk. All find the prefix from where they lie, so that an installed tree can
# be moved.

# A library that has ThreadSanitizer is a copy beside the usual one, in a folder of its own: for programs that have it, too.
# Nothing else is installed then (`make install-tsan`).
if(PURE_SANITIZE STREQUAL "thread")
  install(TARGETS pure LIBRARY DESTINATION ${PURE_INSTALL_LIBDIR})
  return()
endif()

include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development) # where nothing else is said; see packages.cmake

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Pure)

install(TARGETS pure pure_h EXPORT PureTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(Pure CONFIG)
install(EXPORT PureTargets NAMESPACE Pure:: DESTINATION ${package_dir})
configure_package_config_file(cmake/PureConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/PureConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/PureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PureConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/PureConfigVersion.cmake
        DESTINATION ${package_dir})

# pure.pc and pure.mk: how to get from the file's folder to the prefix.
file(RELATIVE_PATH PURE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(RELATIVE_PATH PURE_MK_TO_PREFIX /${CMAKE_INSTALL_DATADIR}/pure /)
string(REGEX REPLACE "/$" "" PURE_PC_TO_PREFIX "${PURE_PC_TO_PREFIX}")
string(REGEX REPLACE "/$" "" PURE_MK_TO_PREFIX "${PURE_MK_TO_PREFIX}")
configure_file(cmake/pure.pc.in ${CMAKE_CURRENT_BINARY_DIR}/pure.pc @ONLY)
configure_file(cmake/pure.mk.in ${CMAKE_CURRENT_BINARY_DIR}/pure.mk @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pure.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pure.mk DESTINATION ${CMAKE_INSTALL_DATADIR}/pure)
# docs/from_mpi.md: renames an MPI program's calls.
install(FILES docs/from_mpi.sed DESTINATION ${CMAKE_INSTALL_DATADIR}/pure)

# The MPI door: its library, mpi.h (names of compilers: wrappers.cmake), pure-mpi.pc and
# pure-mpi-fort.pc.
if(TARGET pure_mpi)
  if(TARGET pure_mpi_core)
    install(TARGETS pure_mpi_core LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_SKIP)
  endif()
  install(TARGETS pure_mpi LIBRARY DESTINATION ${PURE_MPI_HOME}/lib COMPONENT runtime NAMELINK_COMPONENT development)
  install(FILES ${PURE_MPI_HEADER} DESTINATION ${PURE_MPI_HOME}/include)
  install(FILES ${PURE_FORTRAN_HEADER} DESTINATION ${PURE_MPI_HOME}/include)
  install(FILES ${PURE_FORTRAN_MODULES} DESTINATION ${PURE_MPI_HOME}/fortran)
  install(TARGETS pure_mpifort ARCHIVE DESTINATION ${PURE_MPI_HOME}/lib)
  install(FILES ${PURE_TASKS_HEADER} DESTINATION ${PURE_MPI_HOME}/include/pure)
  foreach(name IN ITEMS pure-mpi pure-mpi-fort)
    configure_file(cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
endif()

include(install_extras)
include(packages)

# What `make install` builds: no tests, no examples.
add_custom_target(what_is_installed DEPENDS pure pure_plugins)
get_property(doors GLOBAL PROPERTY PURE_DOORS)
foreach(target IN ITEMS ${doors} pure_mpi pure_mpifort pure_ranks_h pure_ranks_mpi purerun pure_tool mpi2pure man_pages)
  if(TARGET ${target})
    add_dependencies(what_is_installed ${target})
  endif()
endforeach()
