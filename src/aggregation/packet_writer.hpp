// Items for other processes on their way into a packet of several destinations (schemes wps, wsp and pp, and routes
// over other processes): with what the packet says of each. One thread, or under the owner's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aggregation/item_transport.hpp"
#include "aggregation/packet_tags.hpp"

namespace pure::core {

class packet_writer {
 public:
  /// `capacity`: of items. `targets`: how many ranks the other process has.
  packet_writer(packet_head::kind what, std::size_t item_bytes, std::size_t capacity, std::size_t targets)
      : what_(what), item_bytes_(item_bytes), capacity_(capacity), targets_(targets) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// Of one that is empty: it may have another capacity from now on.
  void set_capacity(std::size_t items) noexcept { capacity_ = items; }
  /// What it takes when it is full.
  [[nodiscard]] std::size_t whole_bytes() const noexcept { return capacity_ * (item_bytes_ + sizeof(item_tag)); }

  /// It is not full. Throws std::bad_alloc, and has not added it then.
  void add(const std::byte* item, const item_tag& tag) {
    if (size_ == tags_.size()) [[unlikely]]
      grow();
    std::memcpy(&items_[size_ * item_bytes_], item, item_bytes_);
    tags_[size_++] = tag;
  }
  /// As many of the other's items as fit here, from `first` on. Returns how many.
  std::size_t take_from(const packet_writer& other, std::size_t first) {
    const std::size_t count = std::min(capacity_ - size_, other.size_ - first);
    for (std::size_t i = first; i < first + count; ++i) add(&other.items_[i * item_bytes_], other.tags_[i]);
    return count;
  }
  void clear() noexcept { size_ = 0; }

  /// All of them; then it is empty. `head`: with channel, phase and source.
  [[nodiscard]] std::vector<std::byte> take_packet(packet_head head) {
    using kind = packet_head::kind;
    head.what = what_;
    head.count = static_cast<std::uint16_t>(size_);
    std::vector<std::byte> packet(sizeof head);
    packet.reserve(sizeof head + size_ * (item_bytes_ + sizeof(item_tag)));
    std::memcpy(packet.data(), &head, sizeof head);
    if (what_ == kind::wsp) {
      add_grouped(packet);
    } else {
      add_numbers(packet, &item_tag::target);
      if (what_ != kind::wps) add_numbers(packet, &item_tag::source);
      if (what_ == kind::hop) add_numbers(packet, &item_tag::process);
      packet.insert(packet.end(), items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(size_ * item_bytes_));
    }
    clear();
    return packet;
  }

 private:
  void add_numbers(std::vector<std::byte>& packet, std::uint16_t item_tag::*which) const {
    const std::size_t base = packet.size();
    packet.resize(base + 2 * size_);
    for (std::size_t i = 0; i < size_; ++i) std::memcpy(&packet[base + 2 * i], &(tags_[i].*which), 2);
  }

  /// A counting sort by destination, which keeps the order of items for each.
  void add_grouped(std::vector<std::byte>& packet) const {
    std::vector<std::uint16_t> counts(targets_);
    for (std::size_t i = 0; i < size_; ++i) ++counts[tags_[i].target];
    std::vector<std::size_t> next(targets_);
    for (std::size_t i = 1; i < targets_; ++i) next[i] = next[i - 1] + counts[i - 1];
    const std::size_t base = packet.size() + 2 * targets_;
    packet.resize(base + size_ * item_bytes_);
    std::memcpy(&packet[base - 2 * targets_], counts.data(), 2 * targets_);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t at = next[tags_[i].target]++;
      std::memcpy(&packet[base + at * item_bytes_], &items_[i * item_bytes_], item_bytes_);
    }
  }

  /// Memory is taken as it is used: most of a large job's ranks send to few processes at a time.
  void grow() {
    const std::size_t room = std::clamp<std::size_t>(2 * size_, 16, std::max<std::size_t>(capacity_, 16));
    items_.resize(room * item_bytes_);
    tags_.resize(room);
  }

  const packet_head::kind what_;
  const std::size_t item_bytes_;
  std::size_t capacity_;
  const std::size_t targets_;
  std::size_t size_ = 0;
  std::vector<std::byte> items_;
  std::vector<item_tag> tags_;  // its size is the room that there is
};

}  // namespace pure::core
