// The windows of this process whose ranks are in several ones, and what other processes do to their memory here: the
// handler of active messages for windows.
//
// A window is known from its making on until no process uses it any more: whoever gives up its last use here tells the
// others (leave), and it lasts as long as some of them may still send operations.
//
// Operations are done in the order in which each process has sent them, under the stripes that also the ranks here use:
// at once, unless somebody holds such a stripe (operations_in_turn.hpp). Locks: wanted_locks.hpp.
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
#include "window/arriving_answers.hpp"
#include "window/operations_in_turn.hpp"
#include "window/part_operations.hpp"
#include "window/remote_access.hpp"
#include "window/rma_wire.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class process_windows final : public active_message_handler, public windows_of_process, public origin_requests {
 public:
  /// `of`: of several processes; outlives it.
  explicit process_windows(job& of);
  /// Also of what ranks have not freed.
  ~process_windows() override;

  // ---- any rank ----

  /// From now on operations come.
  void add(window_group& made) override;
  /// The window was not made after all: no other process knows it.
  void drop(window_group& unused) override;
  /// No rank here uses it any more.
  void leave(window_group& unused) noexcept override;
  /// window_group::target::end(), while no operation is going on; returns when no payload moves there.
  void end_part(window_group& of, int rank, part_end why) noexcept override;
  /// Ranks in other processes may sleep until memory that they map has changed.
  void wake_elsewhere(const window_group& of) noexcept override;

  // origin_requests
  void add_origin(window_group& of, int rank, remote_access* origin) noexcept override;
  [[nodiscard]] std::uint64_t open_request(open_answer to) override;
  void forget_requests_of(const remote_access& ended) noexcept override;

  [[nodiscard]] box_pools& boxes() noexcept { return boxes_; }

  /// When the job has ended: windows that some process has not left, requests without an answer, locks that are still
  /// wanted, operations that have not been done.
  void add_open_accounts(open_accounts& to);

  // ---- by who has the network lock ----

  bool handle(int from, std::span<const std::byte> bytes) noexcept override;
  bool resume() noexcept override;

 private:
  using step = part_operations::step;

  [[nodiscard]] bool is_anything_left() noexcept { return !operations_.locks().empty() || !in_turn_.empty(); }
  [[nodiscard]] window_group* find(window_key key) noexcept;
  // What has come: each is what its kind is read as. False, or senseless: no peer of this version sends it.
  template <class Message>
  [[nodiscard]] bool take(int from, const arrived_rma<Message>& message, std::span<const std::byte> bytes);
  [[nodiscard]] bool hear(int from, const arrived_rma<rma_answer>& message);
  [[nodiscard]] bool hear(int from, const arrived_rma<rma_large_answer>& message);
  [[nodiscard]] bool hear(int from, const arrived_rma<rma_refused>& message);
  [[nodiscard]] bool hear(int from, const arrived_rma<rma_held>& message);
  [[nodiscard]] bool hear(int from, const arrived_rma<rma_wake>& message);
  [[nodiscard]] step take_turn(int from, const arrived_rma<rma_leave>& message, partly_done&);
  template <class Message>
  [[nodiscard]] step take_turn(int from, const arrived_rma<Message>& message, partly_done& so_far);
  [[nodiscard]] remote_access* origin_of(window_key window, const rma_ranks& ranks) noexcept;
  void answer_request(rma_request request, std::span<const std::byte> data);
  void delete_ended() noexcept;
  void damaged(int from) noexcept;
  void lacks_memory(int from) noexcept;

  job& job_;
  box_pools boxes_;
  std::mutex guard_;  // of the two tables, and of what they point to while an
                      // operation is done
  struct known_window {
    window_group* group = nullptr;
    std::vector<remote_access*> origins;  // by rank
  };
  std::unordered_map<std::uint64_t, known_window> windows_;  // by key
  std::unordered_map<std::uint64_t, open_answer> requests_;
  std::uint64_t last_request_ = 0;

  // --- by who has the network lock ---
  part_operations operations_{*job_.others()};
  operations_in_turn in_turn_;
  arriving_answers arriving_;
  std::vector<window_group*> ended_;  // to be deleted without the lock of the tables
};

}  // namespace pure::core
