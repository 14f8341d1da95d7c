// What the preprocessor did: where names became macros, which branches it skipped, where macros that paste or print
// what they are given were used.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mpi2pure {

struct macro_events {
  struct use {
    clang::SourceRange range;
    std::string name;
    bool has_hash;  // The text of the macro has # or ##.
  };
  std::vector<std::pair<std::string, clang::SourceLocation>> changes;  // #define and #undef.
  std::vector<use> uses;
  std::vector<clang::SourceRange> skipped;
};

std::unique_ptr<clang::PPCallbacks> watch_macros(macro_events& events);

}  // namespace mpi2pure
