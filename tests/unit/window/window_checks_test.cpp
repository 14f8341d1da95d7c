// PURE_CHECK, windows: what is found, with the ranks, bytes and calls that are named; and what is right is not
// reported. Each wrong program is one whose second access waits for the first one by what the checks do not see,
// std::atomic, so that the order is always the same.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "coll/collective.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "layout/layout.hpp"
#include "runtime/wait.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "window/create.hpp"
#include "window/operations.hpp"

namespace pure::core {
namespace {

constexpr std::size_t part_bytes = 64;

/// A turn that ranks take, which the checks know nothing of.
class turns {
 public:
  void wait_for(communicator& on, int turn) {
    wait_until(on.owner(), {{"turns", {}}, "its turn", wait_reason::nobody}, [&] {
      return now_.load(std::memory_order_acquire) >= turn;  // pairs with next()
    });
  }
  void next() { now_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<int> now_{0};
};

/// What one rank does with a window that all have made; with checks.
struct one_rank {
  window& win;
  turns& turn;

  [[nodiscard]] int me() const { return win.rank(); }
  static call here(const char* operation, pure_call_site site = pure_call_site::current()) { return {operation, site}; }

  void put_value(int rank, std::int64_t offset, std::int64_t value, pure_call_site site = pure_call_site::current()) {
    put(win, here("put", site), {&value, 8, {}}, {rank, offset, 8, nullptr});
  }
  std::int64_t get_value(int rank, std::int64_t offset, pure_call_site site = pure_call_site::current()) {
    std::int64_t value = 0;
    get(win, here("get", site), {&value, 8, {}}, {rank, offset, 8, nullptr});
    return value;
  }
  void add_value(int rank, std::int64_t offset, std::int64_t value, combination::kind kind = combination::kind::combine,
                 pure_call_site site = pure_call_site::current()) {
    combination how;
    how.what = kind;
    how.element_bytes = 8;
    how.how.element_bytes = 8;
    how.how.combine = [](const void*, const void* left, const void* right, void* out, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        static_cast<std::int64_t*>(out)[i] = static_cast<const std::int64_t*>(left)[i] +
                                             static_cast<const std::int64_t*>(right)[i];
    };
    accumulate(win, here("accumulate", site), {&value, 8, {}}, nullptr, {rank, offset, 8, nullptr}, how);
  }
  void swap_value(int rank, std::int64_t offset) {
    std::int64_t expected = 0, desired = 1, before = 0;
    compare_and_swap(win, here("swap"), &expected, &desired, &before, 8, rank, offset);
  }
  void store(std::int64_t offset, std::int64_t value) const { std::memcpy(win.own().base + offset, &value, 8); }
  void fence(bool opens = true, bool waits = true) { win.fence(here("fence"), opens, waits); }
  void barrier() const {
    collective_arguments what;
    what.kind = detail::collective::barrier;
    run_collective(win.comm(), here("barrier"), what);
  }
  void send_to(int rank) const { send(win.comm(), here("send"), nullptr, 0, rank, 0); }
  void receive_from(int rank) const {
    receive(win.comm(), here("receive"), {nullptr, 0, nullptr}, rank, 0, [](const status&) {});
  }
};

struct door {
  bool needs_epochs = true;
  window_options options = {};
};

/// Runs it on ranks. The errors, by rank: empty where there was none.
std::vector<std::string> errors_of(int ranks, const door& how, const std::function<void(one_rank)>& program) {
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  turns turn;
  settings values;
  values.check = true;
  const outcome end = run_ranks({.values = values, .ranks = ranks}, attach_services, [&](rank_context& self) {
    communicator& world = communicator_table::of(self).world();
    window& made = make_window(world, {"make", {}},
                               {.bytes = part_bytes, .options = how.options, .needs_epochs = how.needs_epochs});
    made.rename("halo");
    try {
      program({made, turn});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::rma_conflict) << error.what();
      texts[static_cast<std::size_t>(self.number())] = error.what();
    }
    abandon(made);
    return 0;
  });
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
  return texts;
}

void expect_texts(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words)
    EXPECT_NE(text.find(each), std::string::npos) << "no '" << each << "' in: " << text;
}

/// Only that rank has an error, which has these words.
void expect_error_of(int rank, const std::vector<std::string>& errors, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (static_cast<int>(i) == rank) {
      expect_texts(errors[i], words);
    } else {
      EXPECT_EQ(errors[i], "") << i;
    }
  }
}

void expect_no_error(const std::vector<std::string>& errors) { expect_error_of(-1, errors, {}); }

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
                    at.turn.wait_for(at.win.comm(), 1);
                    at.put_value(0, 12, 2, {"second.cpp", 7});
                  }
                }),
      {"put: rank 2 of window \"halo\": this put uses bytes 12 to 15 of rank 0's memory, and so does the put by "
       "rank 1, put at first.cpp:31, which is not complete",
       "MPI 4.1, 12.7", "\n  at second.cpp:7"});
}

