// How this copy of Pure was built.
#pragma once

#include <string>

namespace pure::tool {

struct build_facts {
  std::string compiler;  ///< "GCC 12.2.0, for x86-64"
  std::string kind;      ///< the build type and the compiler's flags
  std::string hwloc;     ///< the version that is loaded
};

build_facts build();

}  // namespace pure::tool
