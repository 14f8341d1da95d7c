// Items for other processes on their way into a packet of several destinations (schemes wps, wsp and pp, and routes
// over other processes), in runs. One thread, or under the owner's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "aggregation/packets.hpp"

namespace pure::core {

class packet_writer {
 public:
  /// `capacity`: of items, at most packet_items().
  packet_writer(packet_kind what, std::size_t item_bytes, std::size_t capacity)
      : what_(what), item_bytes_(item_bytes), capacity_(capacity) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// Another item, with a tag of its own, has no place.
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_ || room() < item_bytes_ + sizeof(item_run); }
  /// What it takes when it is full.
  [[nodiscard]] std::size_t whole_bytes() const noexcept {
    return std::min(item_buffer::most_bytes, capacity_ * (item_bytes_ + sizeof(item_run)));
  }

  /// As many of these items, which have that tag, as have a place. Returns how many: none if it is full. Throws
  /// std::bad_alloc, and has not added any then.
  std::size_t add(const std::byte* items, std::size_t count, const item_tag& tag) {
    const bool goes_on = !runs_.empty() && runs_.back().tag == tag;
    const std::size_t left = room(), head = goes_on ? 0 : sizeof(item_run);
    if (left < head + item_bytes_) return 0;
    const std::size_t added = std::min({count, capacity_ - size_, (left - head) / item_bytes_});
    if (added == 0) return 0;
    if (items_.size() < (size_ + added) * item_bytes_) grow(size_ + added);
    if (!goes_on) runs_.push_back({tag, 0});
    std::memcpy(&items_[size_ * item_bytes_], items, added * item_bytes_);
    runs_.back().count = static_cast<std::uint16_t>(runs_.back().count + added);
    size_ += added;
    return added;
  }

  /// All of them; then it is empty. `head`: with channel and phase. Throws std::bad_alloc, and still has all of them
  /// then.
  [[nodiscard]] std::vector<std::byte> take_packet(items_in_runs head) {
    head.kind = what_;
    head.runs = static_cast<std::uint32_t>(runs_.size());
    const std::span<const std::byte> items = std::span(items_).first(size_ * item_bytes_);
    std::vector<std::byte> packet = what_ == packet_kind::wsp ? grouped(head, items) : packet_bytes(head, runs_, items);
    size_ = 0;
    runs_.clear();
    return packet;
  }

 private:
  [[nodiscard]] std::size_t room() const noexcept {
    return item_buffer::most_bytes - size_ * item_bytes_ - runs_.size() * sizeof(item_run);
  }

  /// With the runs for each rank together, in their order.
  [[nodiscard]] std::vector<std::byte> grouped(const items_in_runs& head, std::span<const std::byte> items) const {
    std::vector<std::size_t> starts(runs_.size()), order(runs_.size());
    for (std::size_t i = 1; i < runs_.size(); ++i) starts[i] = starts[i - 1] + runs_[i - 1].count;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return runs_[a].tag.target < runs_[b].tag.target; });
    std::vector<item_run> sorted;
    for (const std::size_t at : order) sorted.push_back(runs_[at]);
    std::vector<std::byte> packet = packet_with_room(items.size(), head, sorted);
    std::byte* into = &packet[packet.size() - items.size()];
    for (const std::size_t at : order) {
      const std::size_t bytes = runs_[at].count * item_bytes_;
      std::memcpy(into, &items[starts[at] * item_bytes_], bytes);
      into += bytes;
    }
    return packet;
  }

  /// Memory is taken as it is used: most of a large job's ranks send to few processes at a time.
  void grow(std::size_t items) {
    items_.resize(std::clamp(2 * items, std::size_t{16}, std::max(capacity_, items)) * item_bytes_);
  }

  const packet_kind what_;
  const std::size_t item_bytes_;
  const std::size_t capacity_;
  std::size_t size_ = 0;  // of items
  std::vector<std::byte> items_;
  std::vector<item_run> runs_;
};

}  // namespace pure::core
