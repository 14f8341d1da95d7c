// The processor time of a rank: of the threads that belong to it, as long as they do.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <cstdint>
#include <forward_list>
#include <mutex>

namespace pure::core {

struct used_time {
  std::int64_t total_ns = 0;
  timeval user{};  // with `system`, the same in microseconds
  timeval system{};
};

class processor_time {
 public:
  /// The calling thread belongs to the rank from now on, until leave() or its end.
  void join() noexcept;
  void leave() noexcept;

  /// A thread is being made that will join: it belongs to the rank already for has_other_threads(), before the kernel
  /// has let it run. Each call has its has_come(), by that thread when it has joined, or by the caller if there is
  /// none.
  void expect_one() noexcept;
  void has_come() noexcept;

  /// Whether threads belong to the rank besides the calling one.
  [[nodiscard]] bool has_other_threads() noexcept;

  /// Until now. Of threads other than the calling one the kernel tells the total: it counts as the user's.
  [[nodiscard]] used_time used() noexcept;

 private:
  struct member {
    pthread_t thread;
    clockid_t clock;
    used_time before;  // when it joined
  };

  std::mutex lock_;
  std::forward_list<member> members_;
  int expected_ = 0;
  used_time of_gone_;
};

}  // namespace pure::core
