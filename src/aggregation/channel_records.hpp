// What the ranks of a process know of the channels of an aggregation: number, type and who has made each. All ranks
// make the same ones in the same order: each compares what it makes with these, and so does a process with what another
// one says of a channel before the first items of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregation/packets.hpp"

namespace pure::core {

/// A channel as the first rank has made it.
struct channel_record {
  std::string type;  // as errors call it; at most that much of it: most_text
  std::size_t item_bytes = 0;
  bool is_combining = false;
  int by = 0;        // rank of the communicator
  std::string site;  // empty: not known

  static constexpr std::size_t most_text = 1000;

  [[nodiscard]] bool is_same_as(const channel_record& other) const noexcept {
    return type == other.type && item_bytes == other.item_bytes && is_combining == other.is_combining;
  }
};

/// What is wrong with channel `number` as it is made, if `agreed` has been before; empty: nothing.
[[nodiscard]] std::string difference(std::size_t number, const channel_record& made, const channel_record& agreed);

/// The packet that tells another process what channel `number` is. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::byte> packet_of_channel(std::size_t number, const channel_record& told);
/// What such a packet tells, among so many ranks; nothing if that cannot be. Throws std::bad_alloc.
[[nodiscard]] std::optional<channel_record> channel_told_by(const channel_packet& what, std::span<const std::byte> rest,
                                                            std::size_t ranks);

/// Any thread.
class channel_records {
 public:
  /// What the first who makes channel `number` has made; constant from then on. Every lower number has been there.
  const channel_record& agree(std::size_t number, const channel_record& made) {
    const std::lock_guard lock(guard_);
    if (number == all_.size()) all_.push_back(made);
    return all_[number];
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(guard_);
    return all_.size();
  }
  [[nodiscard]] const channel_record& at(std::size_t number) const {
    const std::lock_guard lock(guard_);
    return all_[number];
  }

 private:
  mutable std::mutex guard_;  // for a moment
  std::deque<channel_record> all_;
};

}  // namespace pure::core
