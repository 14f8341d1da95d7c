# The network's plug-ins: libpure_net_FAMILY.so for each MPI found, beside libpure. They are loaded at run time, by jobs
# of several processes only; nothing links them.
include(find_mpis)

pure_find_mpis()

# pure_add_plugin(TARGET FAMILY MPI FOLDER): of that family, for the MPI of the target pure_mpi_MPI.
function(pure_add_plugin target family mpi folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/net_mpi/*.cpp)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/base/output.cpp # what a plug-in says goes the same way
                      ${PROJECT_SOURCE_DIR}/src/base/printable_text.cpp)
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE pure_options pure_mpi_${mpi})
  target_compile_options(${target} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME pure_net_${family} LIBRARY_OUTPUT_DIRECTORY ${folder}
                                             UNITY_BUILD ${PURE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

set(PURE_NETWORKS "") # the families that have a plug-in
add_custom_target(pure_plugins) # all of them
foreach(family mpich openmpi)
  if(NOT TARGET pure_mpi_${family})
    continue()
  endif()
  pure_add_plugin(pure_net_${family} ${family} ${family} ${CMAKE_CURRENT_BINARY_DIR}/lib)
  set_target_properties(pure_net_${family} PROPERTIES
    INSTALL_RPATH_USE_LINK_PATH ON) # an MPI in a folder of its own is found again
  if(PURE_INSTALL)
    install(TARGETS pure_net_${family} LIBRARY DESTINATION ${PURE_INSTALL_LIBDIR} COMPONENT net_${family})
  endif()
  add_dependencies(pure_plugins pure_net_${family})
  list(APPEND PURE_NETWORKS ${family})
endforeach()
if(PURE_NETWORKS)
  list(JOIN PURE_NETWORKS " " found)
  message(STATUS "Networks of several processes: ${found}")
else()
  message(STATUS "Networks of several processes: none; install MPICH (libmpich-dev) or Open MPI (libopenmpi-dev)")
endif()
