// Where a thread may run: sets of cpus as the system takes them, the binding of a thread that has been there before,
// and what the threads get that a rank makes.
//
// The kernel gives a new thread the cpus of the one that makes it. A rank's own thread is bound to one cpu of the
// rank's share, and threads of the program (OpenMP's, std::thread, a BLAS's) may run on all of it: so the rank's own
// thread may run on the whole share while it makes one (api/mpi/threads_of_ranks.cpp stands in front of
// pthread_create).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pure::core {

/// For pthread_setaffinity_np and its kin. Any thread.
class cpu_mask {
 public:
  explicit cpu_mask(std::span<const int> cpus);
  /// What the calling thread may use; empty where the system does not tell.
  static cpu_mask of_this_thread();

  /// Binds the calling thread. Where there are no cpus, or the system refuses, nothing changes.
  void bind_this_thread() const noexcept;
  /// Whether the calling thread may run on just these. Takes no memory.
  [[nodiscard]] bool is_of_this_thread() const noexcept;

  [[nodiscard]] std::size_t bytes() const noexcept { return words_.size() * sizeof(unsigned long); }
  [[nodiscard]] const void* data() const noexcept { return words_.data(); }

 private:
  std::vector<unsigned long> words_;
};

/// The calling thread is bound as long as this lives, which begins and ends in it; then it may run where it might
/// before. Threads that it makes meanwhile are bound likewise. Where the system refuses, nothing is bound.
class thread_binding {
 public:
  explicit thread_binding(std::span<const int> cpus);
  thread_binding(const thread_binding&) = delete;
  thread_binding& operator=(const thread_binding&) = delete;
  ~thread_binding();

 private:
  const cpu_mask before_;
};

/// Whether Pure sees the threads that a program makes: its pthread_create is in front of libc's. It is not where an
/// interpreter, say, has loaded Pure. Any thread.
bool are_new_threads_seen() noexcept;

/// The calling thread is a rank's own as long as this lives, which begins and ends in it; `own` and `share` are those
/// of its place (machine/mapping.hpp). A child of fork() may run on the whole share.
class share_of_rank {
 public:
  share_of_rank(std::span<const int> own, std::span<const int> share);
  share_of_rank(const share_of_rank&) = delete;
  share_of_rank& operator=(const share_of_rank&) = delete;
  ~share_of_rank();

  /// For the calling thread, if that is a rank's own: it may run on the whole share, or is bound to its own cpu
  /// again. Nothing changes, which is false, where it is so already, or the program has bound it otherwise. Takes no
  /// memory.
  static bool use_whole() noexcept;
  static bool use_own() noexcept;

 private:
  const cpu_mask own_, share_;
};

/// The calling thread may run on the whole share as long as this lives, as share_of_rank::use_whole() says.
class whole_share {
 public:
  whole_share() noexcept : is_first_(share_of_rank::use_whole()) {}
  whole_share(const whole_share&) = delete;
  whole_share& operator=(const whole_share&) = delete;
  ~whole_share() {
    if (is_first_) share_of_rank::use_own();
  }

 private:
  const bool is_first_;
};

}  // namespace pure::core
