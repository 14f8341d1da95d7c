#include "libc/program_of_rank.hpp"

#include <cstdlib>

#include "libc/hidden_state.hpp"

namespace pure::core {

program_of_rank* program_of_thread() noexcept {
  const hidden_state* const state = hidden_state_of_thread();
  return state == nullptr ? nullptr : state->program;
}

void exit_program(int status) {
  if (program_of_rank* const program = program_of_thread()) program->exit(status);
  std::exit(status);
}

}  // namespace pure::core
