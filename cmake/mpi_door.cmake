# libmpi_abi.so.1: Pure as an MPI with the standard ABI. It is a door of jumps (src/api/doors) to libpure, where the
# functions are (src/api/mpi). These, the jumps and mpi.h are made from the table src/api/mpi/table at build time, by Python.
# The door is a library of its own: the names of MPI are not for programs of pure.h.

# Installed, it has a folder of its own, as an MPI has: MPI_HOME for build systems. A system may have another libmpi_abi.
set(PURE_MPI_HOME ${CMAKE_INSTALL_LIBDIR}/pure/mpi)

# A program with a sanitizer cannot be an MPI's, whose library is not linked with one; as a part of another project, Pure is
# its library for C++.
if(PURE_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "The MPI door: none; it takes Python 3 to build it")
  return()
endif()

set(door ${CMAKE_CURRENT_SOURCE_DIR}/src/api/mpi)
set(doors ${CMAKE_CURRENT_SOURCE_DIR}/src/api/doors)
set(made ${CMAKE_CURRENT_BINARY_DIR}/mpi)
set(PURE_MPI_HEADER ${made}/include/mpi.h)
set(PURE_TASKS_HEADER ${CMAKE_CURRENT_SOURCE_DIR}/include/pure/tasks.h) # the one header of Pure that MPI programs have
file(GLOB mpi_tables CONFIGURE_DEPENDS ${door}/table/*.table)
file(GLOB mpi_writers CONFIGURE_DEPENDS ${door}/*.py)
file(GLOB mpi_sources CONFIGURE_DEPENDS ${door}/*.cpp)

set(mpi_entries "")
foreach(table IN LISTS mpi_tables)
  get_filename_component(chapter ${table} NAME_WE)
  if(chapter MATCHES "^[0-9]|^removed$")
    list(APPEND mpi_entries ${made}/api/mpi/entries_${chapter}.cpp)
  endif()
endforeach()

# A file that has not changed stays as old as it is, and what includes it is not compiled again: hence the stamp.
add_custom_command(OUTPUT ${made}/stamp
                   BYPRODUCTS ${PURE_MPI_HEADER} ${mpi_entries} ${made}/api/mpi/bodies.hpp
                              ${made}/api/mpi/constants.hpp ${made}/api/mpi/datatypes.inc
                              ${made}/api/doors/standard_jumps.inc
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py header ${PURE_MPI_HEADER}
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py entries ${made}/api/mpi
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py jumps ${made}/api/doors/standard_jumps.inc
                   COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PURE_TASKS_HEADER} ${made}/include/pure/tasks.h
                   COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
                   DEPENDS ${mpi_tables} ${mpi_writers} ${PURE_TASKS_HEADER} VERBATIM)
add_custom_target(pure_mpi_made DEPENDS ${made}/stamp)
set_source_files_properties(${mpi_entries} PROPERTIES GENERATED ON)

pure_add_objects(pure_mpi_objects 32 ${mpi_sources} ${mpi_entries})
target_include_directories(pure_mpi_objects BEFORE PRIVATE ${made}/include ${made})
add_dependencies(pure_mpi_objects pure_mpi_made)

# The core of programs of MPI is libpure; where that is static, a shared library with the same inside.
if(BUILD_SHARED_LIBS)
  set(core pure)
  target_sources(pure PRIVATE $<TARGET_OBJECTS:pure_mpi_objects>)
else()
  set(core pure_mpi_core)
  add_library(pure_mpi_core SHARED ${library_objects} $<TARGET_OBJECTS:pure_mpi_objects>)
  pure_has_own_runtimes(pure_mpi_core)
  set_target_properties(pure_mpi_core PROPERTIES OUTPUT_NAME pure_core VERSION ${PROJECT_VERSION}
                                                 SOVERSION ${PURE_SOVERSION}
                                                 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
endif()

# The door: jumps, and nothing else. It finds its own core, whatever LD_LIBRARY_PATH says (an RPATH), and stays where it is
# (nodelete), for the core calls it.
file(RELATIVE_PATH to_core /${PURE_MPI_HOME}/lib /${CMAKE_INSTALL_LIBDIR})
add_library(pure_mpi_jumps OBJECT ${doors}/standard_abi.cpp) # for tests, too
target_include_directories(pure_mpi_jumps PRIVATE src ${made})
add_dependencies(pure_mpi_jumps pure_mpi_made)
add_library(pure_mpi SHARED $<TARGET_OBJECTS:pure_mpi_jumps> ${doors}/beside_mpi.cpp ${doors}/beside_standard_abi.cpp)
target_include_directories(pure_mpi PRIVATE src)
target_link_options(pure_mpi PRIVATE -Wl,--as-needed -Wl,-z,now -Wl,-z,defs -Wl,-z,nodelete
                                     -Wl,--disable-new-dtags)
target_link_libraries(pure_mpi PRIVATE ${core} ${CMAKE_DL_LIBS})
set_target_properties(pure_mpi pure_mpi_jumps PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(pure_mpi PROPERTIES OUTPUT_NAME mpi_abi VERSION 1.0 SOVERSION 1 BUILD_RPATH_USE_ORIGIN ON
                                          BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN/${to_core}"
                                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)

include(mpi_fortran)
include(foreign_doors)
