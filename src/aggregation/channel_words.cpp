#include "aggregation/channel_words.hpp"

#include <fmt/core.h>

#include <utility>

namespace pure::core {

channel_words& channel_words::all() {
  static auto* const words = new channel_words;
  return *words;
}

channel_words::entry& channel_words::take(unsigned ranks, holder who) {
  const std::lock_guard lock(guard_);
  entry* taken = nullptr;
  if (free_ > least_free) {
    taken = std::exchange(oldest_free_, oldest_free_->next_free);
    taken->tag -= one_tag;
    --free_;
  } else {
    taken = &all_.emplace_back();
  }
  taken->held_by = std::move(who);
  taken->word.store(taken->tag + ranks, std::memory_order_relaxed);
  return *taken;
}

void channel_words::give_back(entry& unused) noexcept {
  const std::lock_guard lock(guard_);
  unused.word.store(0, std::memory_order_relaxed);
  if (unused.tag == one_tag) return;  // there is no smaller one
  unused.next_free = nullptr;
  (free_ == 0 ? oldest_free_ : newest_free_->next_free) = &unused;
  newest_free_ = &unused;
  ++free_;
}

std::string channel_words::name_of(const detail::channel_word* word, std::uint64_t tag) const {
  const std::lock_guard lock(guard_);
  for (const entry& each : all_) {
    if (&each.word != word || each.tag != tag) continue;
    return fmt::format("channel {} of aggregation \"{}\"", each.held_by.channel, each.held_by.aggregation);
  }
  return "a channel of an aggregation";
}

}  // namespace pure::core
