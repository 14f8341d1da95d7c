// How the messages of a communicator's operations are numbered between processes, and how many operations may be in
// flight there. Own thread of the rank only.
//
// All ranks number alike (collective_member.hpp). All starts of a persistent collective have the same numbers: it is
// complete before it is started again, and messages do not overtake each other.
#pragma once

#include <cstdint>

#include "coll/collective_areas.hpp"
#include "comm/communicator.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

class numbers_between {
 public:
  static constexpr std::uint64_t in_order = 0;  // no persistent collective's number

  /// `number`: the persistent collective's, or in_order.
  numbers_between(const communicator& on, std::uint64_t number) noexcept : comm_(on), number_(number) {}

  [[nodiscard]] std::uint64_t persistent_number() const noexcept { return number_; }
  [[nodiscard]] std::uint32_t context() const noexcept {
    return comm_.shared().context(number_ == in_order ? traffic::collective : traffic::persistent_collective);
  }
  [[nodiscard]] int tag_of(std::uint64_t sequence, unsigned round) const noexcept {
    // Of one operation: so many has a barrier of 2^31 processes. A stride lies between an operation and the next one.
    constexpr std::uint64_t most_rounds = cheap_tag_stride;
    static_assert(most_rounds * collective_areas::most_persistent == std::uint64_t{1} << 31);
    const std::uint64_t which = number_ == in_order ? sequence : number_;
    return static_cast<int>((which * most_rounds + round) & 0x7fffffff);
  }

  /// Operations in flight can end in any order within a word (finished_operations.hpp).
  static constexpr std::uint64_t most_in_flight = 60;
  [[nodiscard]] static bool may_begin(std::uint64_t sequence, std::uint64_t finished) noexcept {
    return sequence <= finished + most_in_flight;
  }

  /// For reasons of waits: the rank that the oldest of them waits for, and so those do that may not begin.
  [[nodiscard]] int oldest_waits_for() const noexcept { return oldest_waits_for_; }
  void note_wait(int q, std::uint64_t sequence, std::uint64_t finished) noexcept {
    if (sequence == finished + 1) oldest_waits_for_ = q;
  }

 private:
  const communicator& comm_;
  const std::uint64_t number_;
  int oldest_waits_for_ = 0;
};

}  // namespace pure::core
