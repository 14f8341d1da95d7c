// How many buffers a rank has under way to each rank of its process: pushed, and not known to be handled.
//
// What always holds: what a receiver has given back (pair_credit) is never more than what was pushed to it, and what is
// known of it here never more than that; the memory account has got back exactly the bytes that are known. Own thread
// of the rank only, but for what receivers write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregation/item_buffer.hpp"
#include "aggregation/memory_account.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

class pair_credits {
 public:
  /// A send that is no handler's waits while more are under way; a handler's is counted.
  static constexpr std::uint64_t most_under_way = 4;

  /// `given_back`: one for each receiver, who write them.
  pair_credits(std::size_t receivers, pair_credit* given_back, memory_account& account)
      : pairs_(receivers), given_back_(given_back), account_(account) {}

  /// The receiver finds in the buffer where to say that it has handled it.
  void push(std::size_t receiver, item_buffer& pushed) noexcept {
    pair& its = pairs_[receiver];
    ++its.pushed_buffers;
    its.pushed_bytes += pushed.whole_bytes();
    pushed.credit = &given_back_[receiver];
  }
  [[nodiscard]] std::uint64_t under_way(std::size_t receiver) const noexcept { return pairs_[receiver].under_way(); }
  /// Whether as many are under way as may be; whether more are. Look only where it may be so.
  [[nodiscard]] bool are_all_used(std::size_t receiver) noexcept { return is_at(receiver, most_under_way); }
  [[nodiscard]] bool are_overdrawn(std::size_t receiver) noexcept { return is_at(receiver, most_under_way + 1); }

  void look(std::size_t receiver) noexcept {
    pair& its = pairs_[receiver];
    const pair_credit::amount back = given_back_[receiver].given_back();
    account_.come_back(back.bytes - its.handled_bytes);
    its.handled_buffers = back.buffers;
    its.handled_bytes = back.bytes;
  }
  void look_at_all() noexcept {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].under_way() > 0) look(i);
    }
  }

  void add_open_accounts(open_accounts& to) const {
    for (const pair& each : pairs_) to.add("buffers of a pair under way", each.under_way());
  }

 private:
  struct pair {
    std::uint64_t pushed_buffers = 0, handled_buffers = 0;
    std::uint64_t pushed_bytes = 0, handled_bytes = 0;
    [[nodiscard]] std::uint64_t under_way() const noexcept { return pushed_buffers - handled_buffers; }
  };

  [[nodiscard]] bool is_at(std::size_t receiver, std::uint64_t limit) noexcept {
    if (pairs_[receiver].under_way() < limit) return false;
    look(receiver);
    return pairs_[receiver].under_way() >= limit;
  }

  std::vector<pair> pairs_;
  pair_credit* const given_back_;
  memory_account& account_;
};

}  // namespace pure::core
