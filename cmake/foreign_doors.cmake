# Doors of the binary interfaces that programs were shipped with: libmpi.so.40 (Open MPI 4) and libmpich.so.12, which is
# libmpi.so.12 for MPICH's own builds and its relatives'. src/api/foreign is compiled once for each, with the header and the
# functions that are made from the table. Those of one interface lie in a folder of their own, which purerun names to programs
# that want them: the network's plug-ins want the libraries that have these names first.

set(PURE_DOORS_HOME ${CMAKE_INSTALL_LIBDIR}/pure/doors)
set(foreign ${CMAKE_CURRENT_SOURCE_DIR}/src/api/foreign)
file(RELATIVE_PATH door_to_core /${PURE_DOORS_HOME}/INTERFACE /${CMAKE_INSTALL_LIBDIR})
set(door_sources callbacks for_fortran fortran_numbers said_by_mpi)
set(door_chapters ${mpi_tables})
list(TRANSFORM door_chapters REPLACE "^.*/" "")
list(FILTER door_chapters INCLUDE REGEX "^[0-9]|^removed") # 19 and 20 are the standard ABI's own
list(FILTER door_chapters EXCLUDE REGEX "^19_|^20_")
list(TRANSFORM door_chapters REPLACE "(.*)\\.table$" "entries_\\1.cpp")

add_custom_target(pure_doors)      # all of them
add_custom_target(pure_doors_made) # their texts that the build writes

# What doors have in common. They find their own core, whatever LD_LIBRARY_PATH says, and stay where they are.
function(pure_set_door target interface library soversion)
  add_dependencies(pure_doors ${target})
  target_include_directories(${target} BEFORE PRIVATE ${ARGN} ${made} src)
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec -fno-exceptions -fno-rtti -fno-threadsafe-statics
                                           -fno-plt -fasynchronous-unwind-tables)
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,-z,now -Wl,-z,defs -Wl,-z,nodelete -Wl,--disable-new-dtags)
  target_link_libraries(${target} PRIVATE pure_options ${core} ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library} SOVERSION ${soversion} VERSION ${soversion}
                                             BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN;$ORIGIN/../.."
                                             INSTALL_RPATH "$ORIGIN;$ORIGIN/${door_to_core}"
                                             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib/doors/${interface})
  if(PURE_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION ${PURE_DOORS_HOME}/${interface} COMPONENT runtime NAMELINK_SKIP)
  endif()
  set_property(GLOBAL APPEND PROPERTY PURE_DOORS ${target})
endfunction()

# pure_add_door(INTERFACE LIBRARY SOVERSION)
function(pure_add_door interface library soversion)
  set(here ${made}/${interface})
  set(entries ${door_chapters} values.cpp data.cpp)
  list(TRANSFORM entries PREPEND ${here}/api/foreign/)
  add_custom_command(OUTPUT ${here}/stamp
                     BYPRODUCTS ${entries} ${here}/mpi.h ${here}/api/foreign/core_entries.hpp
                                ${here}/api/foreign/values.hpp ${here}/api/foreign/fortran_numbers.inc
                     COMMAND ${Python3_EXECUTABLE} ${door}/generate.py foreign ${interface} ${here}
                     COMMAND ${CMAKE_COMMAND} -E touch ${here}/stamp
                     DEPENDS ${mpi_tables} ${mpi_writers} ${door}/table/${interface}.interface VERBATIM)
  add_custom_target(pure_door_${interface}_made DEPENDS ${here}/stamp)
  add_dependencies(pure_door_${interface}_made pure_mpi_made)
  add_dependencies(pure_doors_made pure_door_${interface}_made)
  set_source_files_properties(${entries} PROPERTIES GENERATED ON)

  list(TRANSFORM door_sources PREPEND ${foreign}/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND .cpp)
  set(target pure_door_${interface})
  add_library(${target} SHARED ${sources} ${foreign}/of_${interface}.cpp ${entries} ${doors}/beside_mpi.cpp)
  add_dependencies(${target} pure_door_${interface}_made)
  target_compile_options(${target} PRIVATE -fvisibility=hidden)
  pure_set_door(${target} ${interface} ${library} ${soversion} ${here})
