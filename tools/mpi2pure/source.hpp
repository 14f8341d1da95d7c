// The text of the file in which a loop stands: places, lines, and the directives of its preprocessor, which are read
// from the text itself, so that those of branches that the compiler skips are known, too.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <optional>
#include <string>
#include <vector>

#include "mpi2pure/changes.hpp"

namespace mpi2pure {

// The macro under which the tasks stand, beside the pragmas.
inline constexpr const char* guard_macro = "PURE_TASKS";

struct directive {
  enum kind_of { opens, turns, closes, includes, other } kind;  // #if, #ifdef, #ifndef; #else, #elif; #endif; ...
  std::string name;                                             // if, ifdef, else, ...
  std::string word;                                             // What follows, up to the first blank.
  std::size_t begin;                                            // The start of its line.
  std::size_t end;                                              // Behind its last line.
};

// #if ... #endif, by their directives' numbers.
struct conditional {
  std::size_t opens, closes;
  std::vector<std::size_t> turns;
};

class source_file {
 public:
  source_file(const clang::ASTContext& context, clang::FileID id);

  const std::string& text() const { return text_; }
  const std::string& path() const { return path_; }
  const char* newline() const { return newline_; }

  // Where the location, or the macro call that it is in, begins; nothing in another file.
  std::optional<std::size_t> offset(clang::SourceLocation location) const;
  // Behind the last token of what ends at this location.
  std::optional<std::size_t> end_offset(clang::SourceLocation location) const;
  unsigned line(std::size_t offset) const;
  std::size_t line_start(std::size_t offset) const;
  // The start of the next line, or the end of the file.
  std::size_t line_end(std::size_t offset) const;
  // The blanks with which the line begins.
  std::string indentation(std::size_t offset) const;
  // The text of an expression; nothing if it is a part of a macro.
  std::optional<std::string> text_of(clang::SourceRange range) const;
  // Behind a statement, with its semicolon.
  std::optional<std::size_t> end_of(const clang::Stmt* statement) const;
  // Where the pragma that begins at this offset ends, with its continued lines.
  std::size_t end_of_pragma(std::size_t offset) const;

  const std::vector<directive>& directives() const { return directives_; }
  const std::vector<conditional>& conditionals() const { return conditionals_; }
  // Whether it lies between #if and #endif of the macro of tasks.
  bool has_its_twin(std::size_t offset) const;
  // Includes pure/tasks.h behind the includes with which the file begins, or before `otherwise`, its first declaration.
  edit include_of_tasks(std::size_t otherwise, bool is_header) const;
  // Likewise `lines`; without text if the file includes one of the headers.
  edit include_of(const std::vector<std::string>& headers, const std::string& lines, std::size_t otherwise,
                  bool is_header) const;

 private:
  void read_directives();

  const clang::ASTContext& context_;
  clang::FileID id_;
  std::string text_;
  std::string path_;
  const char* newline_;
  std::vector<directive> directives_;
  std::vector<conditional> conditionals_;
};

}  // namespace mpi2pure
