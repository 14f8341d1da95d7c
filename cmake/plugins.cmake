# The network's plug-ins: libpure_net_FAMILY.so for each MPI found, beside libpure. They are loaded at run time, by jobs
# of several processes only; nothing links them.
include(find_mpis)

pure_find_mpis()

set(PURE_NETWORKS "") # the families that have a plug-in
add_custom_target(plugins) # all of them
file(GLOB net_mpi_sources CONFIGURE_DEPENDS src/net_mpi/*.cpp)
list(APPEND net_mpi_sources src/base/output.cpp src/base/printable_text.cpp) # what a plug-in says goes the same way
foreach(family mpich openmpi)
  if(NOT TARGET pure_mpi_${family})
    continue()
  endif()
  add_library(pure_net_${family} MODULE ${net_mpi_sources})
  target_include_directories(pure_net_${family} PRIVATE include src)
  target_link_libraries(pure_net_${family} PRIVATE pure_options pure_mpi_${family})
  target_compile_options(pure_net_${family} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
  set_target_properties(pure_net_${family} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib
    INSTALL_RPATH_USE_LINK_PATH ON) # an MPI in a folder of its own is found again
  install(TARGETS pure_net_${family} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  add_dependencies(plugins pure_net_${family})
  list(APPEND PURE_NETWORKS ${family})
endforeach()
if(PURE_NETWORKS)
  list(JOIN PURE_NETWORKS " " found)
  message(STATUS "Networks of several processes: ${found}")
else()
  message(STATUS "Networks of several processes: none; install MPICH (libmpich-dev) or Open MPI (libopenmpi-dev)")
endif()
