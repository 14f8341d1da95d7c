#include "loader/rank_program.hpp"

#include <elf.h>
#include <sys/auxv.h>

#include <cstdlib>

#include "loader/program_threads.hpp"
#include "start/calling_rank.hpp"

namespace pure::core {

namespace {

constinit thread_local rank_program* program_of_this_thread = nullptr;

}  // namespace

rank_program* program_here() noexcept { return program_of_this_thread; }

rank_program::rank_program(program_model& model, int rank) : images_(model, rank, state_.variables) {
  state_.rank = rank;
  state_.program = this;
  state_.variables.environment = &state_.own.environment;
  state_.program_path = model.executable().file.path().c_str();
}

void rank_program::begin_thread() {
  program_of_this_thread = this;
  set_hidden_state_here(&state_);
  images_.begin_thread();
}

void rank_program::run_end(int status) {
  handlers_.run(status, is_own_thread());
  libraries_.destroy_all();
  state_.streams.flush();
  if (is_own_thread()) forget_thread_values();
}

void rank_program::run_end_of_own_thread() {
  handlers_.run_of_thread();
  end_thread_values();
}

void rank_program::exit(int status) {
  if (!has_outlived_its_rank()) run_end(status);  // else it stays in std::exit
  std::exit(status);
}

std::optional<unsigned long> rank_program::auxiliary_value(unsigned long type) {
  const loadable_object& file = images_.model().executable().file;
  const std::uint64_t base = images_.base_of(0);
  switch (type) {
    case AT_PHDR:
      if (const Elf64_Phdr* const its = file.segment(PT_PHDR); its != nullptr) return base + its->p_vaddr;
      return std::nullopt;
    case AT_PHNUM: return file.segments().size();
    case AT_ENTRY: return base + file.entry();
    default: return std::nullopt;
  }
}

}  // namespace pure::core
