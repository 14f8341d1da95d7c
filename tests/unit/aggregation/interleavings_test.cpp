// The inbox of buffers and the credit that comes back for them, in every order of their steps.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "aggregation/item_inbox.hpp"
#include "support/interleavings.hpp"

namespace pure::core {
namespace every_order_of_aggregation {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

struct buffer {
  buffer* next = nullptr;
  checked<int> content;
};

/// Each sender pushes two; the owner takes them all, each sender's in order.
template <int Senders>
struct pushed_buffers final : program {
  void run(int thread) override {
    if (thread > 0) {
      for (buffer& each : all[static_cast<std::size_t>(thread - 1)]) {
        each.content.write(++written[static_cast<std::size_t>(thread - 1)]);
        inbox.push(each);
        owner.wake();
      }
      return;
    }
    for (int left = 2 * Senders; left > 0;) {
      buffer* taken = inbox.take();
      if (taken == nullptr) {
        owner.announce();
        if (inbox.has_some()) {
          owner.stay();
        } else {
          owner.sleep();
        }
        continue;
      }
      for (; taken != nullptr; taken = taken->next) {
        const int sender = taken < all[0].data() + 2 && taken >= all[0].data() ? 0 : 1;
        require(taken->content.read() == ++seen[static_cast<std::size_t>(sender)], "in the order of pushes");
        --left;
      }
    }
  }
  void at_end() override { require(!inbox.has_some(), "nothing is left"); }

  basic_item_inbox<buffer, model_atomic> inbox;
  std::array<std::array<buffer, 2>, 2> all;
  std::array<int, 2> written{}, seen{};
  parked_thread owner;
};

TEST(interleavings_aggregation, buffers_arrive_in_order_and_wake_the_owner) {
  for (const verdict& its : {explore<pushed_buffers<1>>({.preemptions = 3, .stale_loads = 0}, 2),
                             explore<pushed_buffers<2>>({.stale_loads = 0}, 3)}) {
    EXPECT_EQ(its.failure, "");
    EXPECT_TRUE(its.is_complete);
    EXPECT_GE(its.executions, 100U);
  }
}

/// What a receiver has done with a buffer, its sender sees with the credit; and never fewer bytes than buffers.
struct credit_back final : program {
  void run(int thread) override {
    if (thread == 0) {
      for (int i = 1; i <= 2; ++i) {
        handled.write(i);
        credit.give_back(100);
      }
      return;
    }
    const auto back = credit.given_back();
    require(back.bytes >= back.buffers * 100, "bytes are missing");
    if (back.buffers == 2) require(handled.read() == 2, "old data");
  }
  basic_pair_credit<model_atomic> credit;
  checked<int> handled;
};

TEST(interleavings_aggregation, credit_comes_with_its_bytes) {
  const verdict its = explore<credit_back>({.preemptions = 3, .stale_loads = 2}, 2);
  EXPECT_EQ(its.failure, "");
  EXPECT_GE(its.executions, 20U);
}

}  // namespace
}  // namespace every_order_of_aggregation
}  // namespace pure::core
