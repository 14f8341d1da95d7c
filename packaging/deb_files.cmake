# Run by CPack when the files of all packages lie in their folders: adds what Debian asks for in each package, its license
# and a changelog, and compresses the man pages (Debian policy, 12.5, 12.7 and 12.1).

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # heeds SOURCE_DATE_EPOCH
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(folder ${root}/share/doc/${CPACK_PURE_PACKAGE_OF_${component}})
  configure_file(${CPACK_PURE_SOURCE_DIR}/LICENSE ${folder}/copyright COPYONLY)
  file(WRITE ${folder}/changelog.Debian "pure (${version}) unstable; urgency=medium\n\n"
       "  * Pure ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md in the package pure-doc.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  if(component MATCHES "^net_") # a plug-in is loaded by its path, from beside the library
    file(WRITE ${root}/share/lintian/overrides/${CPACK_PURE_PACKAGE_OF_${component}}
         "sharedobject-in-library-directory-missing-soname\n")
  endif()
  file(GLOB man_pages ${root}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${folder}/changelog.Debian ${man_pages} COMMAND_ERROR_IS_FATAL ANY)
  # Whatever the umask is. (CMake's CHMOD_RECURSE stumbles over the link to a library that is in another package.)
  execute_process(COMMAND find ${root} -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find ${root}/share -type f -exec chmod 644 {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
