// The MPI, for the program's own calls (pure_mpi_lock): one rank of a process makes them, and meanwhile no other thread
// of the process is inside the MPI, none of Pure's either (MPI_THREAD_SERIALIZED; DESIGN D5).
//
// holder_ is null, or the rank that has it. A rank sets it from null to itself, and from itself to null; so only the
// holder ever finds itself there. Who has it also has the network lock, if there is a network, from after it is the
// holder until before it is none: nothing moves between this process and others, and no wait for one of these can end.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/call.hpp"
#include "runtime/rank.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class mpi_lock {
 public:
  explicit mpi_lock(job& of) noexcept : job_(of) {}

  [[nodiscard]] bool is_held_by(const rank_context& who) const noexcept {
    return holder_.load(std::memory_order_relaxed) == &who;  // relaxed: only `who` itself makes it true, or false
  }
  /// Where its holder has taken it: "pure_mpi_lock at a.cpp:12". By the holder.
  [[nodiscard]] std::string where_taken() const;

  /// Blocks until no other rank has it, and nobody is inside the network. Throws state (`by` has it already),
  /// job_ended.
  void take(rank_context& by, const call& at);
  /// By its holder.
  void give_back() noexcept;

  /// Ends the job if `by` has it and waits for a rank, which may be in another process: that would last for ever.
  void check_wait(rank_context& by, const wait_reason& why);
  /// Ends the job if `by`, whose main has returned, has it.
  void check_returned(const rank_context& by);

 private:
  job& job_;
  std::atomic<rank_context*> holder_{nullptr};
  std::optional<call> taken_at_;  // the holder's
};

}  // namespace pure::core
