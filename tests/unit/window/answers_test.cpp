// Answers to what a rank has asked of memory that it reaches by messages: each is the one that belongs to the
// operation, and what counts as answered has been done and is here.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>

#include "support/checked_windows.hpp"
#include "window/process_windows.hpp"
#include "window/remote_access.hpp"
#include "window/window_table.hpp"

namespace pure::core {
namespace {

using namespace test_support;

/// Two processes; each of their ranks has a window, which all of them have locked.
void by_messages(int ranks, const std::function<void(one_rank)>& program) {
  settings values;
  values.window_transport = "messages";
  loopback_world network(2);
  turns turn;
  EXPECT_EQ(run_over(network, ranks, values,
                     [&](rank_context& self) {
                       window& made = make_window(communicator_table::of(self).world(), {"make", {}},
                                                  {.bytes = part_bytes, .options = {}});
                       one_rank at{made, turn};
                       for (std::int64_t i = 0; i < 8; ++i) at.store(8 * i, 100 * at.me() + i);
                       at.barrier();
                       made.lock_all(at.here("lock_all"));
                       program(at);
                       made.unlock_all(at.here("unlock_all"));
                       at.barrier();
                       EXPECT_EQ(free_window(made, at.here("free")), nullptr);
                       return 0;
                     }),
            0);
}

TEST(answers, what_an_operation_brings_back_is_there_when_it_counts_as_answered) {
  by_messages(4, [](one_rank at) {
    if (at.me() == 2) {
      for (int i = 0; i < 3; ++i) {
        std::int64_t value = -1;
        get(at.win, at.here("get"), {&value, 8, {}}, {0, 8 * i, 8, nullptr});
        while (!at.win.remote()->are_all_answered()) std::this_thread::yield();  // rank 3 looks at the network
        EXPECT_EQ(value, i);
      }
      at.send_to(3);
    } else if (at.me() == 3) {
      at.receive_from(2);
    }
  });
}

TEST(answers, a_flush_is_answered_when_all_before_it_is_done) {
  by_messages(2, [](one_rank at) {
    if (at.me() == 1) {
      at.put_value(0, 24, 7);
      at.win.flush(at.here("flush"), 0);
      at.turn.next();
    } else {
      at.turn.wait_for(1);
      std::int64_t there = 0;
      std::memcpy(&there, at.win.own().base + 24, 8);
      EXPECT_EQ(there, 7);
    }
  });
}

TEST(answers, each_goes_to_the_operation_that_has_asked) {
  by_messages(2, [](one_rank at) {
    if (at.me() == 0) return;
    std::int64_t values[8];
    for (int i = 0; i < 8; ++i) get(at.win, at.here("get"), {values + i, 8, {}}, {0, 8 * i, 8, nullptr});
    at.win.flush(at.here("flush"), 0);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(values[i], i);
    open_accounts accounts;
    window_table::of(at.win.owner()).of_all_processes().add_open_accounts(accounts);
    EXPECT_EQ(accounts.text(), "1 windows that some process has not left");
  });
}

}  // namespace
}  // namespace pure::core
