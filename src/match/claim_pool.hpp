// The claims of a rank's messages that their receivers match one by one: synchronous and large ones.
//
// Each has a line to itself, and is opened when it comes back, not when it is used again: the line is the receiver's
// then, and a store to it just before the message is published would delay the message by a transfer. A claim that was
// withdrawn comes back when the receiver has disposed of it; nothing else of the message has to stay for that. Own
// thread of the rank only.
// Modelled by tests/model/send_claim.pml.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

/// `Claim`: a send_claim, and what else its user keeps with it.
template <class Claim = send_claim>
class claim_pool {
 public:
  /// An open one. Throws std::bad_alloc.
  Claim& get() {
    if (free_.empty()) [[unlikely]]
      refill();
    Claim& next = *free_.back();
    free_.pop_back();
    return next;
  }
  /// Of a message that a receive has matched.
  void give_back(Claim& claim) noexcept {
    claim.end_use();
    claim.open();
    free_.push_back(&claim);  // never allocates: refill() has reserved room for every claim
  }
  /// The claims that messages have, but for the ones that were withdrawn.
  [[nodiscard]] std::size_t in_use() const noexcept {
    return blocks_.size() * claims_in_block - free_.size() - withdrawn_.size();
  }
  /// Of a message that was withdrawn.
  void leave(Claim& claim) { withdrawn_.push_back(&claim); }

 private:
  static constexpr std::size_t claims_in_block = 32;

  struct alignas(line_bytes) line {
    Claim claim;
  };
  static_assert(sizeof(line) == line_bytes);

  /// Looks at some of those that were withdrawn, in turn: their receivers may never come to them.
  void refill() {
    for (std::size_t left = std::min(withdrawn_.size(), 2 * claims_in_block); left > 0; --left) {
      if (next_withdrawn_ >= withdrawn_.size()) next_withdrawn_ = 0;
      Claim*& each = withdrawn_[next_withdrawn_];
      if (each->is_disposed()) {
        give_back(*each);
        each = withdrawn_.back();
        withdrawn_.pop_back();
      } else {
        ++next_withdrawn_;
      }
    }
    if (!free_.empty()) return;
    const std::size_t all = (blocks_.size() + 1) * claims_in_block;
    if (free_.capacity() < all) free_.reserve(2 * all);
    blocks_.push_back(std::make_unique<line[]>(claims_in_block));
    for (std::size_t i = 0; i < claims_in_block; ++i) give_back(blocks_.back()[i].claim);
  }

  std::vector<std::unique_ptr<line[]>> blocks_;
  std::vector<Claim*> free_;  // the one that came back last is used next
  std::vector<Claim*> withdrawn_;
  std::size_t next_withdrawn_ = 0;  // to be looked at
};

}  // namespace pure::core
