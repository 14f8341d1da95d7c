// PURE_CHECK, windows without epochs: what no call of Pure can have ordered is found, and nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "support/checked_windows.hpp"

namespace pure::core {
namespace {

using namespace test_support;

TEST(window_checks_orderings, what_is_not_ordered_at_all_is_found) {
  expect_error_of(2, one_after_the_other(puts_word, puts_word, no_epochs), {"this put", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(gets_word, puts_word, no_epochs), {"this put", "the get by rank 1"});
  expect_error_of(2, one_after_the_other(puts_word, adds_word, no_epochs),
                  {"this atomic operation", "the put by rank 1"});
  expect_no_error(one_after_the_other(adds_word, puts_word, no_epochs));  // who reads the element may go on
}

TEST(window_checks_orderings, one_rank_may_do_what_it_likes_in_turn) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    if (at.me() != 1) return;
    puts_word(at);
    puts_word(at);
    gets_word(at);
    adds_word(at);
    puts_word(at);
  }));
}

TEST(window_checks_orderings, whatever_orders_ranks_orders_operations) {
  const auto passes = [](const std::function<void(one_rank)>& tells, const std::function<void(one_rank)>& hears) {
    expect_no_error(errors_of(3, no_epochs, [&](one_rank at) {
      at.fence();
      if (at.me() == 1) puts_word(at);
      if (at.me() == 1) tells(at);
      if (at.me() == 2) hears(at);
      if (at.me() == 2) puts_word(at);
      if (at.me() == 2) {
        EXPECT_EQ(at.get_value(0, 16), 2);
      }
      at.fence();
    }));
  };
  passes([](one_rank at) { at.send_to(2); }, [](one_rank at) { at.receive_from(1); });
  passes([](one_rank at) { at.win.notify(at.here("notify"), 2, 0); },
         [](one_rank at) { at.win.wait_notified(at.here("wait"), 1, 0); });
  passes(
      [](one_rank at) {
        at.win.lock(at.here("lock"), 0, lock_kind::exclusive);
        at.win.unlock(at.here("unlock"), 0);
        at.turn.next();
      },
      [](one_rank at) { at.turn.wait_for(1); });
  passes([](one_rank at) { at.add_value(2, 0, 1); },
         [](one_rank at) {
           for (std::int64_t seen = 0, nothing = 0; seen != 1;) {
             compare_and_swap(at.win, at.here("look"), &nothing, &nothing, &seen, 8, 2, 0);
             at.win.wait_for_results(at.here("look"), 2);
           }
         });
}

TEST(window_checks_orderings, a_receive_tells_a_synchronous_sender) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    const std::vector<char> large(1 << 20);
    std::vector<char> into(large.size());
    for (int i = 0; i < 10; ++i) {
      if (at.me() == 0) {
        at.put_value(0, 0, i);
        receive(at.win.comm(), at.here("receive"), {into.data(), into.size(), nullptr}, 1, 0, [](const status&) {});
      } else {
        p2p::send_synchronous(at.win.comm(), at.here("send"), large.data(), large.size(), 0, 0);
        at.put_value(0, 0, -i);
        at.send_to(0);
      }
      if (at.me() == 0) at.receive_from(1);
    }
  }));
}

TEST(window_checks_orderings, a_store_beside_a_put_that_nobody_was_told_of) {
  expect_error_of(0,
                  errors_of(2, no_epochs,
                            [](one_rank at) {
                              at.fence();
                              if (at.me() == 0) at.turn.wait_for(1);
                              if (at.me() == 0) at.store(16, 7);
                              if (at.me() == 1) at.put_value(0, 16, -1);
                              if (at.me() == 1) at.turn.next();
                              at.fence();
                            }),
                  {"bytes 16 to 23 of its memory", "the put by rank 1"});
  expect_error_of(1,
                  errors_of(2, no_epochs,
                            [](one_rank at) {
                              at.fence();
                              at.turn.next();
                              at.turn.wait_for(2);  // both have left the fence
                              if (at.me() == 0) at.store(16, -1);
                              if (at.me() == 0) at.turn.next();
                              if (at.me() == 1) at.turn.wait_for(3);
                              if (at.me() == 1) puts_word(at);
                            }),
                  {"bytes 16 to 23 of rank 0's memory were stored to"});
}

TEST(window_checks_orderings, a_store_that_somebody_was_told_of_is_right) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    at.fence();
    for (int i = 0; i < 20; ++i) {
      if (at.me() == 0) {
        at.store(16, i);
        at.win.notify(at.here("notify"), 1, 0);
        at.win.wait_notified(at.here("wait"), 1, 0);
        std::int64_t there = 0;
        std::memcpy(&there, at.win.own().base + 16, 8);
        EXPECT_EQ(there, 1000 + i);
      } else {
        at.win.wait_notified(at.here("wait"), 1, 0);
        EXPECT_EQ(at.get_value(0, 16), i);
        at.put_value(0, 16, 1000 + i);
        at.win.notify(at.here("notify"), 0, 0);
      }
    }
    at.fence();
  }));
}

/// Nobody but the one that has stored has let others know; that may be in a process that maps the memory.
TEST(window_checks_orderings, a_store_to_the_memory_of_another_rank_may_have_been_told_of) {
  expect_no_error(errors_of(3, no_epochs, [](one_rank at) {
    const std::int64_t value = -1;
    at.fence();
    at.turn.next();
    at.turn.wait_for(3);  // all have left the fence
    if (at.me() == 2) {
      if (at.win.is_addressable(0)) std::memcpy(at.win.at(0).base + 16, &value, 8);
      at.send_to(0);
      at.turn.next();
    } else if (at.me() == 1) {
      at.turn.wait_for(4);
      puts_word(at);
      at.turn.next();
    } else {
      at.turn.wait_for(5);
      at.receive_from(2);
    }
  }));
}

}  // namespace
}  // namespace pure::core
