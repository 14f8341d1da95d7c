# The MPIs of this machine: pure_find_mpis() makes an interface target pure_mpi_FAMILY for each, where FAMILY is mpich,
# openmpi, or mpi for another one. It holds what a C++ program that uses this MPI must be compiled and linked with.
# pure_find_current_mpis() makes pure_mpi_mpich-current and pure_mpi_openmpi-current for tests, of the current releases
# that bench/rivals has put into build/rivals of the sources, or another script into PURE_RIVALS_DIR.
#
# A wrapper compiler (mpicxx) is asked what it would run and is not run itself, so that everything is compiled by the
# same compiler with the same options.

# The interface target pure_mpi_FAMILY: what the wrapper adds to the command lines of a compiler and a linker,
# and in its property PURE_MPI_LAUNCHER the mpiexec that lies beside the wrapper, if there is one.
function(pure_import_mpi family wrapper)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed OR TARGET pure_mpi_${family})
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  list(POP_FRONT words)  # the compiler
  add_library(pure_mpi_${family} INTERFACE IMPORTED GLOBAL)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(pure_mpi_${family} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l.*cxx$")
      continue()  # MPI's old C++ interface, which no example uses
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(pure_mpi_${family} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(L|Wl)")
      target_link_options(pure_mpi_${family} INTERFACE ${word})
    endif()
  endforeach()
  target_compile_definitions(pure_mpi_${family} INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  string(REGEX REPLACE "mpicxx([^/]*)$" "mpiexec\\1" launcher ${wrapper})
  if(EXISTS ${launcher})
    set_target_properties(pure_mpi_${family} PROPERTIES PURE_MPI_LAUNCHER ${launcher})
  endif()
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

set(PURE_RIVALS_DIR ${PROJECT_SOURCE_DIR}/build/rivals CACHE PATH "Where bench/rivals has installed MPIs, for tests")

function(pure_find_current_mpis)
  foreach(family mpich openmpi)
    if(EXISTS ${PURE_RIVALS_DIR}/${family}/bin/mpicxx)
      pure_import_mpi(${family}-current ${PURE_RIVALS_DIR}/${family}/bin/mpicxx)
    endif()
  endforeach()
endfunction()
