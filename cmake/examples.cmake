# The examples: every examples/*.cpp is one small program, with its twin for MPI, if it has one, in examples/mpi; a
# folder with a CMakeLists.txt builds itself.
#
# A comment says how the tests run a program; {} is the program, and several such lines are several tests:
#   // test: purerun -n 4 {}
# A folder's CMakeLists.txt uses pure_add_example() too, or add_executable and pure_add_example_tests().

# What examples/demo.sh runs; the folders add their programs.
add_custom_target(demo)
if(PURE_BUILD_TOOLS)
  add_dependencies(demo purerun)
endif()

set(PURE_EXAMPLES_DIR ${CMAKE_CURRENT_BINARY_DIR}/examples)

# pure_add_program_tests(NAME PROGRAM SOURCE): one ctest (label example) for each `// test:` line of SOURCE, or `! test:`.
function(pure_add_program_tests name program source)
  if(NOT PURE_BUILD_TESTS)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} commands REGEX "^(//|!) test: ")
  if(NOT commands)
    message(FATAL_ERROR "${source} does not say how it is tested: add a line such as '// test: purerun -n 4 {}'")
  endif()
  set(number 0)
  foreach(command IN LISTS commands)
    math(EXPR number "${number} + 1")
    string(REGEX REPLACE "^(//|!) test: *" "" command "${command}")
    string(REPLACE "{}" "'${program}'" command "${command}")
    set(test example.${name})
    if(number GREATER 1)
      string(APPEND test .${number})
    endif()
    add_test(NAME ${test} COMMAND bash -c "${command}" WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${test} PROPERTIES LABELS "example;quick" TIMEOUT 300 PROCESSORS 4 SKIP_RETURN_CODE 77
                                            ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${PROJECT_BINARY_DIR}/bin")
  endforeach()
endfunction()

# pure_add_example_tests(TARGET SOURCE)
function(pure_add_example_tests target source)
  pure_add_program_tests(${target} $<TARGET_FILE:${target}> ${source})
endfunction()

# pure_add_example(NAME SOURCE...): the program NAME, linked as a user would, and the tests that its first source names.
function(pure_add_example name first_source)
  add_executable(${name} ${first_source} ${ARGN})
  target_link_libraries(${name} PRIVATE pure_options Pure::pure)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PURE_EXAMPLES_DIR})
  get_filename_component(source ${first_source} ABSOLUTE)
  pure_add_example_tests(${name} ${source})
endfunction()

file(GLOB example_sources CONFIGURE_DEPENDS examples/*.cpp)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  pure_add_example(${name} ${source})
  # Examples are short and run for milliseconds: what counts is the time to compile them.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()

file(GLOB example_folders CONFIGURE_DEPENDS examples/*/CMakeLists.txt)
foreach(file IN LISTS example_folders)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  add_subdirectory(${folder} examples/${name})
endforeach()
