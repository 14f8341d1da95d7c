// A window as one rank sees it: the memory of all its ranks, and the epochs in which this one may use it (MPI 4.1,
// chapter 12).
//
// Belongs to the rank, on whose thread everything here is called. Memory that this process can address is used
// directly, and every operation on it is complete when its call returns; other memory is reached by messages
// (remote_access.hpp).
//
// What each kind of synchronization makes visible to whom, and which atomic does it: docs/windows.md.
// Modelled by tests/model/notification.pml, stripe.pml.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "window/epochs.hpp"
#include "window/posted_epochs.hpp"
#include "window/remote_access.hpp"
#include "window/window_end.hpp"
#include "window/window_observer.hpp"

namespace pure::core {

class window : public window_end {
 public:
  /// Takes one of the references of `shared`. `requests`: of the process, where ranks are in several ones; or null.
  window(communicator& on, window_group& shared, bool needs_epochs, std::uint64_t handle, origin_requests* requests);
  ~window();

  /// Of a fence, or of start().
  [[nodiscard]] bool is_in_active_epoch() const noexcept {
    return epochs_.now() == epochs::access::fence || epochs_.now() == epochs::access::started;
  }
  /// Null: all memory of the window is addressable, and, between processes, nobody observes it.
  [[nodiscard]] remote_access* remote() const noexcept { return remote_.get(); }
  /// The epochs of post, start, complete and wait.
  [[nodiscard]] posted_epochs& posted() noexcept { return posted_; }
  /// Whether what brings something back has brought it when it returns: where the program ends no epochs.
  [[nodiscard]] bool waits_for_results() const noexcept { return !needs_epochs(); }

  /// Until what operations bring back is there; nothing for proc_null. Throws rma_range where one on the memory of that
  /// rank was refused.
  void wait_for_results(const call& by, int rank);
  /// The same for those on the memory of any rank: by calls that complete all, when they have done so.
  void throw_if_refused(const call& by);

  /// Null: nobody observes what this rank does.
  [[nodiscard]] window_observer* observer() const noexcept { return observer_.get(); }
  /// Makes that call to the observer, if there is one; gives back whether.
  template <class Call, class... Given>
  bool tell_observer(Call what, const Given&... given) const {
    if (observer_ == nullptr) [[likely]]
      return false;
    (observer_.get()->*what)(given...);
    return true;
  }

  /// An operation on the memory of that rank is about to be done. Throws rank, rma_sync. False: it is proc_null.
  [[nodiscard]] bool may_access(const call& by, int rank) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(size())) [[unlikely]]
      return refuse_rank(by, rank);
    if (!epochs_.allow(rank) && needs_epochs()) [[unlikely]]
      throw_outside_epoch(by, rank);
    return true;
  }
  /// The operation is done, and nothing was wrong with it: so the epoch is used.
  void note_access() noexcept { epochs_.note_use(); }

  // ---- active target (MPI 4.1, 12.5.1 and 12.5.2); groups are numbers of ranks in the job. Throw rma_sync, group ----

  /// Collective. All stores and operations of all ranks before it are seen by all ranks after it; nobody leaves before
  /// all have come. `opens`: an epoch begins.
  void fence(const call& by, bool opens = true);
  /// Collective, without a fence's epochs: no rank returns before all have called.
  void meet(const call& by);
  /// Exposes this rank's memory to the ranks of `origins`. Does not block.
  void post(const call& by, std::span<const int> numbers);
  /// Waits until the ranks of `targets` have exposed theirs to this one.
  void start(const call& by, std::span<const int> numbers);
  /// Ends the epoch of start(). Does not block.
  void complete(const call& by);
  /// Ends that of post(): waits until all its origins have completed theirs.
  void wait(const call& by);
  [[nodiscard]] bool test(const call& by);

  // ---- passive target (MPI 4.1, 12.5.3) ----

  void lock(const call& by, int rank, lock_kind kind);
  void unlock(const call& by, int rank);
  /// A shared lock at all ranks.
  void lock_all(const call& by);
  void unlock_all(const call& by);
  /// All operations on that rank's memory, or on all, are complete, here and there. Throws rma_sync.
  void flush(const call& by, int rank);
  void flush_all(const call& by);
  /// Orders this rank's loads and stores before it with those after it. A program may spin on it.
  void sync();

  // ---- notifications ----

  /// What this rank has stored or put before is seen by the one that is notified, when it has waited for it.
  void notify(const call& by, int rank, int counter);
  /// Waits until so many have come to this rank since they were last taken, and takes them.
  void wait_notified(const call& by, std::uint64_t count, int counter);
  [[nodiscard]] bool test_notified(const call& by, std::uint64_t count, int counter);

  // ---- memory of dynamic windows (MPI 4.1, 12.2.4) ----

  void attach(const call& by, void* from, std::size_t bytes);
  void detach(const call& by, const void* from);

  /// Throws rma_sync if an epoch is open that the program has to end before the window.
  void require_no_epoch(const call& by) const;

  /// A program may spin on calls that read what others write, order that with its own loads, or complete operations:
  /// now and then such a call lets other ranks of the core run, advances what is pending, and throws if the job has
  /// failed.
  void look_around_now_and_then() {
    if (++polls_ % 64 == 0) [[unlikely]]
      look_around();
  }

  /// For who finds the stripe locked: waits until it is not, and locks it.
  void wait_for(const call& by, stripe& wanted, int at_rank);
  /// Locks them, if it has to wait for them or not.
  void wait_for(const call& by, element_stripes& wanted, int at_rank);

 private:
  void require_no_access(const call& by) const;
  void order_accesses() const noexcept;
  void look_around();
  [[noreturn]] void throw_outside_epoch(const call& by, int rank) const;
  void lock_at(const call& by, int rank, lock_kind kind);
  void wait_for_lock(const call& by, int rank, window_lock::attempt& tried);
  void note_locked(const call& by, int rank, window_lock::outcome how, lock_kind kind);
  void unlock_at(int rank, lock_kind kind);
  void settle_locks(const call& by, int rank);
  void complete_remote(const call& by);
  void require_counter(const call& by, std::uint64_t count, int counter) const;

  epochs epochs_;
  std::array<std::uint64_t, target_control::notifications> taken_{};  // of the own notifications
  posted_epochs posted_{*this};
  unsigned polls_ = 0;
  std::unique_ptr<remote_access> remote_;
  std::unique_ptr<window_observer> observer_;
};

}  // namespace pure::core
