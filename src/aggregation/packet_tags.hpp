// What a packet between processes says of its items: runs of items that are for one rank, from one rank. Read by who
// delivers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "aggregation/item_transport.hpp"

namespace pure::core {

/// For whom an item is, and from whom.
struct item_tag {
  std::uint16_t target = 0;   // index in its process
  std::uint16_t source = 0;   // rank of the communicator
  std::uint16_t process = 0;  // of its destination, as the aggregation numbers them

  friend bool operator==(const item_tag&, const item_tag&) = default;
};

/// A larger rank has no tag.
inline constexpr int most_ranks_between_processes = UINT16_MAX + 1;

/// Items of a packet that lie together and have the same tag.
struct item_run {
  item_tag tag;
  std::uint16_t count = 0;
};
static_assert(sizeof(item_run) == run_bytes);

/// The runs of a packet, in its order. Refers to the packet's bytes.
class packet_reader {
 public:
  /// `here`: this process, with so many ranks, among so many processes. The packet is another process's word: if it
  /// cannot be, is_sound() is false.
  packet_reader(const packet_head& head, std::span<const std::byte> body, int here, std::size_t ranks,
                std::size_t processes)
      : has_several_sources_(head.what == packet_head::kind::pp || head.what == packet_head::kind::hop) {
    if (head.what == packet_head::kind::ww) {  // count: of items
      runs_.push_back(
          {{head.target, static_cast<std::uint16_t>(head.source), static_cast<std::uint16_t>(here)}, head.count});
    } else {  // count: of runs
      if (body.size() < head.count * sizeof(item_run)) return;
      runs_.resize(head.count);
      std::memcpy(runs_.data(), body.data(), head.count * sizeof(item_run));
      body = body.subspan(head.count * sizeof(item_run));
    }
    std::size_t count = 0;
    for (const item_run& each : runs_) {
      if (each.count == 0 || each.tag.process >= processes) return;
      if (each.tag.process == here && each.tag.target >= ranks) return;
      count += each.count;
    }
    if (count == 0 || body.empty() || body.size() % count != 0) return;
    items_ = body;
    item_bytes_ = body.size() / count;
  }

  [[nodiscard]] bool is_sound() const noexcept { return item_bytes_ > 0; }
  [[nodiscard]] std::span<const item_run> runs() const noexcept { return runs_; }
  /// Of all runs, one behind the other.
  [[nodiscard]] std::span<const std::byte> items() const noexcept { return items_; }
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }
  [[nodiscard]] bool has_several_sources() const noexcept { return has_several_sources_; }

 private:
  std::span<const std::byte> items_;
  std::vector<item_run> runs_;
  std::size_t item_bytes_ = 0;
  const bool has_several_sources_;
};

}  // namespace pure::core
