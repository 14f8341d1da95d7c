// What comes to a rank: buffers are taken from its inbox, handed to the handlers of their channels, and given back.
//
// What always holds: a buffer is handled once, in the phase in which it was sent; then its items count as handled, its
// sender gets the credit back, and this rank has its memory. Handlers run one at a time, never inside another one. Own
// thread of the rank only.
// Modelled by tests/model/aggregation_inbox.pml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <pure/detail/aggregation.hpp>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/arrival_queues.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/handler_scope.hpp"
#include "aggregation/item_channel.hpp"
#include "aggregation/rank_stage.hpp"
#include "aggregation/spare_buffers.hpp"

namespace pure::core {

/// By number, as the rank has made them.
using channel_list = std::vector<std::unique_ptr<item_channel>>;

class item_receiver {
 public:
  item_receiver(aggregation_part& part, int index, rank_stage& stage, const call_checks& checks,
                handler_state& handlers, spare_buffers& spare, arrival_queues& queues, const channel_list& channels);
  item_receiver(const item_receiver&) = delete;
  item_receiver& operator=(const item_receiver&) = delete;

  /// Takes what has come.
  void accept_arrivals() noexcept;
  /// As many buffers as had come at its begin, and no more than a batch: what handlers send meanwhile, and others, is
  /// for the next call. (Urgent ones that come meanwhile take the place of others.) True if there was anything. Not in
  /// a handler: false.
  bool handle_arrivals();

  /// Items.
  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_; }
  /// True if something was handled since the last call.
  [[nodiscard]] bool take_has_handled() noexcept { return std::exchange(has_handled_, false); }
  void add_to(aggregation_stats& stats) const noexcept;

 private:
  static constexpr std::size_t most_at_once = 64;  // buffers that a call handles before it looks at what it waits for

  void handle(item_buffer& arrived);
  void run_handler(item_buffer& arrived);
  void note_latency(const item_buffer& arrived) noexcept;
  [[noreturn]] void fail_in_handler(const item_buffer& arrived);

  aggregation_part& part_;
  item_inbox& inbox_;
  rank_counts& published_;
  rank_stage& stage_;
  const call_checks& checks_;
  handler_state& handlers_;
  spare_buffers& spare_;
  arrival_queues& queues_;
  const channel_list& channels_;
  std::uint64_t handled_ = 0;
  std::uint64_t received_ = 0;  // buffers
  bool has_handled_ = false;
  std::array<std::uint64_t, aggregation_stats::latency_steps> latency_{};
};

}  // namespace pure::core
