# mpi2pure, which translates MPI programs: it is made of Clang, and is left out where Clang's headers are not installed
# (Debian: libclang-dev and llvm-dev). Clang 14 to 19 will do.

find_package(Clang CONFIG QUIET)
if(NOT Clang_FOUND) # Debian's folders are of one version each, and no default
  file(GLOB folders /usr/lib/llvm-*/lib/cmake/clang)
  list(SORT folders COMPARE NATURAL ORDER DESCENDING)
  foreach(folder IN LISTS folders)
    cmake_path(GET folder PARENT_PATH above)
    find_package(LLVM CONFIG QUIET PATHS ${above}/llvm NO_DEFAULT_PATH)
    find_package(Clang CONFIG QUIET PATHS ${folder} NO_DEFAULT_PATH)
    if(Clang_FOUND)
      break()
    endif()
  endforeach()
endif()
if(NOT Clang_FOUND OR NOT TARGET clang-cpp OR NOT TARGET LLVM)
  message(STATUS "mpi2pure: none; CMake does not find Clang (Debian: libclang-dev, llvm-dev)")
  return()
endif()

# Clang's own headers, stddef.h and the like, are in a folder of its version, all of it or the first number.
set(resources "")
foreach(version IN ITEMS ${LLVM_VERSION_MAJOR} ${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH})
  if(EXISTS ${LLVM_LIBRARY_DIR}/clang/${version}/include/stddef.h)
    set(resources ${LLVM_LIBRARY_DIR}/clang/${version})
  endif()
endforeach()
if(NOT resources)
  message(STATUS "mpi2pure: none; Clang's own headers are not in ${LLVM_LIBRARY_DIR}/clang")
  return()
endif()

# `port` knows MPI's names by the table from which docs/from_mpi.md is made.
file(READ docs/from_mpi.txt MPI2PURE_TABLE)
file(READ include/pure/mpi_names.h MPI2PURE_HEADER)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/from_mpi.txt include/pure/mpi_names.h)
configure_file(tools/mpi2pure/names_text.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/mpi2pure/names_text.cpp @ONLY)

file(GLOB sources CONFIGURE_DEPENDS tools/mpi2pure/*.cpp)
add_executable(mpi2pure ${sources} ${CMAKE_CURRENT_BINARY_DIR}/mpi2pure/names_text.cpp)
target_compile_features(mpi2pure PRIVATE cxx_std_17)
target_include_directories(mpi2pure PRIVATE tools)
target_include_directories(mpi2pure SYSTEM PRIVATE ${CLANG_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(mpi2pure PRIVATE "PURE_VERSION_TEXT=\"${PROJECT_VERSION}\""
                                            "LLVM_MAJOR_TEXT=\"${LLVM_VERSION_MAJOR}\""
                                            "CLANG_RESOURCE_FOLDER=\"${resources}\""
                                            "PURE_HEADERS=\"${PROJECT_SOURCE_DIR}/include\"")
# Clang has no run-time types; its headers take most of the time to compile.
target_compile_options(mpi2pure PRIVATE ${definitions} -fno-rtti -O0)
target_link_libraries(mpi2pure PRIVATE clang-cpp LLVM)
set_target_properties(mpi2pure PROPERTIES UNITY_BUILD ${PURE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 0
                                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
if(PURE_INSTALL)
  install(TARGETS mpi2pure RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi2pure)
endif()
