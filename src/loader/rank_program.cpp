#include "loader/rank_program.hpp"

namespace pure::core {

namespace {

constinit thread_local rank_program* program_of_this_thread = nullptr;

}  // namespace

rank_program* program_here() noexcept { return program_of_this_thread; }

rank_program::rank_program(program_model& model, int rank) : images_(model, rank, state_.variables) {
  state_.rank = rank;
  state_.variables.environment = &state_.own.environment;
  state_.program_path = model.executable().file.path().c_str();
}

void rank_program::begin_thread() {
  program_of_this_thread = this;
  set_hidden_state_here(&state_);
  images_.begin_thread();
}

}  // namespace pure::core
