// A rank's own program: its parts, and the threads that belong to it.
//
// Made by the rank's own thread, in which constructors, main and what follows it run, and kept as long as the process
// lives: its threads may outlive the rank, and other ranks may have its addresses.
//
// Locks, in the order in which they are taken: that of open_libraries, which a rank holds while constructors of what it
// opens run; that of program_model, or of rank_images; that of linker_list; the dynamic linker's own.
#pragma once

#include <pthread.h>

#include <optional>

#include "libc/exit_handlers.hpp"
#include "libc/hidden_state.hpp"
#include "libc/program_of_rank.hpp"
#include "loader/constructed_objects.hpp"
#include "loader/open_libraries.hpp"
#include "loader/program_model.hpp"
#include "loader/rank_images.hpp"

namespace pure::core {

class rank_program final : public program_of_rank {
 public:
  /// Loads nothing. The model outlives it.
  rank_program(program_model& model, int rank);
  rank_program(const rank_program&) = delete;
  rank_program& operator=(const rank_program&) = delete;

  [[nodiscard]] hidden_state& state() noexcept { return state_; }
  [[nodiscard]] rank_images& images() noexcept { return images_; }
  [[nodiscard]] constructed_objects& constructed() noexcept { return constructed_; }
  [[nodiscard]] exit_handlers& handlers() noexcept { return handlers_; }
  [[nodiscard]] open_libraries& libraries() noexcept { return libraries_; }

  /// The calling thread is the one that runs main.
  void own_by_this_thread() noexcept { owner_ = pthread_self(); }
  [[nodiscard]] bool is_own_thread() const noexcept { return pthread_equal(owner_, pthread_self()) != 0; }
  /// The calling thread is one of the rank's from now on: program_here() and hidden_state_here() are the rank's, and
  /// its thread-local variables have their first values.
  void begin_thread() override;

  /// What the rank's process would run at its end, with that status.
  void run_end(int status);
  /// What its main thread would run at its own end, before other threads have ended: destructors of thread-local
  /// objects and of values of keys.
  void run_end_of_own_thread();
  [[noreturn]] void exit(int status) override;

  /// Has the place of the program headers, their number, and the place of the first instruction.
  [[nodiscard]] std::optional<unsigned long> auxiliary_value(unsigned long type) override;

 private:
  hidden_state state_;
  rank_images images_;
  constructed_objects constructed_{images_};
  exit_handlers handlers_;
  open_libraries libraries_{images_, constructed_, handlers_};
  pthread_t owner_{};
};

/// The program of the rank to which the calling thread belongs; null: it belongs to none.
[[nodiscard]] rank_program* program_here() noexcept;

}  // namespace pure::core
