// The text that stands beside a loop, under the macro of tasks. In C++ the body stays where it is, once, and becomes
// that of a lambda; in C it is copied to a function before the one that it stands in.
#pragma once

#include <string>
#include <vector>

#include "mpi2pure/clauses.hpp"
#include "mpi2pure/loop_body.hpp"
#include "mpi2pure/macros.hpp"
#include "mpi2pure/source.hpp"

namespace mpi2pure {

// A loop and all that is known of it.
struct loop_plan {
  const clang::ASTContext& context;
  const source_file& file;
  const clang::FunctionDecl* function;  // In which it stands.
  const macro_events& macros;
  std::vector<loop_level> levels;
  loop_clauses clauses;
  loop_body body;
  std::size_t begin;  // The line of the pragma, or of the #if around it.
  std::size_t loop_begin, body_begin, body_end, end;
};

// Lines of code with the indentation and the line ends of their surroundings.
class code {
 public:
  code(const source_file& file, std::size_t beside);
  code& operator<<(const std::string& line);
  code& directive(const std::string& line);  // From the first column on.
  code& as_it_is(const std::string& text);
  void deeper() { ++depth_; }
  void back() { --depth_; }
  const std::string& text() const { return text_; }

 private:
  std::string indentation_, step_, newline_, text_;
  unsigned depth_ = 0;
};

// Where code goes that stands behind `offset`: in the next line, if only a comment follows; else a line is broken.
edit behind(const source_file& file, std::size_t offset, const std::string& lines);

// `begin`, or the #if around it, such that all conditionals between it and `end` are complete. Throws refusal.
std::size_t complete_begin(const source_file& file, std::size_t begin, std::size_t end);

// pure_lower, pure_upper and pure_count of each loop, and pure_count of all.
void write_counts(code& to, const loop_plan& plan);
// Uses the function's own variables of which a chunk has its own, so that no compiler calls them unused.
void write_uses(code& to, const loop_plan& plan);
// The loop over the indices pure_first, ..., pure_last - 1 of the count, up to its body; then what closes it.
void open_loop(code& to, const loop_plan& plan);
void close_loop(code& to, const loop_plan& plan);
// pure_options, if there is something to say; returns what is passed for them.
std::string write_options(code& to, const loop_plan& plan);

std::string converted(const loop_plan& plan, const std::string& type, const std::string& expression);
// "x = x + y" of a reduction.
std::string combined(const reduction& reduces, const std::string& into, const std::string& value);
// With what a part begins.
std::string neutral(const reduction& reduces);
// The update as a loop of compare and exchange; `target` and `operand` are source.
std::string atomic_text(const loop_plan& plan, const atomic_update& update, const std::string& target,
                        const std::string& operand);

std::vector<edit> emit_cxx(const loop_plan& plan);
// `number` tells loops of one function apart.
std::vector<edit> emit_c(const loop_plan& plan, unsigned number);

}  // namespace mpi2pure
