// A rank that a program is loaded for, as far as the functions in place of libc's know it; and these by their names.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string_view>
#include <vector>

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace test_support {

/// What stands in place of libc's function of that name; `Function` is its type.
template <class Function>
Function* replaced(std::span<const pure::core::replacement> table, std::string_view name) {
  for (const pure::core::replacement& row : table)
    if (row.name == name) return reinterpret_cast<Function*>(row.function);
  ADD_FAILURE() << name << " is not replaced";
  return nullptr;
}

/// The same, of what a process has.
template <class Function>
Function* replaced_of_process(std::string_view name) {
  return replaced<Function>(pure::core::process_replacements(), name);
}

/// States are never destroyed, as those of loaded ranks.
inline pure::core::hidden_state& new_rank(int number = -1) {
  auto* const state = new pure::core::hidden_state;
  state->rank = number;
  static std::vector<pure::core::hidden_state*> all;  // for leak checkers
  all.push_back(state);
  return *state;
}

/// While it lives, the calling thread belongs to that rank; one of these may live inside of another.
class as_rank {
 public:
  explicit as_rank(pure::core::hidden_state& state) : before_(now) { set(&state); }
  as_rank(const as_rank&) = delete;
  as_rank& operator=(const as_rank&) = delete;
  ~as_rank() { set(before_); }

 private:
  static void set(pure::core::hidden_state* state) {
    now = state;
    pure::core::set_hidden_state_here(state);
  }

  static inline thread_local pure::core::hidden_state* now = nullptr;
  pure::core::hidden_state* before_;
};

}  // namespace test_support
