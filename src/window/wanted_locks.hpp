// Locks of ranks here that ranks of other processes want, and have not got: tried again at each poll. Meanwhile each of
// these ranks knows who holds the lock.
//
// By who has the network lock, and while no part ends (process_windows.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/other_processes.hpp"
#include "window/lock_note.hpp"
#include "window/rma_message.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class wanted_locks {
 public:
  explicit wanted_locks(other_processes& others) noexcept : others_(others) {}

  /// Answers when the lock is the origin's: now, or at some resume(). `call`: the origin's, as text.
  void lock(int from, window_group& of, const rma_message& wanted, std::string call);
  /// Answers.
  void unlock(int from, window_group& of, const rma_message& its);
  void resume();

  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

 private:
  struct waiting {
    window_group* of;
    window_lock::attempt tried;
    rma_message wanted;
    int from;
    std::string call;
    lock_note::seen told_holder;  // as the origin knows it
  };

  [[nodiscard]] bool has_locked(waiting& one);
  void tell_holder(waiting& one);

  other_processes& others_;
  std::vector<waiting> waiting_;
};

}  // namespace pure::core
