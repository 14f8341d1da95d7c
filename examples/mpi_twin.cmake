# The MPI twins of the examples: the same sources for every MPI compiler on the machine.
#
#   pure_add_mpi_twins(NAME SOURCE...)      adds NAME_mpich, NAME_openmpi or NAME_mpi, one for each MPI found, and puts
#                                           their names into NAME_TWINS; they are compiled like the rest of the project
#   pure_add_hybrid_twins(NAME SOURCE...)   the same with OpenMP: NAME_hybrid_mpich, ..., names in NAME_HYBRID_TWINS; none
#                                           where the compiler has no OpenMP
#
# cmake/find_mpis.cmake has found the MPIs; twins differ in the MPI alone.

function(pure_add_mpi_twins name)
  set(twins "")
  foreach(family mpich openmpi mpi)
    if(TARGET pure_mpi_${family})
      add_executable(${name}_${family} ${ARGN})
      target_link_libraries(${name}_${family} PRIVATE pure_options pure_mpi_${family})
      list(APPEND twins ${name}_${family})
    endif()
  endforeach()
  set(${name}_TWINS ${twins} PARENT_SCOPE)
endfunction()

find_package(OpenMP COMPONENTS CXX QUIET)

function(pure_add_hybrid_twins name)
  set(${name}_hybrid_TWINS "")
  if(OpenMP_CXX_FOUND)
    pure_add_mpi_twins(${name}_hybrid ${ARGN})
    foreach(twin IN LISTS ${name}_hybrid_TWINS)
      target_link_libraries(${twin} PRIVATE OpenMP::OpenMP_CXX)
    endforeach()
  endif()
  set(${name}_HYBRID_TWINS ${${name}_hybrid_TWINS} PARENT_SCOPE)
endfunction()
