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
#include "window/rma_wire.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class wanted_locks {
 public:
  explicit wanted_locks(other_processes& others) noexcept : others_(others) {}

  /// Answers when the lock is the origin's: now, or at some resume().
  void lock(int from, window_group& of, const arrived_rma<rma_lock>& wanted);
  void resume();

  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

 private:
  struct waiting {
    int from;
    window_group* of;
    window_key window;
    rma_lock wanted;
    std::string call;
    window_lock::attempt tried;
    lock_note::seen told_holder;  // as the origin knows it
  };

  [[nodiscard]] bool try_lock_for(waiting& one);
  void tell_holder(waiting& one);

  other_processes& others_;
  std::vector<waiting> waiting_;
};

}  // namespace pure::core
