#include "runtime/mpi_lock.hpp"

#include <fmt/core.h>

#include "runtime/call_error.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

std::string mpi_lock::where_taken() const {
  const std::string site = to_text(taken_at_->site);
  return site.empty() ? taken_at_->operation : fmt::format("{} at {}", taken_at_->operation, site);
}

void mpi_lock::take(rank_context& by, const call& at) {
  if (is_held_by(by)) throw_wrong_call(at, errc::state, fmt::format("it has the MPI already ({})", where_taken()));
  static constexpr wait_kind calls_of{"the end of the MPI calls of",
                                      "Look for a pure_mpi_lock that no pure_mpi_unlock follows."};
  wait_reason why{at, calls_of, wait_reason::nobody, wait_reason::no_tag, true};
  wait_until(by, why, [&] {
    rank_context* holder = nullptr;
    // acquire: what the holder before has done; pairs with the release in give_back()
    if (holder_.compare_exchange_strong(holder, &by, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    why.peer = holder->number();
    return holder == &by;  // asked once more
  });
  taken_at_ = at;
  if (job_.others() == nullptr) return;
  // Short, and nobody would notify: whoever is inside the network does not wait there.
  while (!job_.others()->try_keep_network()) progress_once(by);
}

void mpi_lock::give_back() noexcept {
  if (job_.others() != nullptr) job_.others()->let_network_go();
  holder_.store(nullptr, std::memory_order_release);  // release: what was done with it; pairs with take()
  for (int i = 0; i < job_.ranks_here(); ++i) job_.worker(i).notify();
}

void mpi_lock::check_wait(rank_context& by, const wait_reason& why) {
  if (why.peer == wait_reason::nobody || !is_held_by(by)) return;
  job_.fail(fmt::format("{}\n  while it has the MPI to itself ({}), and so nothing comes from other processes: call "
                        "pure_mpi_unlock before",
                        describe(by.number(), why), where_taken()),
            1);
  job_.leave(by);
}

void mpi_lock::check_returned(const rank_context& by) {
  if (!is_held_by(by)) return;
  job_.fail(
      fmt::format("rank {}: its main has returned while it has the MPI to itself ({}): call pure_mpi_unlock before",
                  by.number(), where_taken()),
      1);
}

}  // namespace pure::core
