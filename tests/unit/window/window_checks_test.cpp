// PURE_CHECK, windows: what is found, with the ranks, bytes and calls that are named; and what is right is not
// reported. Each wrong program is one whose second access waits for the first one by what the checks do not see,
// std::atomic, so that the order is always the same.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "support/checked_windows.hpp"

namespace pure::core {
namespace {

using namespace test_support;

// ---- operations that overlap, where epochs are asked for
// -------------------------------------------------------------

TEST(window_checks, two_puts_to_one_place_in_the_epoch_of_a_fence) {
  expect_error_of(
      2,
      errors_of(3, {},
                [](one_rank at) {
                  at.fence();
                  if (at.me() == 1) {
                    at.put_value(0, 8, 1, {"first.cpp", 31});
                    at.turn.next();
                  } else if (at.me() == 2) {
                    at.turn.wait_for(1);
                    at.put_value(0, 12, 2, {"second.cpp", 7});
                  }
                }),
      {"put: rank 2 of window \"halo\": this put uses bytes 12 to 15 of rank 0's memory, and so does the put by "
       "rank 1, put at first.cpp:31, which is not complete",
       "MPI 4.1, 12.7", "\n  at second.cpp:7"});
}

TEST(window_checks, one_of_two_operations_that_writes_is_enough) {
  expect_error_of(2, one_after_the_other(puts_word, gets_word), {"this get uses bytes 16 to 23", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(gets_word, puts_word), {"this put", "the get by rank 1"});
  expect_error_of(2, one_after_the_other(adds_word, gets_word), {"this get", "the atomic operation by rank 1"});
  expect_error_of(2, one_after_the_other(puts_word, adds_word), {"this atomic operation", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(swaps_word, puts_word),
                  {"this put", "the atomic operation by rank 1, swap at"});
  expect_no_error(one_after_the_other(gets_word, gets_word));
}

TEST(window_checks, atomic_operations_exclude_each_other) {
  for (const auto& first : {std::function<void(one_rank)>(adds_word), std::function<void(one_rank)>(replaces_word),
                            std::function<void(one_rank)>(looks_word), std::function<void(one_rank)>(swaps_word)}) {
    for (const auto& second : {std::function<void(one_rank)>(adds_word), std::function<void(one_rank)>(replaces_word),
                               std::function<void(one_rank)>(looks_word), std::function<void(one_rank)>(swaps_word)})
      expect_no_error(one_after_the_other(first, second));
  }
}

TEST(window_checks, what_a_program_promises_of_its_operators_is_checked) {
  door same;
  same.options.promise = same_operations::same;
  expect_no_error(one_after_the_other(adds_word, adds_word, same));
  expect_error_of(2, one_after_the_other(adds_word, replaces_word, same), {"the atomic operation by rank 1"});
  expect_error_of(2, one_after_the_other(adds_word, looks_word, same), {"the atomic operation by rank 1"});
  door or_none;
  or_none.options.promise = same_operations::same_or_no_op;
  expect_no_error(one_after_the_other(adds_word, looks_word, or_none));
  expect_error_of(2, one_after_the_other(adds_word, swaps_word, or_none),
                  {"the atomic operation by rank 1, accumulate at"});
}

TEST(window_checks, instructions_and_locks_do_not_exclude_each_other) {
  door hardware;
  hardware.options.alignment = 64;
  hardware.options.atomics = atomics_by::hardware;
  const auto adds_misaligned = [](one_rank at) { at.add_value(0, 20, 1); };
  expect_no_error(one_after_the_other(adds_word, swaps_word, hardware));
  expect_error_of(2, one_after_the_other(adds_word, adds_misaligned, hardware), {"uses bytes 20 to 23"});
}

TEST(window_checks, also_two_operations_of_one_rank) {
  expect_error_of(1,
                  errors_of(2, {},
                            [](one_rank at) {
                              at.fence();
                              if (at.me() != 1) return;
                              at.put_value(0, 0, 1);
                              at.put_value(0, 0, 2);
                            }),
                  {"this put", "the put by rank 1"});
}

TEST(window_checks, shared_locks_at_the_same_time) {
  expect_error_of(2,
                  errors_of(3, {},
                            [](one_rank at) {
                              if (at.me() == 0) return;
                              if (at.me() == 2) at.turn.wait_for(1);
                              at.win.lock(at.here("lock"), 0, lock_kind::shared);
                              puts_word(at);
                              at.turn.next();
                            }),
                  {"this put", "the put by rank 1"});
}

TEST(window_checks, an_epoch_of_post) {
  expect_error_of(2,
                  errors_of(3, {},
                            [](one_rank at) {
                              if (at.me() == 0) {
                                const std::vector<int> origins{1, 2};
                                at.win.post(at.here("post"), origins);
                                return;
                              }
                              const std::vector<int> target{0};
                              at.win.start(at.here("start"), target);
                              if (at.me() == 2) at.turn.wait_for(1);
                              puts_word(at);
                              at.win.complete(at.here("complete"));  // which does not complete it at the target
                              at.turn.next();
                            }),
                  {"this put", "the put by rank 1"});
}

TEST(window_checks, laid_out_operations_conflict_where_their_blocks_do) {
  const layout column = layout(8).repeated(2, 16);  // two blocks of 8 bytes, 16 apart
  const auto puts_column = [&](one_rank at, std::int64_t offset) {
    const std::int64_t values[2] = {1, 2};
    put(at.win, at.here("put"), {const_cast<std::int64_t*>(values), 16, {}}, {0, offset, 16, &column});
  };
  const auto first = [&](one_rank at) { puts_column(at, 0); };
  expect_no_error(one_after_the_other(first, [&](one_rank at) { puts_column(at, 8); }));
  expect_error_of(2, one_after_the_other(first, [&](one_rank at) { puts_column(at, 16); }), {"uses bytes 16 to 23"});
}

// ---- what completes operations --------------------------------------------------------------------------------------

TEST(window_checks, what_is_complete_is_not_in_the_way) {
  const auto passes = [](const std::function<void(one_rank)>& completes) {
    expect_no_error(errors_of(3, {}, [&](one_rank at) {
      at.win.lock_all(at.here("lock_all"));
      if (at.me() == 1) {
        puts_word(at);
        completes(at);
        at.turn.next();
      } else if (at.me() == 2) {
        at.turn.wait_for(1);
        puts_word(at);
      }
      if (at.me() != 1) at.win.unlock_all(at.here("unlock_all"));
    }));
  };
  passes([](one_rank at) { at.win.flush(at.here("flush"), 0); });
  passes([](one_rank at) { at.win.flush_all(at.here("flush_all")); });
  passes([](one_rank at) { at.win.unlock_all(at.here("unlock_all")); });
  passes([](one_rank at) { at.win.notify(at.here("notify"), 0, 0); });
}

TEST(window_checks, a_flush_of_another_rank_completes_nothing) {
  expect_error_of(2,
                  errors_of(3, {},
                            [](one_rank at) {
                              at.win.lock_all(at.here("lock_all"));
                              if (at.me() == 1) {
                                puts_word(at);
                                at.win.flush(at.here("flush"), 2);
                                at.turn.next();
                              } else if (at.me() == 2) {
                                at.turn.wait_for(1);
                                puts_word(at);
                              }
                            }),
                  {"this put", "the put by rank 1"});
}

TEST(window_checks, a_fence_ends_what_was_before) {
  expect_no_error(errors_of(3, {}, [](one_rank at) {
    for (int i = 0; i < 20; ++i) {
      at.fence();
      if (at.me() == i % 3) puts_word(at);
      if (at.me() == (i + 1) % 3) at.put_value(0, 24, i);
      at.fence();
      EXPECT_EQ(at.get_value(0, 16), i % 3);
      EXPECT_EQ(at.get_value(0, 24), i);
      at.fence();
      if (at.me() == 0) at.store(16, -1);  // the memory is the owner's
      if (at.me() == 0) at.store(32, i);
    }
    at.fence(false);
  }));
}

TEST(window_checks, locks_one_after_the_other) {
  expect_no_error(errors_of(4, {}, [](one_rank at) {
    for (int i = 0; i < 50; ++i) {
      const int rank = i % 4;
      at.win.lock(at.here("lock"), rank, lock_kind::exclusive);
      at.put_value(rank, 0, at.get_value(rank, 8) + 1);
      at.win.unlock(at.here("unlock"), rank);
    }
  }));
}

TEST(window_checks, an_epoch_of_post_ends_with_wait) {
  expect_no_error(errors_of(3, {}, [](one_rank at) {
    const std::vector<int> origins{1, 2}, target{0};
    for (int i = 0; i < 20; ++i) {
      if (at.me() == 0) {
        at.store(0, i);
        at.win.post(at.here("post"), origins);
        at.store(40, i);  // where nobody puts
        at.win.wait(at.here("wait"));
        std::int64_t there = 0;
        std::memcpy(&there, at.win.own().base + 8, 8);
        EXPECT_EQ(there, 100 + i);
        at.store(8, 0);
      } else {
        at.win.start(at.here("start"), target);
        EXPECT_EQ(at.get_value(0, 0), i);
        at.put_value(0, 8 * at.me(), 100 + i);
        at.win.complete(at.here("complete"));
      }
    }
  }));
}

// ---- stores
// ------------------------------------------------------------------------------------------------------------

TEST(window_checks, a_store_before_a_put_in_the_epoch_of_a_fence) {
  expect_error_of(
      1,
      errors_of(2, {},
                [](one_rank at) {
                  at.fence();
                  if (at.me() == 0) {
                    at.store(16, -1);
                    at.turn.next();
                  } else {
                    at.turn.wait_for(1);
                    puts_word(at);
                  }
                }),
      {"put: rank 1 of window \"halo\": bytes 16 to 23 of rank 0's memory were stored to since the epoch began",
       "this put", "MPI 4.1, 12.7"});
}

TEST(window_checks, a_store_after_a_put_in_the_epoch_of_a_fence) {
  expect_error_of(0,
                  errors_of(3, {},
                            [](one_rank at) {
                              at.fence();
                              if (at.me() == 0) at.turn.wait_for(1);
                              if (at.me() == 0) at.store(20, 7);
                              if (at.me() == 1) at.put_value(0, 16, -1, {"first.cpp", 31});
                              if (at.me() == 1) at.turn.next();
                              at.fence();
                            }),
                  {"fence: rank 0 of window \"halo\": bytes 20 to 23 of its memory were stored to", "the put by rank 1",
                   "put at first.cpp:31"});
}

TEST(window_checks, a_store_to_what_a_get_reads) {
  expect_error_of(0,
                  errors_of(2, {},
                            [](one_rank at) {
                              at.fence();
                              if (at.me() == 0) at.turn.wait_for(1);
                              if (at.me() == 0) at.store(16, 7);
                              if (at.me() == 1) gets_word(at);
                              if (at.me() == 1) at.turn.next();
                              at.fence();
                            }),
                  {"byte 16 of its memory", "the get by rank 1"});
}

TEST(window_checks, a_store_to_what_is_exposed_by_post) {
  expect_error_of(0,
                  errors_of(2, {},
                            [](one_rank at) {
                              const std::vector<int> origins{1}, target{0};
                              if (at.me() == 0) {
                                at.win.post(at.here("post"), origins);
                                at.turn.wait_for(1);
                                at.store(16, 7);
                                at.turn.next();
                                at.win.wait(at.here("wait"));
                              } else {
                                at.win.start(at.here("start"), target);
                                at.put_value(0, 16, -1);
                                at.turn.next();
                                at.turn.wait_for(2);
                                at.win.complete(at.here("complete"));
                              }
                            }),
                  {"wait: rank 0", "bytes 16 to 23 of its memory", "the put by rank 1"});
}

TEST(window_checks, stores_under_locks_are_the_programs) {
  expect_no_error(errors_of(2, {}, [](one_rank at) {
    at.fence();  // nothing is done in its epoch
    at.win.lock_all(at.here("lock_all"));
    if (at.me() == 0) at.store(16, 5);
    at.win.sync();
    at.barrier();
    if (at.me() == 1) puts_word(at);
    at.win.flush_all(at.here("flush"));
    at.barrier();
    if (at.me() == 0) at.store(16, 6);
    at.win.unlock_all(at.here("unlock_all"));
    at.fence(false);
  }));
}

TEST(window_checks, what_is_behind_the_last_fence_is_the_programs) {
  expect_no_error(errors_of(2, {}, [](one_rank at) {
    at.fence();
    if (at.me() == 1) puts_word(at);
    at.fence(false);
    if (at.me() == 0) at.store(16, 5);
    at.barrier();
    at.fence();
    EXPECT_EQ(at.get_value(0, 16), 5);
    at.fence(false);
  }));
}

}  // namespace
}  // namespace pure::core
