// An aggregation as one rank sees it: items that it sends wait in buffers until these are full or flushed; items that
// come are handed to handlers, in this rank's calls and waits (DESIGN D10; Chandrasekar and Kale, Shared Memory-Aware
// Latency-Sensitive Message Aggregation).
//
// Belongs to the rank, on whose thread everything here is called. Inside a process a buffer is handed over by pointer:
// one step of the receiver's inbox a buffer, one store to the line of the sender's count, one to that of the pair's
// credit, and nothing atomic for an item. What is promised to programs: docs/aggregation.md. How a phase ends:
// phase_counts.hpp.
//
// Handlers run one at a time, with self() null as in chunks of tasks, so that other calls of Pure are errors in them.
// What a handler sends never waits: it may go over the pair's credit and the memory cap, which is counted. Modelled by
// tests/model/termination.pml, aggregation_inbox.pml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <pure/detail/aggregation.hpp>
#include <pure/error.hpp>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/item_channel.hpp"
#include "aggregation/item_inbox.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/call.hpp"
#include "base/open_accounts.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class aggregation_table;
class long_finish;

class aggregation {
 public:
  /// What the rank does with it.
  ///   open -> finishing -> quiet -> finishing -> open;  any -> failed;  open, failed -> closed
  enum class stage : std::uint8_t { open, finishing, quiet, failed, closed };

  /// `index`: among the ranks of its process. Takes one of the references of `part`.
  aggregation(rank_context& owner, aggregation_part& part, int index, std::uint64_t handle = 0);
  aggregation(const aggregation&) = delete;
  aggregation& operator=(const aggregation&) = delete;
  ~aggregation();

