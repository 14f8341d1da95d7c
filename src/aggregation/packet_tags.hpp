// What a packet says of each of its items, beside the item itself (packet_head): read by who delivers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "aggregation/item_transport.hpp"

namespace pure::core {

struct item_tag {
  std::uint16_t target = 0;   // index in its process
  std::uint16_t source = 0;   // rank of the communicator
  std::uint16_t process = 0;  // of its destination, as the aggregation numbers them
};

/// The items of a packet, in its order. Refers to the packet's bytes.
class packet_reader {
 public:
  /// `here`: this process, with so many ranks, among so many processes. The packet is another process's word:
  /// is_sound() is false if it cannot be.
  packet_reader(const packet_head& head, std::span<const std::byte> body, std::uint16_t here, std::size_t ranks,
                std::size_t processes) {
    using kind = packet_head::kind;
    const std::size_t count = head.count;
    const std::size_t numbers = head.what == kind::ww    ? 0
                                : head.what == kind::wps ? count
                                : head.what == kind::wsp ? ranks
                                : head.what == kind::pp  ? 2 * count
                                                         : 3 * count;
    if (count == 0 || body.size() < 2 * numbers || (body.size() - 2 * numbers) % count != 0) return;
    items_ = body.subspan(2 * numbers);
    item_bytes_ = items_.size() / count;
    const auto number_at = [&](std::size_t index) {
      std::uint16_t number;
      std::memcpy(&number, body.data() + 2 * index, sizeof number);
      return number;
    };
    tags_.assign(count, {.target = head.target, .source = static_cast<std::uint16_t>(head.source), .process = here});
    if (head.what == kind::wsp) {
      std::size_t next = 0;
      for (std::size_t target = 0; target < ranks; ++target) {
        for (std::size_t left = number_at(target); left > 0 && next < count; --left)
          tags_[next++].target = static_cast<std::uint16_t>(target);
      }
      if (next < count) return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (numbers >= count && head.what != kind::wsp) tags_[i].target = number_at(i);
      if (head.what == kind::pp || head.what == kind::hop) tags_[i].source = number_at(count + i);
      if (head.what == kind::hop) tags_[i].process = number_at(2 * count + i);
      if (tags_[i].process >= processes || (tags_[i].process == here && tags_[i].target >= ranks)) return;
    }
    has_several_sources_ = head.what == kind::pp || head.what == kind::hop;
    is_sound_ = item_bytes_ > 0;
  }

  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }
  [[nodiscard]] std::size_t size() const noexcept { return tags_.size(); }
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }
  [[nodiscard]] bool has_several_sources() const noexcept { return has_several_sources_; }
  [[nodiscard]] const item_tag& tag(std::size_t index) const noexcept { return tags_[index]; }
  [[nodiscard]] const std::byte* item(std::size_t index) const noexcept { return items_.data() + index * item_bytes_; }

 private:
  std::span<const std::byte> items_;
  std::vector<item_tag> tags_;
  std::size_t item_bytes_ = 0;
  bool has_several_sources_ = false;
  bool is_sound_ = false;
};

}  // namespace pure::core
