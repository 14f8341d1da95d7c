# The MPI twins of the examples: the same sources for every MPI compiler on the machine.
#
#   pure_add_mpi_twins(NAME SOURCE...)      adds NAME_mpich, NAME_openmpi or NAME_mpi, one for each MPI found, and puts
#                                           their names into NAME_TWINS; they are compiled like the rest of the project
#   pure_add_hybrid_twins(NAME SOURCE...)   the same with OpenMP: NAME_hybrid_mpich, ..., names in NAME_HYBRID_TWINS; none
#                                           where the compiler has no OpenMP
#
# A wrapper compiler (mpicxx) is asked what it would run and is not run itself, so that twins differ in the MPI alone.

# The interface target example_mpi_FAMILY: what the wrapper adds to the command lines of a compiler and a linker.
function(pure_import_mpi family wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed OR TARGET example_mpi_${family})
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  list(POP_FRONT words)  # the compiler
  add_library(example_mpi_${family} INTERFACE IMPORTED GLOBAL)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(example_mpi_${family} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l.*cxx$")
      continue()  # MPI's old C++ interface, which no example uses
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(example_mpi_${family} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(L|Wl)")
      target_link_options(example_mpi_${family} INTERFACE ${word})
    endif()
  endforeach()
  target_compile_definitions(example_mpi_${family} INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
endfunction()

# mpicxx.mpich and mpicxx.openmpi are Debian's names; a plain mpicxx is asked whose it is.
function(pure_find_mpis)
  foreach(family mpich openmpi)
    find_program(PURE_MPICXX_${family} mpicxx.${family} DOC "C++ wrapper compiler of ${family}")
    if(PURE_MPICXX_${family})
      pure_import_mpi(${family} ${PURE_MPICXX_${family}})
    endif()
  endforeach()
  find_program(PURE_MPICXX mpicxx DOC "C++ wrapper compiler of some MPI")
  if(PURE_MPICXX)
    execute_process(COMMAND ${PURE_MPICXX} -show OUTPUT_VARIABLE shown ERROR_QUIET)
    if(shown MATCHES "openmpi|open-mpi|-lmpi_cxx")
      pure_import_mpi(openmpi ${PURE_MPICXX})
    elseif(shown MATCHES "mpich")
      pure_import_mpi(mpich ${PURE_MPICXX})
    else()
      pure_import_mpi(mpi ${PURE_MPICXX})
    endif()
  endif()
endfunction()

# Sanitizers see races and leaks inside an MPI that is not built for them.
if(NOT PURE_SANITIZE)
  pure_find_mpis()
endif()

function(pure_add_mpi_twins name)
  set(twins "")
  foreach(family mpich openmpi mpi)
    if(TARGET example_mpi_${family})
      add_executable(${name}_${family} ${ARGN})
      target_link_libraries(${name}_${family} PRIVATE pure_options example_mpi_${family})
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
