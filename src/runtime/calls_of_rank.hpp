// The calls of a rank: which threads make them, and that no two of them overlap (MPI_THREAD_SERIALIZED: one at a time,
// in an order that the program makes).
//
// A guest is a thread of the program that makes calls for a rank whose own thread is another one. From its first call
// until the rank has its end, or the thread, a guest has the rank as self(), as the rank's own thread has: so its calls
// cost no more. Where the two differ, is_guest() tells (current_rank.hpp): a guest may end (pthread_exit), and the rank
// goes on; it has no main that could return, and does not end the rank; its stack is another one.
//
// A call does not say when it begins, which would cost each of them something. One that waits says so at each look, and
// so finds another one that has waited, or begun an operation, meanwhile. By the threads that make calls of the rank.
#pragma once

#include <atomic>

#include "runtime/current_rank.hpp"

namespace pure::core {

class calls_of_rank {
 public:
  explicit calls_of_rank(rank_context& whose) noexcept : rank_(whose) {}
  calls_of_rank(const calls_of_rank&) = delete;
  calls_of_rank& operator=(const calls_of_rank&) = delete;

  // ---- which threads ----

  /// The calling thread, which is none of the runtime's, is a guest of the rank now. Throws std::bad_alloc.
  void add_guest();
  /// The rank has no guests any more. None of them is in a call.
  void dismiss_guests() noexcept;

  // ---- one at a time ----

  /// By who waits, or begins an operation: is in a call of this rank.
  void enter() noexcept { caller_.store(&current_rank, std::memory_order_relaxed); }  // relaxed: as in is_only_caller()
  /// Whether no other thread has entered since the calling one did: calls of two threads do not overlap.
  [[nodiscard]] bool is_only_caller() const noexcept {
    // relaxed: only programs in error have two callers, who may miss each other
    return caller_.load(std::memory_order_relaxed) == &current_rank;
  }

  /// A wait inside a call: between two of its looks nobody else may be in a call of the rank, for what calls change is
  /// one thread's.
  class wait {
   public:
    explicit wait(calls_of_rank& of) noexcept : calls_(of) {}

    /// Whether another thread has entered since the last look.
    [[nodiscard]] bool is_disturbed() const noexcept { return has_looked_ && !calls_.is_only_caller(); }
    void look() noexcept {
      has_looked_ = true;
      calls_.enter();
    }

   private:
    calls_of_rank& calls_;
    bool has_looked_ = false;
  };

 private:
  rank_context& rank_;
  std::atomic<const void*> caller_{nullptr};  // the latest: an address that each thread has one of
};

}  // namespace pure::core
