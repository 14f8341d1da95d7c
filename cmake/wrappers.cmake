# purecxx, purecc and purefc, and the names of an MPI's compilers for them, for users: in the build's bin, beside purerun, and in
# the installed one (cmake/wrapper.bash.in, wrapper_fortran.bash.in).
#
# Both are there twice: headers of the build are in the sources, those of an installed copy below its prefix.

file(READ cmake/wrapper_common.bash PURE_WRAPPER_COMMON)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/wrapper_common.bash)

function(pure_add_wrapper PURE_WRAPPER language variable compiler other standard x way about)
  set(PURE_WRAPPER_LANGUAGE ${language})
  set(PURE_WRAPPER_VARIABLE ${variable})
  set(PURE_WRAPPER_COMPILER ${compiler})
  set(PURE_WRAPPER_OTHER_COMPILER ${other})
  set(PURE_WRAPPER_STANDARD ${standard})
  set(PURE_WRAPPER_X ${x}) # what -x calls this language
  set(PURE_WRAPPER_ABOUT ${about})
  set(PURE_WRAPPER_USUAL_WAY ${way}) # where nothing tells whether a program is pure.h's or an MPI's
  set(PURE_WRAPPER_STATIC_LIBS "${PURE_STATIC_LIBS}")

  set(template cmake/wrapper.bash.in)
  if(language STREQUAL "Fortran")
    set(template cmake/wrapper_fortran.bash.in)
  endif()

  set(PURE_WRAPPER_TO_PREFIX ..)
  set(PURE_WRAPPER_LIBRARIES lib)
  set(PURE_WRAPPER_HEADERS "${CMAKE_CURRENT_SOURCE_DIR}/include")
  set(PURE_WRAPPER_MPI_HEADERS "")
  if(TARGET pure_mpi)
    set(PURE_WRAPPER_MPI_HEADERS "${CMAKE_CURRENT_BINARY_DIR}/mpi/include")
  endif()
  set(PURE_WRAPPER_MPI_LIBRARIES lib)
  set(PURE_WRAPPER_MODULES "${CMAKE_CURRENT_BINARY_DIR}/mpi/fortran")
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/bin/${PURE_WRAPPER} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  file(RELATIVE_PATH PURE_WRAPPER_TO_PREFIX /${CMAKE_INSTALL_BINDIR} /)
  string(REGEX REPLACE "/$" "" PURE_WRAPPER_TO_PREFIX "${PURE_WRAPPER_TO_PREFIX}")
  set(PURE_WRAPPER_LIBRARIES ${CMAKE_INSTALL_LIBDIR})
  set(PURE_WRAPPER_HEADERS "\$prefix/${CMAKE_INSTALL_INCLUDEDIR}")
  if(TARGET pure_mpi)
    set(PURE_WRAPPER_MPI_HEADERS "\$prefix/${PURE_MPI_HOME}/include")
  endif()
  set(PURE_WRAPPER_MPI_LIBRARIES ${PURE_MPI_HOME}/lib)
  set(PURE_WRAPPER_MODULES "\$prefix/${PURE_MPI_HOME}/fortran")
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/installed/${PURE_WRAPPER} @ONLY)
  if(PURE_INSTALL AND NOT PURE_SANITIZE STREQUAL "thread") # that one is installed beside another
    install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/${PURE_WRAPPER} DESTINATION ${CMAKE_INSTALL_BINDIR}
            COMPONENT development)
  endif()
endfunction()

# g++-12 has gcc-12 beside it, clang++-14 clang-14, c++ cc.
string(REGEX REPLACE "clang\\+\\+([^/]*)$" "clang\\1" c_compiler "${CMAKE_CXX_COMPILER}")
string(REGEX REPLACE "g\\+\\+([^/]*)$" "gcc\\1" c_compiler "${c_compiler}")
string(REGEX REPLACE "c\\+\\+([^/]*)$" "cc\\1" c_compiler "${c_compiler}")

pure_add_wrapper(purecxx C++ PURE_CXX "${CMAKE_CXX_COMPILER}" c++ c++20 "c++" pure [[
A program that calls MPI, by <mpi.h>, is linked with libmpi_abi, and has the standard that the compiler takes. One of pure.h
is linked with libpure, and is C++20 unless the command says otherwise; -std=c++17 is enough for pure.h.]])
pure_add_wrapper(purecc C PURE_CC "${c_compiler}" cc "" "c" mpi [[
C programs are MPI programs: they include <mpi.h>, and are linked with libmpi_abi. <pure/tasks.h> is there for them, too:
loops that waiting ranks share. pure.h is C++17, and a C file that includes it is refused (purecxx compiles it).]])
if(TARGET pure_mpi) # to build Pure takes no Fortran compiler: purefc looks for one when it runs
  pure_add_wrapper(purefc Fortran PURE_FC "" "" "" "" mpi [[
Modules are made for the compiler at its first use, in a folder of the user's. -fdefault-integer-8 and its kin are refused.]])
endif()

# The names that build systems look for, in a folder of their own, so that Pure is in nobody's way: MPI_HOME.
if(TARGET pure_mpi)
  foreach(pair IN ITEMS mpicc:purecc mpicxx:purecxx mpic++:purecxx
                       mpifort:purefc mpif90:purefc mpif77:purefc mpiexec:purerun mpirun:purerun)
    string(REGEX MATCH "(.+):(.+)" ignored "${pair}")
    set(name ${CMAKE_MATCH_1})
    set(is ${CMAKE_MATCH_2})
    if(is STREQUAL "purerun" AND NOT TARGET purerun)
      continue()
    endif()
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/mpi/bin ${CMAKE_CURRENT_BINARY_DIR}/installed/mpi)
    file(CREATE_LINK ../../bin/${is} ${CMAKE_CURRENT_BINARY_DIR}/mpi/bin/${name} SYMBOLIC)
    file(RELATIVE_PATH installed /${PURE_MPI_HOME}/bin /${CMAKE_INSTALL_BINDIR}/${is})
    file(CREATE_LINK ${installed} ${CMAKE_CURRENT_BINARY_DIR}/installed/mpi/${name} SYMBOLIC)
    if(PURE_INSTALL)
      install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/mpi/${name} DESTINATION ${PURE_MPI_HOME}/bin COMPONENT development)
    endif()
  endforeach()
endif()
