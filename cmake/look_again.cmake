# What an earlier run of CMake did not find, and what it found and is gone since, is looked up again.
#
# CMake keeps both answers in its cache, so that a build folder would never notice an MPI that was installed after it was
# made. What was found and is still there is kept, and so is whatever the user has set.
get_cmake_property(cached CACHE_VARIABLES)
foreach(name IN LISTS cached)
  if(name MATCHES "^__pkg_config_") # pkg_check_modules() is to ask anew; it costs milliseconds
    unset(${name} CACHE)
  elseif(NOT name MATCHES "^CMAKE_")
    get_property(type CACHE ${name} PROPERTY TYPE)
    set(value "$CACHE{${name}}")
    if(value MATCHES "(^|-)NOTFOUND$"
       OR (type MATCHES "^(FILEPATH|PATH|INTERNAL)$" AND IS_ABSOLUTE "${value}" AND NOT EXISTS "${value}"))
      unset(${name} CACHE)
    endif()
  endif()
endforeach()
