// Items for one other process on their way into a packet (schemes wps, wsp and pp): with the destination of each, and
// its source, which pp needs. One thread, or under the owner's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aggregation/item_transport.hpp"

namespace pure::core {

class packet_writer {
 public:
  /// `capacity`: of items. `targets`: how many ranks the other process has.
  packet_writer(item_scheme scheme, std::size_t item_bytes, std::size_t capacity, std::size_t targets)
      : scheme_(scheme), item_bytes_(item_bytes), capacity_(capacity), targets_count_(targets) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// Of one that is empty: it may have another capacity from now on.
  void set_capacity(std::size_t items) noexcept { capacity_ = items; }
  /// What it takes when it is full.
  [[nodiscard]] std::size_t whole_bytes() const noexcept { return capacity_ * (item_bytes_ + 4); }

  /// It is not full. Throws std::bad_alloc, and has not added it then.
  void add(const std::byte* item, int target, int source) {
    if (size_ == targets_.size()) [[unlikely]]
      grow();
    std::memcpy(&items_[size_ * item_bytes_], item, item_bytes_);
    targets_[size_] = static_cast<std::uint16_t>(target);
    sources_[size_] = static_cast<std::uint16_t>(source);
    ++size_;
  }
  /// As many of the other's items as fit here, its first ones first. Returns how many.
  std::size_t take_from(const packet_writer& other, std::size_t first) {
    const std::size_t count = std::min(capacity_ - size(), other.size() - first);
    for (std::size_t i = first; i < first + count; ++i)
      add(&other.items_[i * item_bytes_], other.targets_[i], other.sources_[i]);
    return count;
  }

  void clear() noexcept { size_ = 0; }

  /// All of them; then it is empty. `head`: with channel, phase and source.
  [[nodiscard]] std::vector<std::byte> take_packet(packet_head head) {
    head.count = static_cast<std::uint16_t>(size());
    std::vector<std::byte> packet(sizeof head);
    switch (scheme_) {
      case item_scheme::wsp:
        head.what = packet_head::kind::wsp;
        add_grouped(packet);
        break;
      case item_scheme::pp:
        head.what = packet_head::kind::pp;
        append(packet, targets_.data(), 2 * size());
        append(packet, sources_.data(), 2 * size());
        append(packet, items_.data(), size() * item_bytes_);
        break;
      default:
        head.what = packet_head::kind::wps;
        append(packet, targets_.data(), 2 * size());
        append(packet, items_.data(), size() * item_bytes_);
    }
    std::memcpy(packet.data(), &head, sizeof head);
    clear();
    return packet;
  }

 private:
  static void append(std::vector<std::byte>& packet, const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    packet.insert(packet.end(), from, from + bytes);
  }

  /// A counting sort by destination, which keeps the order of items for each.
  void add_grouped(std::vector<std::byte>& packet) const {
    std::vector<std::uint16_t> counts(targets_count_);
    for (std::size_t i = 0; i < size(); ++i) ++counts[targets_[i]];
    std::vector<std::size_t> next(targets_count_);
    for (std::size_t i = 1; i < targets_count_; ++i) next[i] = next[i - 1] + counts[i - 1];
    append(packet, counts.data(), 2 * targets_count_);
    const std::size_t base = packet.size();
    packet.resize(base + size() * item_bytes_);
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t at = next[targets_[i]]++;
      std::memcpy(&packet[base + at * item_bytes_], &items_[i * item_bytes_], item_bytes_);
    }
  }

  /// Memory is taken as it is used: most of a large job's ranks send to few processes at a time.
  void grow() {
    const std::size_t room = std::clamp<std::size_t>(2 * size_, 16, std::max<std::size_t>(capacity_, 16));
    items_.resize(room * item_bytes_);
    sources_.resize(room);
    targets_.resize(room);
  }

  const item_scheme scheme_;
  const std::size_t item_bytes_;
  std::size_t capacity_;
  const std::size_t targets_count_;
  std::size_t size_ = 0;
  std::vector<std::byte> items_;
  std::vector<std::uint16_t> targets_;  // index in the other process; its size is the room that there is
  std::vector<std::uint16_t> sources_;  // rank of the communicator
};

}  // namespace pure::core