  [[nodiscard]] rank_context& owner() const noexcept { return owner_; }
  [[nodiscard]] aggregation_part& part() const noexcept { return part_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return part_.layout().ranks(); }
  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }
  [[nodiscard]] const std::string& name() const noexcept { return *name_; }

  // ---- for programs. Throw state ----

  /// Throws argument (an item that is too large), mismatch (another rank has made another one in its place).
  item_channel& make_channel(const call& by, const detail::channel_request& wanted);
  void flush(const call& by);
  /// Throws rank.
  void flush(const call& by, int dest);
  /// Handles what has come, most_at_once buffers at most. False: nothing had, or a handler calls.
  bool progress(const call& by);
  /// Collective: returns when all items of all ranks are handled. `work`: null, or something to do for as long as it
  /// returns true, and again when an item has been handled.
  void finish(const call& by, bool (*work)(void* context), void* context);
  [[nodiscard]] aggregation_stats stats(const call& by) const;

  /// This rank uses it no longer. Text of the error: items that have not been finished; empty if there are none.
  [[nodiscard]] std::string close() noexcept;
  /// What has been counted here and has not come back: nothing, behind finish.
  void add_open_accounts(open_accounts& to);

  // ---- for the rank's waits ----

  /// What other ranks wait for, and what is due. Without memory for it the job ends.
  bool advance();
  /// The same, and what waits in open buffers: nobody would push it while the rank sleeps.
  bool before_sleep();
  /// The rank's main has returned.
  void end_main() noexcept;
  [[nodiscard]] stage now() const noexcept { return stage_; }

  // ---- for its channels ----

  /// Refuses other threads, chunks of tasks, and stages in which nothing is sent. Throws state.
  void require_sender(const call& by) const;
  [[nodiscard]] bool checks_sends() const noexcept { return checks_sends_; }
  [[nodiscard]] bool is_elsewhere(int dest) const noexcept { return !part_.layout().is_here(dest); }
  /// Whether items for other processes are put together by process.
  [[nodiscard]] bool groups() const noexcept;
  /// Behind the first item of a buffer: waits until another one has room under the memory cap, but for handlers.
  void has_opened(const call& by);
  /// An open buffer. Throws std::bad_alloc.
  [[nodiscard]] item_buffer& take_buffer(std::size_t item_bytes);
  void give_back(item_buffer& unused) noexcept;
  [[nodiscard]] std::int64_t time_of_opening() noexcept;
  void count_combined() noexcept { ++stats_.combined; }
  /// For push(): none if that rank is in this process. Throws std::bad_alloc.
  [[nodiscard]] packet_node packet_for(item_buffer& full, int dest, std::size_t item_bytes);
  /// Throws state.
  void push(const call& by, item_buffer& pushed, int dest, std::size_t capacity, packet_node packet);
  /// A packet of its own begins to wait, and one leaves. Throws std::bad_alloc: then it still waits.
  void note_opened(const packet_writer& packet) noexcept;
  void push_packet(packet_writer& packet, const item_channel& of, int next);
  /// Items that leave with those of other ranks here. Throws std::bad_alloc, and so many of them are `taken` then.
  void push_shared(const std::byte* items, std::size_t count, const item_tag& tag, const item_channel& of, int next,
                   std::size_t& taken);
  /// Until few packets for that process wait for the network, or for their receivers.
  void wait_for_network(const call& by, int next);
  /// Behind a push by a send: handles what has come, and waits until the receiver has read enough of what it got.
  void has_pushed(const call& by, int dest);

  [[noreturn]] void throw_wrong(const call& by, errc code, const std::string& text) const;

  /// Runs act(), which throws std::bad_alloc before it has changed anything: then throws no_memory.
  template <class Act>
  decltype(auto) or_refuse(const call& by, Act act) {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      throw_no_memory(by);
    }
  }

 private:
  /// What this rank has pushed to another one here, and what it knows to be handled.
  struct pair_state {
    std::uint64_t pushed_buffers = 0, handled_buffers = 0;
    std::uint64_t pushed_bytes = 0, handled_bytes = 0;
    [[nodiscard]] std::uint64_t under_way() const noexcept { return pushed_buffers - handled_buffers; }
  };
  class quiet_wait;

  static constexpr std::size_t most_channels = UINT16_MAX + 1;  // packets have two bytes for their number
  static constexpr std::uint64_t most_under_way = 4;            // buffers of a pair
  static constexpr std::size_t most_at_once = 64;  // buffers that a call handles before it looks at what it waits for

  [[nodiscard]] part_member& own() const noexcept { return part_.at(index_); }
  [[nodiscard]] rank_counts& counts() const noexcept { return part_.counts().of(static_cast<std::size_t>(index_)); }
  /// Of buffers and packets: open, or sent and not handled (between processes: not on their way yet).
  [[nodiscard]] std::size_t in_use() const noexcept {
    return in_use_bytes_ + part_.outgoing().waiting_bytes_of(index_).load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_room_for_another();
  void make_room_for_another(const call& by);
  void note_peak() noexcept;
  void require_owner(const call& by) const;
  void require_open(const call& by, const char* what) const;
  void require_rank(const call& by, int dest) const;
  [[nodiscard]] item_channel& add_channel(const call& by, const detail::channel_request& wanted,
                                          owned_context& context);
  [[nodiscard]] bool is_in_handler() const noexcept;

  bool push_all(const call& by);
  bool push_due(const call& by);
  void count_sent(std::size_t items, std::size_t capacity);
  void require_present(const call& by, item_buffer& pushed, int dest);
  void make_room(const call& by, int dest);
  void look_at_credit(int index) noexcept;
  void look_at_all_credit() noexcept;

  [[noreturn]] void throw_no_memory(const call& by) const;
  [[noreturn]] void end_without_memory(const call& by);
  /// Runs act(), of whose failure nobody can be told, for what it has begun has to go on: without memory the job ends.
  template <class Act>
  decltype(auto) or_end_job(const call& by, Act act) {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      end_without_memory(by);
    }
  }

  bool move_on(const call& by);
  void accept_arrivals() noexcept;
  void accept(item_buffer& arrived) noexcept;
  [[nodiscard]] item_buffer* next_to_handle() noexcept;
  bool handle_arrivals();
  void handle(item_buffer& arrived);
  [[noreturn]] void fail_in_handler(const item_buffer& arrived);
  void note_latency(const item_buffer& arrived) noexcept;
  void run_handler(item_buffer& arrived);

  void enter_finish(const call& by);
  void require_all_channels(const call& by) const;
  [[nodiscard]] bool has_early_of_phase() const noexcept;
  void require_nobody_gone(const call& by) const;
  void leave_finish() noexcept;
  void look_for_long_finish(long_finish& lasts);

  rank_context& owner_;
  aggregation_part& part_;
  aggregation_table& table_;
  const int index_;
  const int rank_;
  const std::uint64_t handle_;
  const bool checks_sends_;
  const bool keeps_time_;
  const shared_name name_;
  stage stage_ = stage::open;
  std::uint64_t phase_ = 1;

  spare_buffers spare_;
  std::vector<std::unique_ptr<item_channel>> channels_;
  std::vector<pair_state> pairs_;  // by index of the receiver
  std::size_t in_use_bytes_ = 0;   // open, or pushed and not handled
  std::size_t open_buffers_ = 0;
  std::size_t open_groups_ = 0;      // the same for items to other processes
  std::int64_t oldest_open_ns_ = 0;  // no open buffer is older; 0: none, or nobody keeps the time
  int skipped_at_cap_ = 0;

  buffer_queue arrived_;  // in the order of their handling
  buffer_queue urgent_;
  buffer_queue early_;             // of channels that this rank has not made yet
  std::size_t arrived_count_ = 0;  // in the first two

  std::uint64_t sent_ = 0;
  std::uint64_t handled_ = 0;
  std::uint64_t sent_at_finish_ = 0;  // what the last finish has made sure of
  bool has_handled_ = false;          // since finish has called its work
  std::size_t first_active_ = 0;      // for phase_counts::look()
  aggregation_stats stats_;
  bool is_reported_ = false;
};

}  // namespace pure::core
