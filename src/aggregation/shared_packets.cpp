#include "aggregation/shared_packets.hpp"

#include <algorithm>

namespace pure::core {

shared_items& shared_packets::at(std::size_t channel, std::size_t item_bytes, int next) {
  const std::lock_guard lock(registering_);
  while (all_.size() <= channel) all_.emplace_back(static_cast<std::size_t>(layout_.processes()));
  std::unique_ptr<shared_items>& found = all_[channel][static_cast<std::size_t>(next)];
  if (found == nullptr) {
    const packet_kind what = layout_.routes().are_direct() ? packet_kind::pp : packet_kind::hop;
    const std::size_t buffer_bytes = layout_.options().buffer_bytes;
    const std::size_t most = packet_items(what, item_bytes);
    const std::size_t wanted = std::max<std::size_t>(buffer_bytes / item_bytes, 1);
    const std::size_t capacity = buffer_bytes == 0 ? most : std::min(most, wanted);
    found = std::make_unique<shared_items>(channel, what, item_bytes, capacity, filled_);
  }
  return *found;
}

shared_items* shared_packets::find(std::size_t channel, int next, bool& is_last) {
  const std::lock_guard lock(registering_);
  is_last = channel >= all_.size();
  return is_last ? nullptr : all_[channel][static_cast<std::size_t>(next)].get();
}

bool shared_packets::push(shared_items& of, int next, bool only_passed_on) {
  const bool has_any = of.push_rest(only_passed_on, [&](packet_writer& writer, const items_in_runs& head) {
    outgoing_.queue_from(writer, head, next, outgoing_packets::nobody, [] {});
  });
  if (has_any) outgoing_.serve(next);
  return has_any;
}

bool shared_packets::push(std::size_t channel, int next, bool only_passed_on) {
  bool is_last = false;
  shared_items* const found = find(channel, next, is_last);
  return found != nullptr && push(*found, next, only_passed_on);
}

std::uint64_t shared_packets::push(bool only_passed_on) {
  if (filled_.load(std::memory_order_relaxed) == 0) [[likely]]
    return 0;
  std::uint64_t packets = 0;
  for (std::size_t channel = 0;; ++channel) {
    for (int next = 0; next < layout_.processes(); ++next) {
      bool is_last = false;
      shared_items* const found = find(channel, next, is_last);
      if (is_last) return packets;
      if (found != nullptr && push(*found, next, only_passed_on)) ++packets;
    }
  }
}

}  // namespace pure::core