/// Rank 1 does the first, rank 2 the second, in one epoch of a fence, of all ranks.
std::vector<std::string> one_after_the_other(const std::function<void(one_rank)>& first,
                                             const std::function<void(one_rank)>& second, const door& how = {}) {
  return errors_of(3, how, [&](one_rank at) {
    at.fence();
    if (at.me() == 1) {
      first(at);
      at.turn.next();
    } else if (at.me() == 2) {
      at.turn.wait_for(at.win.comm(), 1);
      second(at);
    }
  });
}

const auto puts = [](one_rank at) { at.put_value(0, 16, at.me()); };
const auto gets = [](one_rank at) { static_cast<void>(at.get_value(0, 16)); };
const auto adds = [](one_rank at) { at.add_value(0, 16, 1); };
const auto replaces = [](one_rank at) { at.add_value(0, 16, 1, combination::kind::replace); };
const auto looks = [](one_rank at) { at.add_value(0, 16, 0, combination::kind::none); };
const auto swaps = [](one_rank at) { at.swap_value(0, 16); };

TEST(window_checks, one_of_two_operations_that_writes_is_enough) {
  expect_error_of(2, one_after_the_other(puts, gets), {"this get uses bytes 16 to 23", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(gets, puts), {"this put", "the get by rank 1"});
  expect_error_of(2, one_after_the_other(adds, gets), {"this get", "the atomic operation by rank 1"});
  expect_error_of(2, one_after_the_other(puts, adds), {"this atomic operation", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(swaps, puts), {"this put", "the atomic operation by rank 1, swap at"});
  expect_no_error(one_after_the_other(gets, gets));
}

TEST(window_checks, atomic_operations_exclude_each_other) {
  for (const auto& first : {std::function<void(one_rank)>(adds), std::function<void(one_rank)>(replaces),
                            std::function<void(one_rank)>(looks), std::function<void(one_rank)>(swaps)}) {
    for (const auto& second : {std::function<void(one_rank)>(adds), std::function<void(one_rank)>(replaces),
                               std::function<void(one_rank)>(looks), std::function<void(one_rank)>(swaps)})
      expect_no_error(one_after_the_other(first, second));
  }
}

TEST(window_checks, what_a_program_promises_of_its_operators_is_checked) {
  door same;
  same.options.promise = same_operations::same;
  expect_no_error(one_after_the_other(adds, adds, same));
  expect_error_of(2, one_after_the_other(adds, replaces, same), {"the atomic operation by rank 1"});
  expect_error_of(2, one_after_the_other(adds, looks, same), {"the atomic operation by rank 1"});
  door or_none;
  or_none.options.promise = same_operations::same_or_no_op;
  expect_no_error(one_after_the_other(adds, looks, or_none));
  expect_error_of(2, one_after_the_other(adds, swaps, or_none), {"the atomic operation by rank 1, accumulate at"});
}

TEST(window_checks, instructions_and_locks_do_not_exclude_each_other) {
  door hardware;
  hardware.options.alignment = 64;
  hardware.options.atomics = atomics_by::hardware;
  const auto adds_misaligned = [](one_rank at) { at.add_value(0, 20, 1); };
  expect_no_error(one_after_the_other(adds, swaps, hardware));
  expect_error_of(2, one_after_the_other(adds, adds_misaligned, hardware), {"uses bytes 20 to 23"});
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
                              if (at.me() == 2) at.turn.wait_for(at.win.comm(), 1);
                              at.win.lock(at.here("lock"), 0, lock_kind::shared);
                              puts(at);
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
                              if (at.me() == 2) at.turn.wait_for(at.win.comm(), 1);
                              puts(at);
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
        puts(at);
        completes(at);
        at.turn.next();
      } else if (at.me() == 2) {
        at.turn.wait_for(at.win.comm(), 1);
        puts(at);
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
                                puts(at);
                                at.win.flush(at.here("flush"), 2);
                                at.turn.next();
                              } else if (at.me() == 2) {
                                at.turn.wait_for(at.win.comm(), 1);
                                puts(at);
                              }
                            }),
                  {"this put", "the put by rank 1"});
}

