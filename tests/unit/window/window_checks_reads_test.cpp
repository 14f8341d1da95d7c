// PURE_CHECK, windows: reads, and requests that complete them (MPI 4.1, 12.3.5: what rget has read is with the origin
// when its request is complete; what rput has written need not be there).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "support/checked_windows.hpp"
#include "window/read_request.hpp"

namespace pure::core {
namespace {

using namespace test_support;

/// Starts to read the word of rank 0; what `then` does comes before the next operation on it.
struct read_of_word {
  explicit read_of_word(one_rank at, bool looks = false) : all(at.win.comm().requests()) {
    combination none;
    none.what = combination::kind::none;
    none.element_bytes = 8;
    const window_place where{0, 16, 8, nullptr};
    request = looks ? start_look(at.win, at.here("rget_accumulate"), {&value, 8, {}}, where, none)
                    : start_get(at.win, at.here("rget"), {&value, 8, {}}, where);
  }
  void wait() {
    all.wait({"wait", {}}, request);
    all.finish(request);
  }

  requests& all;
  std::int64_t value = 0;
  handle request;
};

void in_lock_all(one_rank at, const std::function<void()>& what) {
  at.win.lock_all(at.here("lock_all"));
  what();
  at.win.unlock_all(at.here("unlock_all"));
}

TEST(window_checks_reads, a_read_that_its_request_has_completed_is_in_nobodys_way) {
  for (const bool looks : {false, true}) {
    expect_no_error(errors_of(3, {}, [&](one_rank at) {  // the example of the standard
      if (at.me() != 1) return;
      in_lock_all(at, [&] {
        read_of_word read(at, looks);
        read.wait();
        puts_word(at);
      });
    }));
    expect_no_error(errors_of(3, {}, [&](one_rank at) {
      in_lock_all(at, [&] {
        if (at.me() == 1) {
          read_of_word read(at, looks);
          while (!read.all.test(read.request)) {
          }
          at.turn.next();
          read.wait();
        } else if (at.me() == 2) {
          at.turn.wait_for(1);
          puts_word(at);
        }
      });
    }));
  }
}

TEST(window_checks_reads, one_that_nobody_has_waited_for_is) {
  for (const bool looks : {false, true}) {
    expect_error_of(1,
                    errors_of(2, {},
                              [&](one_rank at) {
                                at.win.lock_all(at.here("lock_all"));
                                if (at.me() != 1) return;
                                read_of_word read(at, looks);
                                try {
                                  puts_word(at);
                                } catch (const Error&) {
                                  read.wait();
                                  throw;
                                }
                              }),
                    {"this put", "by rank 1, rget"});
  }
}

TEST(window_checks_reads, nor_does_another_request_complete_it) {
  expect_error_of(1,
                  errors_of(2, {},
                            [](one_rank at) {
                              at.win.lock_all(at.here("lock_all"));
                              if (at.me() != 1) return;
                              read_of_word first(at), second(at);
                              second.wait();
                              try {
                                puts_word(at);
                              } catch (const Error&) {
                                first.wait();
                                throw;
                              }
                            }),
                  {"this put", "the get by rank 1, rget"});
  expect_error_of(1,
                  errors_of(2, {},
                            [](one_rank at) {
                              at.win.lock_all(at.here("lock_all"));
                              if (at.me() != 1) return;
                              gets_word(at);
                              read_of_word read(at);
                              read.wait();
                              puts_word(at);
                            }),
                  {"this put", "the get by rank 1, get"});
}

TEST(window_checks_reads, nor_one_that_is_freed) {
  expect_error_of(1,
                  errors_of(2, {},
                            [](one_rank at) {
                              at.win.lock_all(at.here("lock_all"));
                              if (at.me() != 1) return;
                              read_of_word read(at);
                              read.all.free_request(at.here("free"), read.request);
                              puts_word(at);
                            }),
                  {"this put", "the get by rank 1"});
  expect_no_error(errors_of(2, {}, [](one_rank at) {
    if (at.me() != 1) return;
    in_lock_all(at, [&] {
      read_of_word read(at);
      at.win.flush(at.here("flush"), 0);
      puts_word(at);
      read.wait();
    });
  }));
}

TEST(window_checks_reads, a_request_may_outlive_its_window) {
  expect_no_error(errors_of(2, {}, [](one_rank at) {
    window& other = make_window(at.win.comm(), at.here("make"), {.bytes = part_bytes, .options = {}});
    one_rank there{other, at.turn};
    handle left;
    std::int64_t value = 0;
    in_lock_all(there, [&] { left = start_get(other, at.here("rget"), {&value, 8, {}}, {0, 16, 8, nullptr}); });
    EXPECT_EQ(free_window(other, at.here("free")), nullptr);
    at.win.comm().requests().wait(at.here("wait"), left);
    at.win.comm().requests().finish(left);
  }));
}

TEST(window_checks_reads, two_operations_that_only_read_never_conflict) {
  expect_no_error(one_after_the_other(gets_word, looks_word));
  expect_no_error(one_after_the_other(looks_word, gets_word));
  door hardware;
  hardware.options.alignment = 64;
  hardware.options.atomics = atomics_by::hardware;
  const auto looks_misaligned = [](one_rank at) { at.add_value(0, 20, 0, combination::kind::none); };
  expect_no_error(one_after_the_other(looks_word, looks_misaligned, hardware));
  expect_error_of(2, one_after_the_other(looks_word, puts_word), {"this put", "the atomic operation by rank 1"});
  expect_error_of(2, one_after_the_other(swaps_word, gets_word), {"this get", "the atomic operation by rank 1"});
}

TEST(window_checks_reads, atomic_operations_of_one_rank_are_in_its_order) {
  door same;
  same.options.promise = same_operations::same;
  for (const door& how : {door{}, same}) {
    expect_no_error(errors_of(2, how, [](one_rank at) {
      at.fence();
      if (at.me() != 1) return;
      adds_word(at);
      replaces_word(at);
      looks_word(at);
      swaps_word(at);
    }));
  }
}

}  // namespace
}  // namespace pure::core
