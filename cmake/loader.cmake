# The executables of processes that load a program for each of their ranks (src/loader/launcher.c): one over the library of
# the MPI door, one over libpure. Each lies beside its library. They are in C, for the only thread-local variable that they
# may have is the pad, and they bring nothing that could come before the program's own libraries.
if(PURE_SANITIZE OR NOT BUILD_SHARED_LIBS OR NOT PROJECT_IS_TOP_LEVEL OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  return()
endif()

enable_language(C)

function(pure_add_launcher name libraries folder)
  add_executable(${name} src/loader/launcher.c)
  file(RELATIVE_PATH to_libraries /${folder} /${CMAKE_INSTALL_LIBDIR})
  target_link_libraries(${name} PRIVATE -Wl,--push-state,--no-as-needed ${libraries} -Wl,--pop-state)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib
                                           BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN"
                                           INSTALL_RPATH "$ORIGIN:$ORIGIN/${to_libraries}"
                                           LINKER_LANGUAGE C POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -O1 -fPIE)
  target_link_options(${name} PRIVATE -pie)
  if(PURE_INSTALL)
    install(TARGETS ${name} RUNTIME DESTINATION ${folder} COMPONENT runtime)
  endif()
endfunction()

pure_add_launcher(pure_ranks_h pure ${CMAKE_INSTALL_LIBDIR})
target_compile_definitions(pure_ranks_h PRIVATE PURE_LAUNCHER_OF_PURE_H)
if(TARGET pure_mpi)
  pure_add_launcher(pure_ranks_mpi "pure_mpi;pure" ${PURE_MPI_HOME}/lib)
endif()
