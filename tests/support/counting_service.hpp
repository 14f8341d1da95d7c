// A service that counts how often it is advanced, for tests of waits.
#pragma once

#include <memory>
#include <utility>

#include "runtime/rank.hpp"
#include "runtime/service.hpp"

namespace test_support {

/// Moves something the first few times.
struct counting_service final : pure::core::service {
  explicit counting_service(int moves) : moves_left(moves) {}
  bool advance() override {
    ++advanced;
    return moves_left-- > 0;
  }
  bool give_back_unused() noexcept override {
    ++gave_back;
    return false;
  }
  int advanced = 0;
  int gave_back = 0;
  int moves_left;
};

/// As the rank's service of messages; the rank owns it.
inline const counting_service& attach_counter(pure::core::rank_context& to, int moves = 0) {
  auto made = std::make_unique<counting_service>(moves);
  const counting_service& counter = *made;
  to.services().attach(pure::core::service_slot(0), std::move(made));
  return counter;
}

}  // namespace test_support
