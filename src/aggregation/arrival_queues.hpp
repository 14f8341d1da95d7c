// Buffers that have come to a rank, and are not handled: in which order they will be.
//
// What always holds: a buffer is in one of three queues, in the order in which it came. Urgent ones are before all
// others. Those of channels that the rank has not made yet wait by themselves, and go to the end of the others, in
// their order, when it makes one. Those of the next phase wait until it is the present one, and behind them whatever
// came later. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "aggregation/item_inbox.hpp"
#include "aggregation/spare_buffers.hpp"

namespace pure::core {

class arrival_queues {
 public:
  arrival_queues() = default;
  arrival_queues(const arrival_queues&) = delete;
  arrival_queues& operator=(const arrival_queues&) = delete;
  ~arrival_queues() {
    for (buffer_queue* const each : {&arrived_, &urgent_, &early_}) delete_buffers(each->release());
  }

  void accept(item_buffer& arrived) noexcept {
    if (arrived.channel >= channels_) [[unlikely]]
      return early_.push(arrived);
    (arrived.is_urgent ? urgent_ : arrived_).push(arrived);
    ++count_;
  }
  /// The rank has made another channel.
  void note_channel() noexcept {
    ++channels_;
    buffer_queue early = std::exchange(early_, {});
    while (!early.empty()) accept(early.pop());
  }

  /// Null if there is none of that phase. (Ranks that have left finish send items of the next one to those who are
  /// still in it: tests/model/termination.pml, MUTATE_NO_HOLD.)
  [[nodiscard]] item_buffer* next_to_handle(std::uint64_t phase) noexcept {
    for (buffer_queue* const each : {&urgent_, &arrived_}) {
      if (each->empty() || each->front()->phase > phase) continue;
      --count_;
      return &each->pop();
    }
    return nullptr;
  }
  /// Whether next_to_handle() has one.
  [[nodiscard]] bool has_some_of(std::uint64_t phase) const noexcept {
    for (const buffer_queue* const each : {&urgent_, &arrived_}) {
      if (!each->empty() && each->front()->phase <= phase) return true;
    }
    return false;
  }
  /// Of a channel that the rank has not made. (Ranks that have left finish may make one, and send items of the next
  /// phase to those that do not know yet that it has begun.)
  [[nodiscard]] bool has_early_of(std::uint64_t phase) const noexcept {
    for (const item_buffer* each = early_.front(); each != nullptr; each = each->next) {
      if (each->phase <= phase) return true;
    }
    return false;
  }

  /// Of channels that the rank has made.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return arrived_.empty() && urgent_.empty() && early_.empty(); }

 private:
  std::size_t channels_ = 0;  // that the rank has made
  buffer_queue arrived_;
  buffer_queue urgent_;
  buffer_queue early_;     // of other channels
  std::size_t count_ = 0;  // in the first two
};

}  // namespace pure::core
