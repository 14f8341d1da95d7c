# What is installed besides the library and its tools: man pages, completion for bash, the license, documents, examples.

set(PURE_DOC_DIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/pure)

install(FILES LICENSE README.md ARCHITECTURE.md CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION ${PURE_DOC_DIR}
        COMPONENT documentation)
install(FILES packaging/README.md DESTINATION ${PURE_DOC_DIR}/packaging COMPONENT documentation)
install(DIRECTORY docs examples DESTINATION ${PURE_DOC_DIR} COMPONENT documentation)

if(NOT PURE_BUILD_TOOLS)
  return()
endif()

# bash-completion loads the file that has the command's name.
function(pure_install_completion command component)
  install(FILES tools/completion/${command}.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions
          RENAME ${command} COMPONENT ${component})
endfunction()
pure_install_completion(purerun tools)
pure_install_completion(pure tools)
if(TARGET mpi2pure)
  pure_install_completion(mpi2pure mpi2pure)
endif()

# The man pages are what --help prints, put into the form of one. A program for another machine cannot be asked, and one
# with a sanitizer is not for users.
if(CMAKE_CROSSCOMPILING OR PURE_SANITIZE)
  return()
endif()

set(man_folder ${CMAKE_CURRENT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${man_folder})
set(man_pages "")
set(man_commands purecxx purecc purerun pure "pure info" "pure trace" "pure attach" "pure globals" "pure bench tune")
if(TARGET pure_mpi)
  list(INSERT man_commands 2 purefc)
endif()
if(TARGET mpi2pure)
  list(APPEND man_commands mpi2pure)
endif()
string(REPLACE " " "-" man_names "${man_commands}")
list(TRANSFORM man_names APPEND "(1)")

foreach(command IN LISTS man_commands)
  string(REPLACE " " "-" name "${command}")
  set(see_also ${man_names})
  list(REMOVE_ITEM see_also "${name}(1)")
  list(JOIN see_also ", " see_also)

  separate_arguments(subcommand UNIX_COMMAND "${command}")
  list(POP_FRONT subcommand tool)
  if(tool MATCHES "^pure[cfx]+$")
    set(tool ${CMAKE_CURRENT_BINARY_DIR}/bin/${tool})
    set(run ${tool})
  else()
    if(tool STREQUAL "pure")
      set(tool pure_tool) # the target
    endif()
    set(run $<TARGET_FILE:${tool}>)
  endif()
  add_custom_command(OUTPUT ${man_folder}/${name}.1
                     COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cmake/man_page.sh ${man_folder}/${name}.1 ${PROJECT_VERSION}
                             ${see_also} ${run} ${subcommand}
                     DEPENDS ${tool} cmake/man_page.sh cmake/man_page.awk VERBATIM)
  list(APPEND man_pages ${man_folder}/${name}.1)
endforeach()
add_custom_target(man_pages ALL DEPENDS ${man_pages})

# Each page is in the package of its command.
set(of_development ${man_pages})
list(FILTER of_development INCLUDE REGEX "/pure[cfx]+\\.1$")
set(of_mpi2pure ${man_pages})
list(FILTER of_mpi2pure INCLUDE REGEX "/mpi2pure\\.1$")
set(of_tools ${man_pages})
list(REMOVE_ITEM of_tools ${of_development} ${of_mpi2pure})
foreach(component tools development mpi2pure)
  if(of_${component})
    install(FILES ${of_${component}} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  endif()
endforeach()
