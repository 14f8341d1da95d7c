# Fortran for programs of MPI: mpif.h and the sources of the modules, which purefc compiles for the compiler that it finds
# (cmake/wrapper_fortran.bash.in), and libpure_mpifort.a, the procedures (src/api/fortran). Nothing here needs a compiler of
# Fortran.
#
# The archive becomes a part of each program and plug-in: position-independent, hidden, without the library of C++.

set(side ${CMAKE_CURRENT_SOURCE_DIR}/src/api/fortran)
file(GLOB side_sources CONFIGURE_DEPENDS ${side}/*.cpp)
list(FILTER side_sources EXCLUDE REGEX "/door_[^/]*$") # cmake/foreign_doors.cmake
file(GLOB side_headers CONFIGURE_DEPENDS ${side}/*.hpp)
set(side_entries "")
foreach(table IN LISTS mpi_tables)
  get_filename_component(chapter ${table} NAME_WE)
  if(chapter MATCHES "^[0-9]|^removed$" AND NOT chapter MATCHES "^15_|^19_") # those two are for C alone
    list(APPEND side_entries ${made}/api/fortran/side_${chapter}.cpp)
  endif()
endforeach()
set(PURE_FORTRAN_HEADER ${made}/include/mpif.h)
set(PURE_FORTRAN_MODULES ${made}/fortran/mpi.F90 ${made}/fortran/mpi_f08.F90)

add_custom_command(OUTPUT ${made}/fortran_stamp
                   BYPRODUCTS ${PURE_FORTRAN_HEADER} ${PURE_FORTRAN_MODULES} ${side_entries}
                              ${made}/api/fortran/names_of_one.inc
                   COMMAND ${Python3_EXECUTABLE} ${door}/generate.py fortran ${made}
                   COMMAND ${CMAKE_COMMAND} -E touch ${made}/fortran_stamp
                   DEPENDS ${mpi_tables} ${mpi_writers} VERBATIM)
add_custom_target(pure_mpi_fortran_made DEPENDS ${made}/fortran_stamp)
set_source_files_properties(${side_entries} PROPERTIES GENERATED ON)

add_library(pure_mpifort STATIC ${side_sources} ${side_entries})
add_dependencies(pure_mpifort pure_mpi_made pure_mpi_fortran_made)
target_include_directories(pure_mpifort PRIVATE ${made}/include ${made} src)
target_link_libraries(pure_mpifort PRIVATE pure_options)
target_compile_options(pure_mpifort PRIVATE -fvisibility=hidden -fno-exceptions -fno-rtti -fno-threadsafe-statics
                                            -fasynchronous-unwind-tables)
set_target_properties(pure_mpifort PROPERTIES POSITION_INDEPENDENT_CODE ON
                                              ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
