// The constructors and destructors of a rank's objects (DT_PREINIT_ARRAY, DT_INIT, DT_INIT_ARRAY; DT_FINI_ARRAY,
// DT_FINI): which have run, and in which order.
//
// One thread of the rank at a time: first its own, then whoever holds the lock of open_libraries; at the end of the
// program the one that ends it. Constructors and destructors may come back here: each object is on the list before its
// constructors run, and off it before its destructors do.
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
  void is_constructed_by_others(int object) { order_.push_back(object); }

  /// Of those of these objects whose constructors have run, the latest first.
  void destroy(const std::vector<int>& objects);
  /// One by one: a destructor may end the program as well, and then the others follow.
  void destroy_all();

 private:
  void run(int object, std::int64_t array, std::int64_t size, char** environment, bool is_backwards) const;
  void destroy(int object) const;

  const rank_images& images_;
  std::vector<int> order_;  // whose constructors have run or begun, the latest last
  int argument_count_ = 0;
  char** arguments_ = nullptr;
};

}  // namespace pure::core