endfunction()

# pure_add_fortran_door(INTERFACE LIBRARY SOVERSION): the procedures of mpif.h and the modules, which call the door for C.
function(pure_add_fortran_door interface library soversion)
  set(here ${made}/${interface})
  set(entries ${door_chapters})
  list(FILTER entries EXCLUDE REGEX "_15_") # for C alone
  list(TRANSFORM entries REPLACE "^entries_" "side_")
  list(TRANSFORM entries PREPEND ${here}/api/fortran/)
  add_custom_command(OUTPUT ${here}/fortran_stamp
                     BYPRODUCTS ${entries}
                     COMMAND ${Python3_EXECUTABLE} ${door}/generate.py foreign_fortran ${interface} ${here}
                     COMMAND ${CMAKE_COMMAND} -E touch ${here}/fortran_stamp
                     DEPENDS ${mpi_tables} ${mpi_writers} VERBATIM)
  add_custom_target(pure_door_${interface}_fortran_made DEPENDS ${here}/fortran_stamp)
  add_dependencies(pure_doors_made pure_door_${interface}_fortran_made)
  set_source_files_properties(${entries} PROPERTIES GENERATED ON)

  set(sources ${side_sources})
  list(FILTER sources EXCLUDE REGEX "/constants\\.cpp$")
  list(APPEND sources ${side}/door_${interface}.cpp)
  set(target pure_door_${interface}_fortran)
  set(names ${side}/door_names.map)
  add_library(${target} SHARED ${sources} ${entries})
  add_dependencies(${target} pure_door_${interface}_made pure_door_${interface}_fortran_made)
  target_compile_definitions(${target} PRIVATE PURE_FORTRAN_OF_DOOR)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_link_options(${target} PRIVATE -Wl,--version-script=${names})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${names})
  target_link_libraries(${target} PRIVATE pure_door_${interface})
  pure_set_door(${target} ${interface} ${library} ${soversion} ${here})
endfunction()

# pure_add_second_names(TARGET INTERFACE FILE NAME...)
function(pure_add_second_names target interface file)
  foreach(name IN LISTS ARGN)
    add_custom_command(TARGET ${target} POST_BUILD
                       COMMAND ${CMAKE_COMMAND} -E create_symlink ${file} $<TARGET_FILE_DIR:${target}>/${name})
    if(PURE_INSTALL)
      install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lib/doors/${interface}/${name} DESTINATION ${PURE_DOORS_HOME}/${interface}
              COMPONENT runtime)
    endif()
  endforeach()
endfunction()

# pure_add_cxx_door(INTERFACE LIBRARY SOVERSION): beside the door for C.
function(pure_add_cxx_door interface library soversion)
  set(target pure_door_${interface}_cxx)
  add_library(${target} SHARED ${foreign}/cxx_${interface}.cpp)
  add_dependencies(${target} pure_door_${interface}_made)
  target_compile_options(${target} PRIVATE -fvisibility=hidden)
  target_link_libraries(${target} PRIVATE pure_door_${interface})
  pure_set_door(${target} ${interface} ${library} ${soversion} ${made}/${interface})
endfunction()

pure_add_door(openmpi mpi 40)
pure_add_door(mpich mpich 12)
pure_add_fortran_door(openmpi mpi_mpifh 40)
pure_add_fortran_door(mpich mpichfort 12)
pure_add_cxx_door(openmpi mpi_cxx 40)
pure_add_cxx_door(mpich mpichcxx 12)
# The names that MPICH's own builds have, Intel MPI, MVAPICH and Cray's; and Open MPI's other libraries for Fortran.
pure_add_second_names(pure_door_mpich mpich libmpich.so.12 libmpi.so.12)
pure_add_second_names(pure_door_mpich_cxx mpich libmpichcxx.so.12 libmpicxx.so.12)
pure_add_second_names(pure_door_mpich_fortran mpich libmpichfort.so.12 libmpifort.so.12)
pure_add_second_names(pure_door_openmpi_fortran openmpi libmpi_mpifh.so.40 libmpi_usempif08.so.40 libmpi_usempi_ignore_tkr.so.40
                      libmpi_usempi.so.40)
