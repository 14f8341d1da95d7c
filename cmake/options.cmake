# The options of the build, and the interface targets that carry compiler flags:
#   pure_options      C++20, warnings and sanitizers, for everything in this repository
#   pure_sanitizers   only the sanitizers, also for what links the library from the build tree

option(PURE_BUILD_TOOLS "Build purerun and pure" ON)
option(PURE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PURE_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(PURE_INSTALL "Install the library, its headers and the tools" ${PROJECT_IS_TOP_LEVEL})
option(PURE_WERROR "Treat warnings as errors (the presets switch it on)" OFF)
option(PURE_UNITY_BUILD "Compile several files of the library at a time" ON)
set(PURE_SANITIZE "" CACHE STRING "Sanitizers, as after -fsanitize=: 'address,undefined' or 'thread'")

set(CMAKE_CXX_EXTENSIONS OFF) # in this folder only, whoever includes it

# What another project has set, or not, stays so.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
  endif()
  option(BUILD_SHARED_LIBS "Build libpure.so rather than libpure.a" ON)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(PURE_CCACHE ccache DOC "Compiler cache, used when found")
elseif(NOT DEFINED BUILD_SHARED_LIBS)
  set(BUILD_SHARED_LIBS ON)
endif()

# Where the library and its plug-ins are installed; see install.cmake.
set(PURE_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
if(PURE_SANITIZE STREQUAL "thread")
  string(APPEND PURE_INSTALL_LIBDIR /pure/tsan)
endif()

if(PURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER sh ${CMAKE_CURRENT_LIST_DIR}/ccache.sh ${PURE_CCACHE})
endif()

add_library(pure_sanitizers INTERFACE)
if(PURE_SANITIZE)
  target_compile_options(pure_sanitizers INTERFACE -fsanitize=${PURE_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(pure_sanitizers INTERFACE -fsanitize=${PURE_SANITIZE})
  if(PURE_SANITIZE MATCHES "address" AND PURE_SANITIZE MATCHES "undefined")
    # What AddressSanitizer finds too, at the access itself, and what takes long to compile.
    target_compile_options(pure_sanitizers INTERFACE -fno-sanitize=null,object-size)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not see fences. Ours order flags (park and wake), never data: it misses nothing.
    target_compile_options(pure_sanitizers INTERFACE -Wno-tsan)
  else()
    target_compile_options(pure_sanitizers INTERFACE -Wno-pass-failed) # loops with checks are not vectorized
    if(PURE_SANITIZE MATCHES "address")
      target_compile_definitions(pure_sanitizers INTERFACE __SANITIZE_ADDRESS__=1) # as GCC says it
    endif()
    if(PURE_SANITIZE MATCHES "undefined")
      # GCC has no such checks: a noexcept function behind a pointer without is of another type to Clang; and addresses are
      # added to MPI_BOTTOM, which is a null pointer.
      target_compile_options(pure_sanitizers INTERFACE -fno-sanitize=function,pointer-overflow)
    endif()
  endif()
endif()

add_library(pure_options INTERFACE)
target_compile_features(pure_options INTERFACE cxx_std_20)
target_link_libraries(pure_options INTERFACE pure_sanitizers)
# GCC collects garbage from 128 MB on, a tenth of its time where many files are compiled together.
target_compile_options(pure_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(pure_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${PURE_WERROR}>:-Werror>)
  # In files that are compiled together, what is local to one would shadow what is global in another: the debug and
  # clang presets look. Tests may do as they like.
  if(NOT PURE_UNITY_BUILD)
    target_compile_options(pure_options INTERFACE
      $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:SOURCE_DIR>,${PROJECT_SOURCE_DIR}/tests>>:-Wshadow>)
  endif()
else()
  # The warnings of another project are for its own sources. And without a build type it would get a slow runtime.
  target_compile_options(pure_options INTERFACE -w $<$<CONFIG:>:-O3>)
  target_compile_definitions(pure_options INTERFACE $<$<CONFIG:>:NDEBUG>)
endif()
