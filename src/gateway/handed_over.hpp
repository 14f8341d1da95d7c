// A message of another process that has been handed to its receiver, and that its sender may ask back, or waits for:
// the claim that the receiver takes, and by what its sender knows it. All of them, of the gateway.
//
// By the holder of the network lock. The receiver's are the state of the claim, and its `next_matched` from
// gateway::has_matched() until the holder takes it off that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "match/claim_pool.hpp"
#include "match/match_table.hpp"
#include "transport/send_claim.hpp"

namespace pure::core {

struct announced_payload;

struct handed_over : send_claim {
  int process = 0;
  std::uint32_t number = 0;
  bool is_named = false;               // can be found
  announced_payload* large = nullptr;  // null: a synchronous message that is short
  handed_over* next_matched = nullptr;

  // ---- for the table (match_table.hpp) ----
  match_links<handed_over> linked;
  [[nodiscard]] match_key key(int /*table*/) const noexcept {
    return {static_cast<std::uint32_t>(process), static_cast<std::int32_t>(number)};
  }
  [[nodiscard]] match_links<handed_over>& links(int /*table*/) noexcept { return linked; }
};

class handed_over_messages {
 public:
  /// Throws std::bad_alloc.
  handed_over_messages() {
    constexpr std::size_t first_slots = 64;
    if (!named_.start(first_slots)) throw std::bad_alloc();
  }

  /// One that has no number.
  handed_over& get() { return claims_.get(); }
  handed_over& get(int process, std::uint32_t number, announced_payload* large) {
    handed_over& made = claims_.get();
    made.process = process;
    made.number = number;
    made.large = large;
    made.is_named = true;
    named_.add(made, steps_);
    ++count_named_;
    return made;
  }
  /// Null if it is not there any more.
  [[nodiscard]] handed_over* find(int process, std::uint32_t number) noexcept {
    return named_.first_of({static_cast<std::uint32_t>(process), static_cast<std::int32_t>(number)}, steps_);
  }
  /// How many can be found.
  [[nodiscard]] std::size_t named() const noexcept { return count_named_; }
  /// The receiver has taken the message, or has never known it.
  void give_back(handed_over& matched) noexcept {
    forget(matched);
    claims_.give_back(matched);
  }
  /// The sender has the message back.
  void leave(handed_over& withdrawn) {
    forget(withdrawn);
    claims_.leave(withdrawn);
  }

 private:
  void forget(handed_over& one) noexcept {
    if (!std::exchange(one.is_named, false)) return;
    named_.remove(one, steps_);
    --count_named_;
  }

  claim_pool<handed_over> claims_;
  match_table<handed_over> named_{0};
  std::size_t count_named_ = 0;  // in it
  std::uint64_t steps_ = 0;      // likewise
};

}  // namespace pure::core
