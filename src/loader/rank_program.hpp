// A rank's own program: the images of its private objects, what libc keeps for it, and what it has asked for at its
// end.
//
// Made by the rank's own thread, in which constructors, main and what follows it run, and kept as long as the process
// lives: its threads may outlive the rank, and other ranks may have its addresses.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <shared_mutex>
#include <string>
#include <vector>

#include "loader/exit_handlers.hpp"
#include "loader/hidden_state.hpp"
#include "loader/open_libraries.hpp"
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
  /// Whether the group has objects of which there is no image.
  [[nodiscard]] bool lacks(const model_group& group) const noexcept;
  /// Takes an image away, which nothing uses any more.
  void unload(int object);

  [[nodiscard]] const program_model& model() const noexcept { return model_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Where its image of an object lies; 0: it has none.
  [[nodiscard]] std::uint64_t base_of(int object) const noexcept;
  [[nodiscard]] std::uint64_t address_of(const bound_address& bound) const noexcept {
    return bound.object == no_object ? bound.value : base_of(bound.object) + bound.value;
  }
  /// The number of the object whose image has the address; no_object: none.
  [[nodiscard]] int object_at(std::uint64_t address) const noexcept;
  /// The original file of an object that it has.
  [[nodiscard]] const std::string& path_of(int object) const { return model_object_of(object).file.path(); }
  [[nodiscard]] const std::string& path() const { return path_of_program_; }
  /// The dynamic linker's handle of an image; null: there is none.
  [[nodiscard]] void* handle_of(int object) const noexcept;
  /// Of a symbol that the object defines: a function, a variable, or this thread's variable. `version`: empty for any.
  /// Null: there is none.
  [[nodiscard]] void* address_in(int object, std::string_view name, std::string_view version) const;

  [[nodiscard]] hidden_state& state() noexcept { return state_; }
  [[nodiscard]] exit_handlers& handlers() noexcept { return handlers_; }
  [[nodiscard]] open_libraries& libraries() noexcept { return libraries_; }

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
  /// Of these objects, those whose constructors have run, the latest first; they count as not constructed now.
  std::vector<int> take_constructed(const std::vector<int>& objects);
  /// Those of the program that run before its libraries' constructors (DT_PREINIT_ARRAY).
  void construct_before_libraries(char** environment) const;

  /// All objects whose constructors have run, the latest last.
  std::vector<int> constructed;

 private:
  struct image {
    const model_object* object = nullptr;
    std::uint64_t base = 0;  // 0: there is none
    std::uint64_t end = 0;
    void* handle = nullptr;        // the dynamic linker's
    char* name_of_copy = nullptr;  // as the dynamic linker had it
  };
  [[nodiscard]] const model_object& model_object_of(int object) const {
    return *images_[static_cast<std::size_t>(object)].object;
  }
  image load_image(const model_object& object) const;
  void bind(const model_object& object, std::uint64_t base);
  void begin_thread_in(const model_object& object) const;
  void run(int object, std::int64_t array, std::int64_t size, char** environment, bool is_backwards) const;

  const program_model& model_;
  const int rank_;
  const std::string& path_of_program_;
  mutable std::shared_mutex changing_images_;
  std::vector<image> images_;  // by the object's number
  hidden_state state_;
  exit_handlers handlers_;
  open_libraries libraries_{*this};
  int argument_count_ = 0;
  char** arguments_ = nullptr;
  pthread_t owner_{};
};

/// That of the rank to which the calling thread belongs; null: it belongs to none.
[[nodiscard]] rank_program* program_here() noexcept;

}  // namespace pure::core
