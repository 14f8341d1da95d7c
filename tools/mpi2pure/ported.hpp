// What `mpi2pure port` finds in all translation units, and what comes of it: a variable is changed at all of its
// declarations or at none, and only the whole set of files tells which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "mpi2pure/changes.hpp"

namespace mpi2pure {

// What stands before a variable of which each rank has its own (pure/mpi_names.h).
inline constexpr const char* rank_local = "PURE_RANK_LOCAL";
// What a person has put before one that all ranks share.
inline constexpr const char* ranks_share = "PURE_RANKS_SHARE";

struct place {
  std::string file;
  std::size_t offset = 0;
  unsigned line = 0;

  bool operator<(const place& other) const { return std::tie(file, offset) < std::tie(other.file, other.offset); }
};

// A variable of the whole program; of one with internal linkage, of a file.
struct global_variable {
  std::string name;
  bool is_wanted = false;   // The program can write it: each rank needs its own.
  bool is_defined = false;  // In one of the files.
  bool is_used = false;
  std::set<place> declarations;
  // Where its declarations begin that do not have the word, by the place of the name.
  std::map<place, place> unmarked;
  std::string reason;            // Why it stays as it is, and what to do; empty: it does not.
  place blamed;                  // The place to report.
  std::set<std::string> follow;  // Variables whose initial values name this one.
};

// A function of the whole program, as far as threads that a rank starts come by.
struct known_function {
  std::set<std::string> calls;
  std::set<std::string> variables;
  std::string threads;  // Which threads call it.
};

class ported {
 public:
  // `include` is what declares the word, for a file that has none; of length 0, without text if it has.
  void add_file(const std::string& file, const std::string& text, const edit& include) {
    texts_[file] = text;
    includes_[file] = include;
  }
  const std::string& original(const std::string& file) const { return texts_.at(file); }
  // With one of the commands by which the file is compiled.
  void understand(const std::string& file) { ++times_understood_[file]; }
  std::size_t times_understood(const std::string& file) const {
    const auto found = times_understood_.find(file);
    return found == times_understood_.end() ? 0 : found->second;
  }

  // A declaration without the word, with its name at `name`. A macro before it may be extern in one translation unit
  // and nothing in another one: the word stands behind what only some of them see.
  void declare(global_variable& variable, const place& name, const place& begin) {
    place& known = variable.unmarked[name];
    known = std::max(known, begin);
  }

  // `length` bytes become `text`; of length 0, it is put there. Translation units that ask for different things at one
  // place: nothing is done there.
  void replace(const place& at, std::size_t length, const std::string& text, bool is_name);
  void leave(const place& at, const std::string& reason) { left_.insert({at.file, at.line, reason}); }

  global_variable& variable(const std::string& key) { return variables_[key]; }
  known_function& function(const std::string& key) { return functions_[key]; }
  // In a macro's text: what begins there, if it is a variable that each rank must have, and if it is none.
  void macro_begins(const place& at, bool is_wanted) { (is_wanted ? macro_wanted_ : macro_other_).insert(at); }

  // Files have loops that `mpi2pure tasks` has changed: whoever runs a chunk has other variables.
  void add_tasks() { has_tasks_ = true; }
  bool has_tasks() const { return has_tasks_; }

  // When all translation units have been looked at.
  void settle();

  std::map<std::string, std::vector<edit>> edits() const;
  // The line of the original, of one of what is written.
  unsigned original_line(const std::string& file, unsigned line) const;
  const std::set<remark>& left() const { return left_; }
  std::size_t names_changed() const { return names_; }
  std::size_t variables_changed() const { return variables_changed_; }

 private:
  struct wish {
    std::size_t length;
    std::string text;
    bool is_refused = false;
  };

  void spread_threads();
  void want_what_goes_along();
  void refuse_together();

  std::map<std::string, std::string> texts_;
  std::map<std::string, std::size_t> times_understood_;
  std::map<std::string, edit> includes_;
  std::map<std::pair<place, bool>, wish> wishes_;  // By what they replace, or put before it.
  std::map<std::string, global_variable> variables_;
  std::map<std::string, known_function> functions_;
  std::set<place> macro_wanted_, macro_other_;
  std::set<remark> left_;
  std::size_t names_ = 0, variables_changed_ = 0;
  bool has_tasks_ = false;
};

}  // namespace mpi2pure
