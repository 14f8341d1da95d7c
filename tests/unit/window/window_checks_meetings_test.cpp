// PURE_CHECK, windows without epochs: of a fence, or a barrier, nobody has learned anything before all have come. So
// what a rank has done before its own counts until then.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "match/message_checks.hpp"
#include "support/checked_windows.hpp"

namespace pure::core {
namespace {

using namespace test_support;

void all_together(one_rank at, collective_arguments what) {
  std::int64_t sum = 1, sums[3] = {};
  what.send = &sum;
  what.recv = sums;
  run_collective(at.win.comm(), one_rank::here("together"), what);
}
void adds_up(one_rank at) {
  collective_arguments what;
  what.kind = pure::detail::collective::allreduce;
  what.count = 1;
  EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, what.how));
  all_together(at, what);
}
void gathers(one_rank at) {
  collective_arguments what;
  what.kind = pure::detail::collective::allgather;
  what.count = 1;
  what.element_bytes = what.recv_blocks.block_bytes = sizeof(std::int64_t);
  all_together(at, what);
}
void tells_all(one_rank at) {
  std::int64_t value = 0;
  collective_arguments what;
  what.kind = pure::detail::collective::bcast;
  what.root = 1;
  what.recv = &value;
  what.count = 1;
  what.element_bytes = sizeof value;
  run_collective(at.win.comm(), one_rank::here("bcast"), what);
}

const std::vector<std::function<void(one_rank)>> meetings{[](one_rank at) { at.fence(); },
                                                          [](one_rank at) { at.barrier(); }, adds_up, gathers};

TEST(window_checks_meetings, an_operation_counts_until_all_have_come) {
  for (const auto& meet : meetings) {
    expect_error_of(2,
                    errors_of(3, no_epochs,
                              [&](one_rank at) {
                                if (at.me() == 1) puts_word(at);
                                if (at.me() == 1) at.turn.next();
                                if (at.me() == 2) {
                                  at.turn.wait_for(1);
                                  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // rank 1 waits there
                                  try {
                                    puts_word(at);
                                  } catch (const Error&) {
                                    meet(at);
                                    throw;
                                  }
                                }
                                meet(at);
                              }),
                    {"this put", "the put by rank 1"});
  }
}

TEST(window_checks_meetings, and_no_longer) {
  for (const auto& meet : meetings) {
    expect_no_error(errors_of(3, no_epochs, [&](one_rank at) {
      for (int i = 0; i < 10; ++i) {
        if (at.me() == i % 3) at.put_value(0, 16, i);
        meet(at);
        if (at.me() == (i + 1) % 3) {
          EXPECT_EQ(at.get_value(0, 16), i);
        }
        meet(at);
      }
    }));
  }
}

/// Whoever has a message may put before the others have come.
TEST(window_checks_meetings, a_call_that_need_not_wait_for_all_tells_at_once) {
  expect_no_error(errors_of(3, no_epochs, [](one_rank at) {
    for (int i = 0; i < 30; ++i) {
      if (at.me() == 1) puts_word(at);
      tells_all(at);
      if (at.me() == 2) puts_word(at);
      at.barrier();
    }
  }));
}

TEST(window_checks_meetings, a_request_for_a_barrier_tells_when_it_starts) {
  expect_no_error(errors_of(3, no_epochs, [](one_rank at) {
    collective_arguments what;
    what.kind = pure::detail::collective::barrier;
    for (int i = 0; i < 30; ++i) {
      if (at.me() == 1) puts_word(at);
      handle started = start_collective(at.win.comm(), at.here("ibarrier"), what);
      at.win.comm().requests().wait(at.here("wait"), started);
      at.win.comm().requests().finish(started);
      if (at.me() == 2) puts_word(at);
      at.barrier();
    }
  }));
}

TEST(window_checks_meetings, the_end_of_a_window_is_one) {
  expect_error_of(
      2,
      errors_of(3, no_epochs,
                [](one_rank at) {
                  window& other = make_window(at.win.comm(), at.here("make"),
                                              {.bytes = part_bytes, .options = {}, .needs_epochs = false});
                  other.rename("other");
                  const std::int64_t value = at.me();
                  const auto puts = [&] {
                    put(other, at.here("put"), {const_cast<std::int64_t*>(&value), 8, {}}, {0, 16, 8, nullptr});
                  };
                  if (at.me() == 1) puts();
                  if (at.me() == 1) at.turn.next();
                  if (at.me() == 2) {
                    at.turn.wait_for(1);
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                    try {
                      puts();
                    } catch (const Error&) {
                      EXPECT_EQ(free_window(other, at.here("free")), nullptr);
                      throw;
                    }
                  }
                  EXPECT_EQ(free_window(other, at.here("free")), nullptr);
                }),
      {"this put", "the put by rank 1"});
}

// ---- stores --------------------------------------------------------------------------------------------------------

TEST(window_checks_meetings, a_store_counts_though_its_rank_waits_in_the_next_fence) {
  expect_error_of(1,
                  errors_of(2, no_epochs,
                            [](one_rank at) {
                              at.fence();
                              at.turn.next();
                              at.turn.wait_for(2);  // both have left it
                              if (at.me() == 0) {
                                at.store(16, -1);
                                at.turn.next();
                              } else {
                                at.turn.wait_for(3);
                                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                try {
                                  puts_word(at);
                                } catch (const Error&) {
                                  at.fence();
                                  throw;
                                }
                              }
                              at.fence();
                            }),
                  {"bytes 16 to 23 of rank 0's memory were stored to"});
}

/// The put is done when its bytes are there; what is stored before the checks know of that is no part of it.
TEST(window_checks_meetings, a_store_right_behind_a_put) {
  for (const door& how : {door{}, no_epochs}) {
    expect_error_of(0,
                    errors_of(2, how,
                              [](one_rank at) {
                                at.fence();
                                if (at.me() == 1) {
                                  window_observer& checks = *at.win.observer();
                                  std::int64_t value = 5;
                                  const place_in_part where{0, 16, 8, nullptr};
                                  const placed_message what{&value, 8, {}};
                                  const call by{"put", {"first.cpp", 31}};
                                  const access_kind put = access_kind::put;
                                  checks.access_starts(
                                      by, {.kind = put, .is_in_active_epoch = at.win.is_in_active_epoch()}, where);
                                  at.turn.next();  // it puts now
                                  at.turn.wait_for(2);
                                  checks.access_ends(by, put, where, &what);
                                } else {
                                  at.turn.wait_for(1);
                                  at.store(16, 7);
                                  at.turn.next();
                                }
                                at.fence();
                              }),
                    {"byte 16 of its memory", "the put by rank 1", "first.cpp:31"});
  }
}

TEST(window_checks_meetings, what_is_read_behind_a_store_that_it_was_told_of_is_right) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    for (int i = 1; i < 20; ++i) {
      at.fence();
      if (at.me() == 0) {
        at.store(16, i);
        at.send_to(1);
      } else {
        at.receive_from(0);
        EXPECT_EQ(at.get_value(0, 16), i);
      }
      at.fence();
    }
  }));
}

}  // namespace
}  // namespace pure::core
