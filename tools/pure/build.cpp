#include "pure/build.hpp"

#include <fmt/core.h>

#include "machine/topology.hpp"

// CMake knows the flags: target_compile_definitions(... PURE_BUILD_FLAGS="..."). Another build may not say.
#ifndef PURE_BUILD_FLAGS
#define PURE_BUILD_FLAGS ""
#endif

namespace pure::tool {
namespace {

#if defined(__clang__)
constexpr const char* compiler_name = "Clang " __clang_version__;
#else
constexpr const char* compiler_name = "GCC " __VERSION__;
#endif

#if defined(__x86_64__)
constexpr const char* processor = "x86-64";
#elif defined(__aarch64__)
constexpr const char* processor = "aarch64";
#else
constexpr const char* processor = "another processor";
#endif

#if defined(NDEBUG)
constexpr const char* assertions = "without assertions";
#else
constexpr const char* assertions = "with assertions";
#endif

}  // namespace

build_facts build() {
  const std::string flags = PURE_BUILD_FLAGS;
  return {.compiler = fmt::format("{}, for {}", compiler_name, processor),
          .kind = flags.empty() ? assertions : fmt::format("{}, {}", flags, assertions),
          .hwloc = core::hwloc_version_text()};
}

}  // namespace pure::tool
