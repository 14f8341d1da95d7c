// A translation unit that `mpi2pure port` looks at: whose its files are, and where a location is in the program's text.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mpi2pure/ported.hpp"

namespace clang {
class Preprocessor;
}

namespace mpi2pure {

// By file and offset: where a location is spelled.
using spelled = std::pair<clang::FileID, unsigned>;

// What the preprocessor tells of names of MPI.
struct preprocessed {
  std::map<spelled, bool> uses;          // Of macros: whether of MPI's, in the program's text.
  std::set<std::string> mpi_macros;      // That mpi.h defines.
  std::set<std::string> program_macros;  // That the program defines, of names that begin as MPI's.
  struct inclusion {
    clang::SourceLocation name;  // With its quotes.
    std::size_t length;
    const clang::FileEntry* file;
  };
  std::vector<inclusion> inclusions;  // Of an mpi.h.
  std::vector<clang::SourceRange> skipped;
  bool has_tasks = false;  // Loops that `mpi2pure tasks` has changed.
};

class port_unit {
 public:
  port_unit(clang::SourceManager& sources, const clang::LangOptions& language, const std::string& root)
      : sources_(sources), language_(language), root_(root) {}

  // Where it is spelled, if that is a file of the tree.
  std::optional<place> place_of(clang::SourceLocation location) const;
  place place_at(clang::FileID file, std::size_t offset) const;
  // Where a declaration that begins here is changed: before a macro that begins it, or in the macro's text.
  std::optional<place> begin_of(clang::SourceLocation location, bool& is_in_macro) const;
  // A file of the tree, whatever stands in it.
  bool is_program(clang::FileID file) const;
  bool is_program(clang::SourceLocation location) const;
  // In mpi.h, or in what it includes.
  bool is_mpi(clang::SourceLocation location) const;
  spelled spelling(clang::SourceLocation location) const {
    return sources_.getDecomposedLoc(sources_.getSpellingLoc(location));
  }
  std::vector<clang::FileID> files() const;
  std::string path_of(clang::FileID file) const;
  std::string text_of(clang::FileID file) const { return sources_.getBufferData(file).str(); }
  clang::SourceManager& sources() const { return sources_; }
  const clang::LangOptions& language() const { return language_; }

 private:
  clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  const std::string& root_;
  mutable std::map<clang::FileID, std::string> paths_;
};

// As those of MPI begin.
bool may_be_mpi(llvm::StringRef name);

std::unique_ptr<clang::PPCallbacks> watch_names(const port_unit& unit, clang::Preprocessor& preprocessor,
                                                preprocessed& seen);

}  // namespace mpi2pure
