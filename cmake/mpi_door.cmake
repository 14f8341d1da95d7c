# libmpi_abi.so.1: Pure as an MPI with the standard ABI (src/api/mpi). Its mpi.h and its functions are made from the table
# src/api/mpi/table at build time, by Python. It is a library of its own: the names of MPI are not for programs of pure.h.

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
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py header ${PURE_MPI_HEADER}
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py entries ${made}/api/mpi
                   COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PURE_TASKS_HEADER} ${made}/include/pure/tasks.h
                   COMMAND ${CMAKE_COMMAND} -E touch ${made}/stamp
                   DEPENDS ${mpi_tables} ${mpi_writers} ${PURE_TASKS_HEADER} VERBATIM)
add_custom_target(pure_mpi_made DEPENDS ${made}/stamp)
set_source_files_properties(${mpi_entries} PROPERTIES GENERATED ON)

pure_add_objects(pure_mpi_objects 32 ${mpi_sources} ${mpi_entries})
target_include_directories(pure_mpi_objects BEFORE PRIVATE ${made}/include ${made})
# Clang takes no function as hidden that a header of another file (<cxxabi.h>) has declared before.
set_source_files_properties(${door}/own_exit.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_compile_definitions(pure_mpi_objects PRIVATE PURE_SOVERSION="${PURE_SOVERSION}")
add_dependencies(pure_mpi_objects pure_mpi_made)

# What it links is its own, too: a program may have another libstdc++. fmt is compiled into it (src/api/mpi/own_fmt.cpp),
# for Debian has no static library of it; hwloc is opened at run time (own_hwloc.cpp), for Debian's static one is not
# for shared libraries.
add_library(pure_mpi SHARED ${library_objects} $<TARGET_OBJECTS:pure_mpi_objects>)
target_link_libraries(pure_mpi PRIVATE pure_sanitizers Threads::Threads ${CMAKE_DL_LIBS} -static-libstdc++
                                       -static-libgcc -Wl,-z,defs "-Wl,--version-script=${door}/exports.map")
set_target_properties(pure_mpi PROPERTIES OUTPUT_NAME mpi_abi VERSION 1.0 SOVERSION 1 LINK_DEPENDS ${door}/exports.map
                                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
