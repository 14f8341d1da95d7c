// A rank's own program: the images of its private objects, what libc keeps for it, and what it has asked for at its
// end.
//
// Made by the rank's own thread, in which constructors, main and what follows it run, and kept as long as the process
// lives: its threads may outlive the rank, and other ranks may have its addresses.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "loader/exit_handlers.hpp"
#include "loader/hidden_state.hpp"
#include "loader/program_model.hpp"

namespace pure::core {

class rank_program {
 public:
  /// Loads nothing.
  rank_program(const program_model& model, int rank);
  rank_program(const rank_program&) = delete;
  rank_program& operator=(const rank_program&) = delete;

  /// Makes the images of the group's new objects and binds them; runs no constructors. By one thread of the rank at a
  /// time. Throws pure::Error.
  void load(const model_group& group);

  [[nodiscard]] const program_model& model() const noexcept { return model_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Where its image of an object lies; 0: it has none.
  [[nodiscard]] std::uint64_t base_of(int object) const noexcept;
  [[nodiscard]] std::uint64_t address_of(const bound_address& bound) const noexcept {
    return bound.object == no_object ? bound.value : base_of(bound.object) + bound.value;
  }
  /// The number of the object whose image has the address; no_object: none.
  [[nodiscard]] int object_at(std::uint64_t address) const noexcept;

  [[nodiscard]] hidden_state& state() noexcept { return state_; }
  [[nodiscard]] exit_handlers& handlers() noexcept { return handlers_; }

  /// The calling thread is the rank's from now on: program_here() and hidden_state_here() are the rank's, and its
  /// thread-local variables have their first values.
  void begin_thread();
  /// The calling thread is the one that runs main.
  void is_owned_by_this_thread() noexcept { owner_ = pthread_self(); }
  [[nodiscard]] bool is_own_thread() const noexcept { return pthread_equal(owner_, pthread_self()) != 0; }

  /// Constructors and destructors of an object; with the rank's arguments, once they are set.
  void set_arguments(int count, char** values) noexcept { argument_count_ = count, arguments_ = values; }
  void construct(int object, char** environment) const;
  void destroy(int object) const;
  /// Those of the program that run before its libraries' constructors (DT_PREINIT_ARRAY).
  void construct_before_libraries(char** environment) const;

  /// All objects whose constructors have run, the latest last.
  std::vector<int> constructed;

 private:
  struct image {
    std::uint64_t base = 0;
    std::uint64_t end = 0;
  };
  image load_image(const model_object& object) const;
  void bind(const model_object& object, std::uint64_t base);
  void run(int object, std::int64_t array, std::int64_t size, char** environment, bool is_backwards) const;

  const program_model& model_;
  const int rank_;
  std::vector<image> images_;  // by the object's number
  hidden_state state_;
  exit_handlers handlers_;
  int argument_count_ = 0;
  char** arguments_ = nullptr;
  pthread_t owner_{};
};

/// That of the rank to which the calling thread belongs; null: it belongs to none.
[[nodiscard]] rank_program* program_here() noexcept;

}  // namespace pure::core
