// The end of a phase, as one rank waits for it: it does all that it can, is quiet, and looks whether all are, until one
// of them finds the end (part_phases.hpp), or it has got something to handle.
//
// What always holds: a rank says that it is quiet only when it has nothing to handle, its work says that it has none,
// and nothing of it waits in a buffer. Behind run() it has made sure of all items that it had sent. Own thread of the
// rank only. Modelled by tests/model/termination.pml.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/arrival_queues.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/item_progress.hpp"
#include "aggregation/item_receiver.hpp"
#include "aggregation/item_sender.hpp"
#include "aggregation/long_finish.hpp"
#include "aggregation/rank_stage.hpp"
#include "base/call.hpp"

namespace pure::core {

class phase_finish {
 public:
  phase_finish(aggregation_part& part, int index, rank_stage& stage, const call_checks& checks,
               const item_sender& sender, item_receiver& receiver, const arrival_queues& queues,
               item_progress& progress, const channel_list& channels) noexcept;

  /// Collective. `work`: null, or something to do for as long as it returns true, and again when an item has been
  /// handled. Throws state, mismatch, and what `work` throws.
  void run(const call& by, bool (*work)(void* context), void* context);
  /// Items of this rank that may not be handled.
  [[nodiscard]] std::uint64_t unsure() const noexcept { return sender_.sent() - sure_of_; }

 private:
  class quiet_wait;

  void enter(const call& by);
  void require_all_channels(const call& by) const;
  void require_nobody_gone(const call& by) const;
  void look_for_long_finish(long_finish& lasts);
  void do_all(const call& by, bool (*work)(void* context), void* context, bool may_have_work, long_finish& lasts);

  aggregation_part& part_;
  rank_counts& published_;
  rank_stage& stage_;
  const call_checks& checks_;
  const item_sender& sender_;
  item_receiver& receiver_;
  const arrival_queues& queues_;
  item_progress& progress_;
  const channel_list& channels_;
  std::uint64_t sure_of_ = 0;     // items sent, by the last run()
  std::size_t first_active_ = 0;  // for phase_counts::look()
};

}  // namespace pure::core
