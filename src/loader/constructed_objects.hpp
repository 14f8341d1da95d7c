// The constructors and destructors of a rank's objects (DT_PREINIT_ARRAY, DT_INIT, DT_INIT_ARRAY; DT_FINI_ARRAY,
// DT_FINI): which have run, and in which order.
//
// One thread of the rank at a time: first its own, then whoever holds the lock of open_libraries. Constructors and
// destructors may come back here: each object is on the list before its constructors run, and off it before its
// destructors do.
#pragma once

#include <cstdint>
#include <vector>

#include "loader/rank_images.hpp"

namespace pure::core {

class constructed_objects {
 public:
  /// `images` outlives it.
  explicit constructed_objects(const rank_images& images) noexcept : images_(images) {}

  /// With what constructors are called.
  void set_arguments(int count, char** values) noexcept { argument_count_ = count, arguments_ = values; }

  /// Runs what the program has to run before its libraries' constructors (DT_PREINIT_ARRAY).
  void construct_before_libraries(char** environment) const;
  /// Nothing, if they have run.
  void construct(int object, char** environment);
  /// In place of an object's constructors, somebody else runs them: the program's own start, of an old libc.
  void note_constructed_by_others(int object) { order_.push_back(object); }

  /// Of those of these objects whose constructors have run, the latest first.
  void destroy(const std::vector<int>& objects);

  /// An object that is off the list, and its image.
  struct ended {
    const model_object* object = nullptr;
    std::uint64_t base = 0;
  };
  /// The latest of all; no object: there is none.
  ended take_latest();
  /// Runs the destructors. Any thread.
  void destroy(const ended& last) const;

 private:
  void run(const ended& its, std::int64_t array, std::int64_t size, char** environment, bool is_backwards) const;
  [[nodiscard]] ended at(int object) const { return {&images_.object(object), images_.base_of(object)}; }

  const rank_images& images_;
  std::vector<int> order_;  // whose constructors have run or begun, the latest last
  int argument_count_ = 0;
  char** arguments_ = nullptr;
};

}  // namespace pure::core
