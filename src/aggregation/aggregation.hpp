// An aggregation as one rank sees it: items that it sends wait in buffers until these are full or flushed; items that
// come are handed to handlers, in this rank's calls and waits (DESIGN D10; Chandrasekar and Kale, Shared Memory-Aware
// Latency-Sensitive Message Aggregation).
//
// Belongs to the rank, on whose thread everything here is called. Inside a process a buffer is handed over by pointer:
// one step of the receiver's inbox a buffer, one store to the line of the sender's count, one to that of the pair's
// credit, and nothing atomic for an item. What is promised to programs: docs/aggregation.md. How a phase ends:
// phase_counts.hpp.
//
// The state is that of its parts, in the order in which they use each other: which calls are allowed when
// (call_checks.hpp), what has come (arrival_queues.hpp), what leaves (item_sender.hpp, with the accounts of memory and
// credit), the ends of channels (item_channel.hpp), what is handled (item_receiver.hpp), what moves all of that
// (item_progress.hpp), and the end of a phase (finish.hpp). What handlers send never waits: it may go over the pair's
// credit and the memory cap, which is counted.
#pragma once

#include <cstdint>
#include <string>

#include <pure/detail/aggregation.hpp>
#include <pure/error.hpp>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/arrival_queues.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/finish.hpp"
#include "aggregation/handler_scope.hpp"
#include "aggregation/item_channel.hpp"
#include "aggregation/item_progress.hpp"
#include "aggregation/item_receiver.hpp"
#include "aggregation/item_sender.hpp"
#include "aggregation/rank_stage.hpp"
#include "aggregation/spare_buffers.hpp"
#include "base/call.hpp"
#include "base/open_accounts.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class aggregation {
 public:
  using stage = rank_stage::stage;

  /// `index`: among the ranks of its process. Takes one of the references of `part`. `handlers`: of the rank;
  /// `left_open` gets what is not back when it ends. Both outlive it.
  aggregation(rank_context& owner, aggregation_part& part, int index, handler_state& handlers, open_accounts& left_open,
              std::uint64_t handle = 0);
  aggregation(const aggregation&) = delete;
  aggregation& operator=(const aggregation&) = delete;
  ~aggregation();

  [[nodiscard]] rank_context& owner() const noexcept { return checks_.owner(); }
  [[nodiscard]] aggregation_part& part() const noexcept { return part_; }
  [[nodiscard]] int rank() const noexcept { return checks_.rank(); }
  [[nodiscard]] int size() const noexcept { return part_.layout().ranks(); }
  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }
  [[nodiscard]] const std::string& name() const noexcept { return *checks_.name(); }
  [[nodiscard]] stage now() const noexcept { return stage_.now(); }

  // ---- for programs. Throw state ----

  /// Throws argument (an item that is too large), mismatch (another rank has made another one in its place).
  item_channel& make_channel(const call& by, const detail::channel_request& wanted);
  void flush(const call& by);
  /// Throws rank.
  void flush(const call& by, int dest);
  /// Handles what has come, a batch of buffers at most. False: nothing had, or a handler calls.
  bool progress(const call& by);
  /// Collective: returns when all items of all ranks are handled. `work`: null, or something to do for as long as it
  /// returns true, and again when an item has been handled.
  void finish(const call& by, bool (*work)(void* context), void* context) { finish_.run(by, work, context); }
  [[nodiscard]] aggregation_stats stats(const call& by) const;

  /// This rank uses it no longer. Text of the error: items that have not been finished; empty if there are none.
  [[nodiscard]] std::string close() noexcept;
  /// What has been counted here and has not come back: nothing, behind finish.
  void add_open_accounts(open_accounts& to);
  [[noreturn]] void throw_wrong(const call& by, errc code, const std::string& text) const {
    checks_.throw_wrong(by, code, text);
  }

  // ---- for the rank's waits ----

  /// What other ranks wait for, and what is due. Without memory for it the job ends.
  bool advance() { return progress_.advance(); }
  /// The same, and what waits in open buffers: nobody would push it while the rank sleeps.
  bool before_sleep() { return progress_.before_sleep(); }
  /// The rank's main has returned.
  void end_main() noexcept;

 private:
  static constexpr std::size_t most_channels = UINT16_MAX + 1;  // packets have two bytes for their number

  [[nodiscard]] item_channel& add_channel(const call& by, const detail::channel_request& wanted,
                                          owned_context& context);
  [[nodiscard]] aggregation_stats all_stats() const noexcept;

  aggregation_part& part_;
  const int index_;
  const std::uint64_t handle_;
  open_accounts& left_open_;
  const bool checks_sends_;
  rank_stage stage_;
  const call_checks checks_;
  spare_buffers spare_;
  arrival_queues arrivals_;
  item_sender sender_;
  channel_list channels_;
  item_receiver receiver_;
  item_progress progress_;
  phase_finish finish_;
  bool is_reported_ = false;
};

}  // namespace pure::core
