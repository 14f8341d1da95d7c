// Envelope tags: under which a message travels bare, without its envelope.
//
// Most messages of a pair of ranks have one of a few envelopes. The first one with an envelope travels in an ordinary
// packet, whose entry says the network tag that messages with that envelope have from then on. One that would have a
// packet to itself then needs none: it is sent under that tag, from its sender's buffer if it is not short, and the
// receiver finds the envelope in a table.
//
//   sender    gives the tag in packet n, uses it from packet n + 1 on
//   receiver  notes what the tag means when it reads packet n
//
// Packets arrive in the order of sending, so the sender may give a tag to another envelope at any time. It takes it
// from one that has not been used lately: the steps of collective operations have an envelope each, which never comes
// again.
//
// By the holder of the turn.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "transport/record.hpp"

namespace pure::core {

/// A sender's, of a pair of ranks.
class envelope_tags {
 public:
  static constexpr std::uint32_t of_a_pair = 8;
  static constexpr int none = 0;  // which an ordinary packet has

  /// How many pairs of ranks of two processes there are tags for.
  static constexpr std::uint32_t most_pairs(int largest_tag) noexcept {
    return static_cast<std::uint32_t>(largest_tag) / of_a_pair;
  }

  /// Whether it has tags of its own.
  [[nodiscard]] bool has_any() const noexcept { return first_ != none; }
  /// `pair`: its number among those that have some.
  void set_pair(std::uint32_t pair) noexcept { first_ = static_cast<int>(pair * of_a_pair) + 1; }

  /// none: it has no tag. Looks first at the one that was found last, and then at those given after it: programs send
  /// the same message again and again, or some in turn.
  [[nodiscard]] int find(const envelope& who) noexcept {
    std::uint32_t at = last_;
    for (std::uint32_t i = 0; i < given_; ++i) {
      const envelope& each = of_[at];
      if (each.context == who.context && each.tag == who.tag && each.source == who.source) {
        is_used_[at] = true;
        last_ = at;
        return first_ + static_cast<int>(at);
      }
      if (++at == given_) at = 0;
    }
    return none;
  }
  /// A tag for one that has none: where all are in use, the next one's that has not been found since its turn came
  /// last.
  int give(const envelope& who) noexcept {
    while (given_ == of_a_pair && is_used_[next_]) {
      is_used_[next_] = false;
      next_ = (next_ + 1) % of_a_pair;
    }
    const std::uint32_t at = given_ < of_a_pair ? given_++ : std::exchange(next_, (next_ + 1) % of_a_pair);
    of_[at] = who;
    is_used_[at] = false;
    return first_ + static_cast<int>(at);
  }

 private:
  int first_ = none;
  std::uint32_t given_ = 0;
  std::uint32_t next_ = 0;  // whose turn it is to be taken
  std::uint32_t last_ = 0;  // found
  std::array<envelope, of_a_pair> of_;
  std::array<bool, of_a_pair> is_used_{};
};

}  // namespace pure::core