TEST(window_checks, a_fence_ends_what_was_before) {
  expect_no_error(errors_of(3, {}, [](one_rank at) {
    for (int i = 0; i < 20; ++i) {
      at.fence();
      if (at.me() == i % 3) puts(at);
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
                    at.turn.wait_for(at.win.comm(), 1);
                    puts(at);
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
                              if (at.me() == 0) at.turn.wait_for(at.win.comm(), 1);
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
                              if (at.me() == 0) at.turn.wait_for(at.win.comm(), 1);
                              if (at.me() == 0) at.store(16, 7);
                              if (at.me() == 1) gets(at);
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
                                at.turn.wait_for(at.win.comm(), 1);
                                at.store(16, 7);
                                at.turn.next();
                                at.win.wait(at.here("wait"));
                              } else {
                                at.win.start(at.here("start"), target);
                                at.put_value(0, 16, -1);
                                at.turn.next();
                                at.turn.wait_for(at.win.comm(), 2);
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
    if (at.me() == 1) puts(at);
    at.win.flush_all(at.here("flush"));
    at.barrier();
    if (at.me() == 0) at.store(16, 6);
    at.win.unlock_all(at.here("unlock_all"));
    at.fence(false);
  }));
}

TEST(window_checks, what_is_behind_the_last_fence_is_the_programs) {
  expect_no_error(errors_of(2, {}, [](one_rank at) {
    at.fence(true, false);  // nothing precedes: no rank waits
    if (at.me() == 1) puts(at);
    at.fence(false);
    if (at.me() == 0) at.store(16, 5);
    at.barrier();
    at.fence();
    EXPECT_EQ(at.get_value(0, 16), 5);
    at.fence(false);
  }));
}

// ---- windows without epochs -----------------------------------------------------------------------------------------

const door no_epochs{.needs_epochs = false};

TEST(window_checks, without_epochs_what_is_not_ordered_at_all_is_found) {
  expect_error_of(2, one_after_the_other(puts, puts, no_epochs), {"this put", "the put by rank 1"});
  expect_error_of(2, one_after_the_other(gets, puts, no_epochs), {"this put", "the get by rank 1"});
  expect_error_of(2, one_after_the_other(puts, adds, no_epochs), {"this atomic operation", "the put by rank 1"});
  expect_no_error(one_after_the_other(adds, puts, no_epochs));  // who reads the element may go on
}

TEST(window_checks, without_epochs_one_rank_may_do_what_it_likes_in_turn) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    if (at.me() != 1) return;
    puts(at);
    puts(at);
    gets(at);
    adds(at);
    puts(at);
  }));
}

TEST(window_checks, without_epochs_whatever_orders_ranks_orders_operations) {
  const auto passes = [](const std::function<void(one_rank)>& tells, const std::function<void(one_rank)>& hears) {
    expect_no_error(errors_of(3, no_epochs, [&](one_rank at) {
      at.fence();
      if (at.me() == 1) puts(at);
      if (at.me() == 1) tells(at);
      if (at.me() == 2) hears(at);
      if (at.me() == 2) puts(at);
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
      [](one_rank at) { at.turn.wait_for(at.win.comm(), 1); });
  passes([](one_rank at) { at.add_value(2, 0, 1); },
         [](one_rank at) {
           wait_until(at.win.comm().owner(), {{"flag", {}}, "a flag", wait_reason::nobody}, [&] {
             std::int64_t seen = 0, nothing = 0;
             compare_and_swap(at.win, at.here("look"), &nothing, &nothing, &seen, 8, 2, 0);
             return seen == 1;
           });
         });
}

TEST(window_checks, without_epochs_a_receive_tells_a_synchronous_sender) {
  expect_no_error(errors_of(2, no_epochs, [](one_rank at) {
    const std::vector<char> large(1 << 20);
    std::vector<char> into(large.size());
    for (int i = 0; i < 10; ++i) {
      if (at.me() == 0) {
        at.put_value(0, 0, i);
        receive(at.win.comm(), at.here("receive"), {into.data(), into.size(), nullptr}, 1, 0, [](const status&) {});
      } else {
        send(at.win.comm(), at.here("send"), large.data(), large.size(), 0, 0);  // returns when it was received
        at.put_value(0, 0, -i);
        at.send_to(0);
      }
      if (at.me() == 0) at.receive_from(1);
    }
  }));
}

TEST(window_checks, without_epochs_a_store_beside_a_put_that_nobody_was_told_of) {
  expect_error_of(0,
                  errors_of(2, no_epochs,
                            [](one_rank at) {
                              at.fence();
                              if (at.me() == 0) at.turn.wait_for(at.win.comm(), 1);
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
                              at.turn.wait_for(at.win.comm(), 2);  // both have left the fence
                              if (at.me() == 0) at.store(16, -1);
                              if (at.me() == 0) at.turn.next();
                              if (at.me() == 1) at.turn.wait_for(at.win.comm(), 3);
                              if (at.me() == 1) puts(at);
                            }),
                  {"bytes 16 to 23 of rank 0's memory were stored to"});
}

TEST(window_checks, without_epochs_a_store_that_somebody_was_told_of_is_right) {
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

}  // namespace
}  // namespace pure::core
