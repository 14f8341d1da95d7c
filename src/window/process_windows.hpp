// The windows of this process whose ranks are in several ones, and what other processes do to their memory here: the
// handler of active messages for windows.
//
// A window is known from its making on until no process uses it any more: whoever gives up its last use here tells the
// others (leave), and it lasts as long as some of them may still send operations.
//
// Operations are done at once, in the order in which each process has sent them, under the stripes that also the ranks
// here use. A lock that somebody holds is tried again at each poll.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/open_accounts.hpp"
#include "runtime/job.hpp"
#include "runtime/other_processes.hpp"
#include "window/remote_access.hpp"
#include "window/rma_message.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class process_windows final : public active_message_handler {
 public:
  /// `of`: of several processes; outlives it.
  explicit process_windows(job& of);
  /// Also of what ranks have not freed.
  ~process_windows() override;

  // ---- any rank ----

  /// From now on operations come.
  void add(window_group& made);
  /// It was not made after all: no other process knows it.
  void drop(window_group& unused);
  /// No rank here uses it any more.
  void leave(window_group& unused) noexcept;
  /// window_group::target::end(), while no operation is going on.
  void end_part(window_group& of, int rank, part_end why) noexcept;
  /// Ranks in other processes may sleep until memory that they map has changed.
  void wake_elsewhere(const window_group& of) noexcept;

  /// What that rank of the window, which is here, is told of refused operations by; null: by nothing.
  void add_origin(window_group& of, int rank, remote_access* origin) noexcept;
  /// Its number; not 0.
  [[nodiscard]] std::uint64_t open_request(remote_access::open_answer to);
  void forget_requests_of(const remote_access& ended) noexcept;

  /// When the job has ended: windows that some process has not left, requests without an answer, locks that are still
  /// wanted.
  void add_open_accounts(open_accounts& to);

  // ---- by who has the network lock ----

  bool handle(int from, std::span<const std::byte> bytes) noexcept override;
  bool resume() noexcept override;

 private:
  struct waiting_lock {
    window_group* of;
    window_lock::attempt tried;
    rma_message wanted;
    int from;
    std::string call;             // as text
    lock_note::seen told_holder;  // as the origin knows it
  };

  [[nodiscard]] window_group* find(window_key key) noexcept;
  void answer_arrived(const arrived_rma_message& message) noexcept;
  void do_operation(int from, window_group& of, const arrived_rma_message& message);
  [[nodiscard]] bool are_there(window_group::target& its, const arrived_rma_message& message,
                               bool is_dynamic) const noexcept;
  void refuse(int from, const rma_message& header, const block_row& first, part_end why);
  void try_lock(waiting_lock wanted);
  [[nodiscard]] bool has_locked(waiting_lock& wanted);
  void tell_holder(waiting_lock& wanted);
  void unlock(int from, window_group& of, const rma_message& header);
  void answer(int from, const rma_message& to, std::span<const std::byte> data = {});
  void combine(int from, window_group& of, window_group::target& its, const arrived_rma_message& message,
               std::byte* before);
  void damaged(int from) noexcept;

  job& job_;
  std::mutex guard_;  // of the two tables, and of what they point to while an operation is done
  std::unordered_map<std::uint64_t, window_group*> windows_;  // by key
  std::unordered_map<std::uint64_t, remote_access::open_answer> requests_;
  std::uint64_t last_request_ = 0;

  std::vector<waiting_lock> waiting_;  // by who has the network lock
};

}  // namespace pure::core
