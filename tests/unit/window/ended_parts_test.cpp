// A rank that ends, or gives a window up, while others still use its part: memory of the program is taken back, memory
// of the window stays. What is taken back is not touched again, and who tries is told why.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/communicator_table.hpp"
#include "support/window_ways.hpp"
#include "window/create.hpp"
#include "window/operations.hpp"
#include "window/window_table.hpp"

namespace {

using namespace pure::core;
using test_support::expect_error;
using test_support::run_in;
using test_support::window_ways;
using test_support::windows_at_end;
using test_support::world;

constexpr std::int64_t words = 4;
constexpr int last = 2;  // the rank that ends

/// Of windows that programs make over it; it outlives all ranks, so that a test may look whether it was touched.
struct programs_memory {
  std::int64_t of_rank[last + 1][words] = {};
};

enum class kind { created, dynamic, allocated };

struct made_window {
  made_window(kind which, programs_memory& memory) {
    std::int64_t* const mine = memory.of_rank[pure_rank()];
    void* own = nullptr;
    switch (which) {
      case kind::created: EXPECT_OK(pure_win_create(mine, 8 * words, 1, PURE_INFO_NULL, world, &win)); break;
      case kind::allocated: EXPECT_OK(pure_win_allocate(8 * words, 1, PURE_INFO_NULL, world, &own, &win)); break;
      case kind::dynamic:
        EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win));
        EXPECT_OK(pure_win_attach(win, mine, 8 * words));
        first = reinterpret_cast<std::intptr_t>(memory.of_rank[last]);
    }
    EXPECT_OK(pure_win_set_name(win, "halo"));
    EXPECT_OK(pure_barrier(world));
  }

  /// Into a word of this rank's own.
  [[nodiscard]] int put(std::int64_t value) const {
    return pure_put(&value, 1, PURE_INT64_T, last, first + 8 * pure_rank(), 1, PURE_INT64_T, win);
  }
  /// The same, and what a flush says of it.
  [[nodiscard]] int put_and_flush(std::int64_t value) const {
    const int code = put(value), later = pure_win_flush(last, win);
    return code != PURE_SUCCESS ? code : later;
  }
  /// Until an operation finds that the part is gone.
  void wait_for_end() const {
    while (put_and_flush(1) == PURE_SUCCESS) usleep(1000);
  }
  /// Each operation is refused, at once or when it is flushed.
  void expect_all_refused(const std::vector<std::string>& why) const {
    std::int64_t value = 5, seen = 6;
    pure_request request = PURE_REQUEST_NULL;
    constexpr pure_datatype type = PURE_INT64_T;
    const std::function<int()> operations[] = {
        [&] { return put(77); },
        [&] { return pure_get(&seen, 1, type, last, first, 1, type, win); },
        [&] { return pure_accumulate(&value, 1, type, last, first, 1, type, PURE_SUM, win); },
        [&] { return pure_get_accumulate(&value, 1, type, &seen, 1, type, last, first, 1, type, PURE_SUM, win); },
        [&] { return pure_fetch_and_op(&value, &seen, type, last, first, PURE_REPLACE, win); },
        [&] { return pure_compare_and_swap(&value, &value, &seen, type, last, first, win); },
        [&] { return pure_rget(&seen, 1, type, last, first, 1, type, win, &request); },
    };
    for (const auto& each : operations) {
      const int code = each();
      expect_error(code != PURE_SUCCESS ? code : pure_win_flush(last, win), PURE_ERR_RMA_RANGE, why);
    }
    EXPECT_EQ(seen, 6);
    EXPECT_OK(pure_put(nullptr, 0, type, last, first, 0, type, win)) << "of no bytes";
    EXPECT_OK(pure_win_flush(last, win));
  }

  pure_win win = PURE_WIN_NULL;
  std::int64_t first = 0;
};

const std::vector<std::string> main_has_ended{"of window \"halo\"", "the main of rank 2 has ended", "free the window"};

TEST(ended_parts, of_a_main_that_has_ended_are_taken_back) {
  for (const auto& way : window_ways()) {
    for (const kind which : {kind::created, kind::dynamic}) {
      programs_memory memory;
      run_in(way, last + 1, false, windows_at_end::left, [&](int me) {
        const made_window on(which, memory);
        if (me == last) return;
        EXPECT_OK(pure_win_lock_all(0, on.win));
        on.wait_for_end();
        on.expect_all_refused(main_has_ended);
        EXPECT_LE(memory.of_rank[last][me], 1) << "it was put after the end";
        EXPECT_OK(pure_win_unlock_all(on.win)) << "locks do not lie in the part";
        if (which == kind::dynamic) return;
        std::int64_t size = -1;
        int unit = 0;
        void* base = &size;
        EXPECT_OK(pure_win_shared_query(on.win, last, &size, &unit, &base));
        EXPECT_EQ(size, 0);
        EXPECT_EQ(base, nullptr);
      });
    }
  }
}

