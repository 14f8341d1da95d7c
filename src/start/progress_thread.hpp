// PURE_ASYNC_PROGRESS: a thread that moves the messages between processes on while the ranks of this one compute.
//
// Ranks that wait do that themselves, and so do helpers that look for work, and the watch while somebody sleeps: this
// thread is for the time when none of them is there. So it never waits for the network lock, and gives up the core
// between two looks, for longer when there is no traffic (D-no-network-thread).
#pragma once

#include <atomic>
#include <thread>

#include "runtime/other_processes.hpp"

namespace pure::core {

class progress_thread {
 public:
  /// `others` has been attached to its job, and outlives the thread. Throws pure::Error if there can be no thread.
  explicit progress_thread(other_processes& others);
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;
  /// Waits for the thread's end.
  ~progress_thread();

 private:
  void run() noexcept;

  other_processes& others_;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace pure::core
