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
// from one that has not been used lately.
//
// The messages of collective operations have an envelope each, which never comes again; but mostly that is the one
// before with the next of a row of tags, a stride apart. So each envelope has two network tags: the second says that it
// is that one from now on, and has come. (D-bare-collectives)
//
// By the holder of the network lock.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "match/remote_ranks.hpp"
#include "transport/record.hpp"

namespace pure::core {

/// A sender's, of a pair of ranks.
class envelope_cache {
 public:
  static constexpr std::uint32_t envelopes = 8;
  static constexpr std::int32_t stride = cheap_tag_stride;
  static constexpr int none = 0;  // which an ordinary packet has

  /// How many pairs of ranks of two processes there are tags for.
  static constexpr std::uint32_t most_pairs(int largest_tag) noexcept {
    return (static_cast<std::uint32_t>(largest_tag) - 1) / (2 * envelopes);
  }

  /// Of an envelope whose tag is a stride further now.
  static constexpr bool is_of_next(int tag) noexcept { return tag % 2 != 0; }
  /// What its envelope was given.
  static constexpr int as_given(int tag) noexcept { return tag - tag % 2; }
  /// The number of its envelope, among those of a process.
  static constexpr std::size_t number_of(int tag) noexcept { return static_cast<std::size_t>(tag) / 2; }

  /// Whether it has tags of its own.
  [[nodiscard]] bool has_any() const noexcept { return first_ != none; }
  /// `pair`: its number among those that have some.
  void set_pair(std::uint32_t pair) noexcept { first_ = 2 * static_cast<int>(pair * envelopes) + 2; }

  /// none: it has no tag. Looks first at the one that was found last, and then at those given after it: programs send
  /// the same message again and again, or some in turn.
  [[nodiscard]] int find(const envelope& who) noexcept {
    std::uint32_t at = last_;
    std::uint32_t before = given_;  // the envelope that `who` is the next of
    for (std::uint32_t i = 0; i < given_; ++i) {
      const envelope& each = of_[at];
      if (each.context == who.context && each.source == who.source) {
        if (each.tag == who.tag) return found(at);
        if (each.tag == who.tag - stride) before = at;
      }
      if (++at == given_) at = 0;
    }
    return before == given_ ? none : found(before) + 1;
  }
  /// Of a message that leaves with that tag: what it says has become true.
  void leaves(int tag, const envelope& who) noexcept {
    if (is_of_next(tag)) of_[number_of(tag) - number_of(first_)] = who;
  }
  /// A tag for one that has none: where all are in use, the next one's that has not been found since its turn came
  /// last.
  int give(const envelope& who) noexcept {
    while (given_ == envelopes && is_used_[next_]) {
      is_used_[next_] = false;
      next_ = (next_ + 1) % envelopes;
    }
    const std::uint32_t at = given_ < envelopes ? given_++ : std::exchange(next_, (next_ + 1) % envelopes);
    of_[at] = who;
    is_used_[at] = false;
    return tag_at(at);
  }

 private:
  [[nodiscard]] int tag_at(std::uint32_t at) const noexcept { return first_ + 2 * static_cast<int>(at); }
  int found(std::uint32_t at) noexcept {
    is_used_[at] = true;
    last_ = at;
    return tag_at(at);
  }

  int first_ = none;
  std::uint32_t given_ = 0;
  std::uint32_t next_ = 0;  // whose turn it is to be taken
  std::uint32_t last_ = 0;  // found
  std::array<envelope, envelopes> of_;
  std::array<bool, envelopes> is_used_{};
};

}  // namespace pure::core
