# Debian packages, by CPack: `make deb`. What is in which, and how they are tried: packaging/README.md.
#
# Each install() names a component, and each component is a package. Dependencies on other packages are those that
# dpkg-shlibdeps finds; on each other they are of the same version.
if(NOT PURE_BUILD_TOOLS OR NOT BUILD_SHARED_LIBS OR PURE_SANITIZE)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Pure developers")
set(CPACK_PACKAGE_CONTACT "The Pure developers <developers@pure.invalid>") # nothing is published, so no address
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_CURRENT_BINARY_DIR}/packages)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP) # no groups: a package for each component
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What Debian asks for in each package besides: license, changelog, compressed man pages.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/packaging/deb_files.cmake)
set(CPACK_PURE_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})

# pure_deb(COMPONENT PACKAGE SECTION SUMMARY DESCRIPTION [RELATION PACKAGES]...), as in: RECOMMENDS "mpich".
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENTS_ALL "")
function(pure_deb component package section summary description)
  string(TOUPPER ${component} name)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  set(CPACK_PURE_PACKAGE_OF_${component} ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  cmake_parse_arguments(PARSE_ARGV 5 relation "" "DEPENDS;RECOMMENDS;SUGGESTS" "")
  foreach(kind DEPENDS RECOMMENDS SUGGESTS)
    if(relation_${kind})
      set(CPACK_DEBIAN_${name}_PACKAGE_${kind} "${relation_${kind}}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(runtime_package libpure${PURE_SOVERSION})
pure_deb(runtime ${runtime_package} libs "message passing with threads as ranks: the library"
"What programs that are built with Pure need to run on one machine, with ranks
as threads of one process."
DEPENDS libhwloc15 # opened at run time: src/own_runtimes/hwloc.cpp
RECOMMENDS libdw1 # files and lines in reports
SUGGESTS "pure-tools, libpure-net-mpich | libpure-net-openmpi")
# What a package needs whose programs are linked with the library: docs/versions.md.
set(control ${CMAKE_CURRENT_BINARY_DIR}/deb)
file(WRITE ${control}/shlibs "libpure ${PURE_SOVERSION} ${runtime_package} (>= ${PROJECT_VERSION})\n")
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)

set(launcher_mpich mpich)
set(launcher_openmpi openmpi-bin)
foreach(family IN LISTS PURE_NETWORKS)
  pure_deb(net_${family} libpure-net-${family} libs
  "message passing with threads as ranks: processes over ${family}"
"The plug-in of Pure with which a job may have several processes, on one machine
or many, over this MPI."
  DEPENDS "${runtime_package} ${same_version}" RECOMMENDS ${launcher_${family}})
endforeach()

pure_deb(development libpure-dev libdevel "message passing with threads as ranks: headers"
"Headers, and the files by which CMake, pkg-config and make find the library of
Pure."
DEPENDS "${runtime_package} ${same_version}, libc6-dev"
RECOMMENDS "g++, pure-tools" SUGGESTS "pure-doc, libcereal-dev, gfortran")

pure_deb(tools pure-tools utils "message passing with threads as ranks: purerun and pure"
"purerun starts programs that are built with Pure; pure looks at an
installation, at a run, or at its timeline."
SUGGESTS "libpure-net-mpich | libpure-net-openmpi, pure-doc")

if(TARGET mpi2pure) # apart from pure-tools: Clang's libraries are larger than all else together
  pure_deb(mpi2pure pure-mpi2pure devel "message passing with threads as ranks: mpi2pure"
  "mpi2pure puts tasks of Pure beside the loops of OpenMP programs, and ports
programs of MPI to Pure."
  RECOMMENDS libpure-dev)
endif()

pure_deb(documentation pure-doc doc "message passing with threads as ranks: documents and examples"
"The documents of Pure, and the sources of its examples.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SHLIBDEPS OFF)

include(CPack)