TEST(ended_parts, of_other_ranks_are_as_they_were) {
  for (const auto& way : window_ways()) {
    programs_memory memory;
    run_in(way, last + 1, false, windows_at_end::left, [&](int me) {
      const made_window on(kind::created, memory);
      if (me == last) return;
      EXPECT_OK(pure_win_lock_all(0, on.win));
      on.wait_for_end();
      const std::int64_t value = 100 + me;
      EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, 1 - me, 8, 1, PURE_INT64_T, on.win));
      EXPECT_OK(pure_win_flush(1 - me, on.win));
      EXPECT_OK(pure_win_unlock_all(on.win));
      EXPECT_OK(pure_win_notify(1 - me, 0, on.win));
      EXPECT_OK(pure_win_wait_notified(1, 0, on.win));
      EXPECT_EQ(memory.of_rank[me][1], 101 - me);
    });
  }
}

TEST(ended_parts, of_the_windows_own_memory_stay) {
  for (const auto& way : window_ways()) {
    programs_memory none;
    run_in(way, last + 1, false, windows_at_end::left, [&](int me) {
      const made_window on(kind::allocated, none);
      if (me == last) return;
      EXPECT_OK(pure_win_lock_all(0, on.win));
      usleep(20'000);  // it ends meanwhile, or not: both are right
      const std::int64_t one = 1;
      for (int i = 0; i < 10; ++i)
        EXPECT_OK(pure_accumulate(&one, 1, PURE_INT64_T, last, 0, 1, PURE_INT64_T, PURE_SUM, on.win));
      EXPECT_OK(pure_win_flush(last, on.win));
      EXPECT_OK(pure_win_notify(1 - me, 0, on.win));
      EXPECT_OK(pure_win_wait_notified(1, 0, on.win));
      std::int64_t sum = 0;
      EXPECT_OK(pure_get(&sum, 1, PURE_INT64_T, last, 0, 1, PURE_INT64_T, on.win));
      EXPECT_OK(pure_win_flush(last, on.win));
      EXPECT_EQ(sum, 20);
      EXPECT_OK(pure_win_unlock_all(on.win));
    });
  }
}

// As pure::window does where its object ends: without epochs.
TEST(ended_parts, of_a_window_that_was_given_up_are_taken_back) {
  for (const auto& way : window_ways()) {
    programs_memory memory;
    run_in(way, last + 1, false, [&](int me) {
      communicator& all = communicator_table::of(*self()).world();
      window& made = make_window(all, {"window", {}},
                                 {.flavor = window_flavor::create,
                                  .bytes = 8 * words,
                                  .memory = memory.of_rank[me],
                                  .options = {.name = "halo"},
                                  .needs_epochs = false});
      if (me == last) {
        abandon(made);
        for (int rank = 0; rank < last; ++rank) EXPECT_OK(pure_recv_msg(nullptr, 0, PURE_INT, rank, 9, world));
        EXPECT_EQ(memory.of_rank[last][2], 0);
        return;
      }
      const call by{"window::put", pure_call_site::current()};
      const std::int64_t value = 1;
      std::string why;
      while (why.empty()) {
        try {
          put(made, by, {const_cast<std::int64_t*>(&value), 8, {}}, {last, 8 * me, 8, nullptr});
          made.flush(by, last);
          usleep(1000);
        } catch (const pure::Error& error) {
          why = error.what();
        }
      }
      EXPECT_NE(why.find("rank 2 has given the window up"), std::string::npos) << why;
      std::int64_t got = 0;
      EXPECT_THROW(get(made, by, {&got, 8, {}}, {last, 16, 8, nullptr}), pure::Error);
      EXPECT_THROW(
          {
            put(made, by, {const_cast<std::int64_t*>(&value), 8, {}}, {last, 16, 8, nullptr});
            made.flush(by, last);
          },
          pure::Error);
      EXPECT_OK(pure_send_msg(nullptr, 0, PURE_INT, last, 9, world));
      abandon(made);
    });
  }
}

// A put to the part is under way when it ends: free says so, after it has freed the window on all ranks.
TEST(ended_parts, is_said_at_the_latest_by_free) {
  programs_memory memory;
  run_in({"by messages", true, "messages"}, 2, false, [&](int me) {
    communicator& all = communicator_table::of(*self()).world();
    window& made = make_window(all, {"window", {}},
                               {.flavor = window_flavor::create,
                                .bytes = 8 * words,
                                .memory = memory.of_rank[me],
                                .options = {},
                                .needs_epochs = false});
    const call by{"window::free", pure_call_site::current()};
    if (me == 1) made.shared().end_part(1, part_end::main_ended);
    EXPECT_OK(pure_barrier(world));
    const std::int64_t value = 1;
    if (me == 0) put(made, by, {const_cast<std::int64_t*>(&value), 8, {}}, {1, 0, 8, nullptr});
    const std::exception_ptr refused = free_window(made, by);
    EXPECT_EQ(refused != nullptr, me == 0);
    EXPECT_EQ(memory.of_rank[1][0], 0);
  });
}

}  // namespace
