// Where a thread may run: sets of cpus as the system takes them, and the binding of a thread that has been there
// before.
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

}  // namespace pure::core
