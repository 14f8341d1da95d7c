# purecxx and purecc, for users: in the build's bin, beside purerun, and in the installed one (cmake/wrapper.bash.in).
#
# Both are there twice: headers of the build are in the sources, those of an installed copy below its prefix.

function(pure_add_wrapper PURE_WRAPPER language variable compiler other standard x about)
  set(PURE_WRAPPER_LANGUAGE ${language})
  set(PURE_WRAPPER_VARIABLE ${variable})
  set(PURE_WRAPPER_COMPILER ${compiler})
  set(PURE_WRAPPER_OTHER_COMPILER ${other})
  set(PURE_WRAPPER_STANDARD ${standard})
  set(PURE_WRAPPER_X ${x}) # what -x calls this language
  set(PURE_WRAPPER_ABOUT ${about})
  set(PURE_WRAPPER_STATIC_LIBS "${PURE_STATIC_LIBS}")

  set(PURE_WRAPPER_TO_PREFIX ..)
  set(PURE_WRAPPER_LIBRARIES lib)
  set(PURE_WRAPPER_HEADERS "${CMAKE_CURRENT_SOURCE_DIR}/include")
  configure_file(cmake/wrapper.bash.in ${CMAKE_CURRENT_BINARY_DIR}/bin/${PURE_WRAPPER} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  file(RELATIVE_PATH PURE_WRAPPER_TO_PREFIX /${CMAKE_INSTALL_BINDIR} /)
  string(REGEX REPLACE "/$" "" PURE_WRAPPER_TO_PREFIX "${PURE_WRAPPER_TO_PREFIX}")
  set(PURE_WRAPPER_LIBRARIES ${CMAKE_INSTALL_LIBDIR})
  set(PURE_WRAPPER_HEADERS "\$prefix/${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file(cmake/wrapper.bash.in ${CMAKE_CURRENT_BINARY_DIR}/installed/${PURE_WRAPPER} @ONLY)
  if(PURE_INSTALL AND NOT PURE_SANITIZE STREQUAL "thread") # that one is installed beside another
    install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/${PURE_WRAPPER} DESTINATION ${CMAKE_INSTALL_BINDIR}
            COMPONENT development)
  endif()
endfunction()

# g++-12 has gcc-12 beside it, clang++-14 clang-14, c++ cc.
string(REGEX REPLACE "clang\\+\\+([^/]*)$" "clang\\1" c_compiler "${CMAKE_CXX_COMPILER}")
string(REGEX REPLACE "g\\+\\+([^/]*)$" "gcc\\1" c_compiler "${c_compiler}")
string(REGEX REPLACE "c\\+\\+([^/]*)$" "cc\\1" c_compiler "${c_compiler}")

pure_add_wrapper(purecxx C++ PURE_CXX "${CMAKE_CXX_COMPILER}" c++ c++20 "c++" [[
It is C++20 unless the command says otherwise; -std=c++17 is enough for pure.h.]])
pure_add_wrapper(purecc C PURE_CC "${c_compiler}" cc "" "c" [[
Pure has no interface for C yet: pure.h is C++17, and a C file that includes it is refused (purecxx compiles it). purecc is
for C files beside it; where any file is C++, purecxx links.]])
