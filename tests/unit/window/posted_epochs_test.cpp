// Epochs of post, start, complete and wait, in every way in which ranks reach each other's memory: a wait ends when all
// its origins have completed, and what they have put is there.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/window_ways.hpp"
#include "window/box_pool.hpp"
#include "window/epoch_box.hpp"

namespace {

using test_support::run_in_every_way;
using test_support::world;

constexpr std::size_t most_numbers = 40'000;  // so many bytes travel as a payload

/// A window of the program's memory, with a slice for each of three ranks, which rank 0 exposes to the two others.
class posted_window {
 public:
  explicit posted_window(int me) : is_target_(me == 0), numbers_(3 * most_numbers) {
    EXPECT_OK(pure_win_create(numbers_.data(), static_cast<std::int64_t>(numbers_.size() * sizeof numbers_[0]), 8,
                              PURE_INFO_NULL, world, &win));
    const std::vector<int> peers = is_target_ ? std::vector<int>{1, 2} : std::vector<int>{0};
    pure_group all = PURE_GROUP_NULL;
    EXPECT_OK(pure_comm_group(world, &all));
    EXPECT_OK(pure_group_incl(all, static_cast<int>(peers.size()), peers.data(), &group));
    EXPECT_OK(pure_group_free(&all));
  }
  posted_window(const posted_window&) = delete;
  posted_window& operator=(const posted_window&) = delete;
  ~posted_window() {
    EXPECT_OK(pure_group_free(&group));
    EXPECT_OK(pure_win_free(&win));
  }

  void put(std::int64_t value, std::size_t count, int me) {
    values_.assign(count, value);
    EXPECT_OK(pure_put(values_.data(), static_cast<std::int64_t>(count), PURE_INT64_T, 0, first_of(me),
                       static_cast<std::int64_t>(count), PURE_INT64_T, win));
  }
  [[nodiscard]] static std::int64_t first_of(int rank) { return static_cast<std::int64_t>(most_numbers) * rank; }
  [[nodiscard]] std::int64_t first_number_of(int rank) const {
    return numbers_[static_cast<std::size_t>(rank) * most_numbers];
  }
  [[nodiscard]] std::int64_t last_number_of(int rank, std::size_t count) const {
    return numbers_[static_cast<std::size_t>(rank) * most_numbers + count - 1];
  }

  pure_win win = PURE_WIN_NULL;
  pure_group group = PURE_GROUP_NULL;

 private:
  bool is_target_;
  std::vector<std::int64_t> numbers_, values_;
};

TEST(posted_epochs, have_all_that_was_put_when_a_wait_or_a_test_says_that_they_are_over) {
  for (const bool checks : {false, true}) {
    run_in_every_way(3, checks, [](int me) {
      posted_window on(me);
      constexpr std::size_t counts[] = {1, 3000, most_numbers, 2};
      for (int epoch = 1; epoch <= 60; ++epoch) {
        const std::size_t count = counts[epoch % 4];
        if (me == 0) {
          EXPECT_OK(pure_win_post(on.group, 0, on.win));
          int is_over = 0;
          while (is_over == 0 && epoch % 2 == 0) EXPECT_OK(pure_win_test(on.win, &is_over));
          if (is_over == 0) {
            EXPECT_OK(pure_win_wait(on.win));
          }
          for (const int rank : {1, 2}) {
            EXPECT_EQ(on.first_number_of(rank), 10 * epoch + rank);
            EXPECT_EQ(on.last_number_of(rank, count), 10 * epoch + rank);
          }
        } else {
          EXPECT_OK(pure_win_start(on.group, 0, on.win));
          on.put(10 * epoch + me, count, me);
          EXPECT_OK(pure_win_complete(on.win));
        }
      }
    });
  }
}

TEST(posted_epochs, wait_for_each_of_their_origins_however_often_another_has_completed) {
  std::atomic<int> completed{0};
  run_in_every_way(3, false, [&](int me) {
    posted_window on(me);
    if (me == 0) {
      for (int epoch = 0; epoch < 5; ++epoch) {
        completed = 0;
        EXPECT_OK(pure_win_post(on.group, 0, on.win));
        int is_over = 1;
        EXPECT_OK(pure_win_test(on.win, &is_over));
        EXPECT_EQ(is_over, 0) << "nobody has begun";
        for (const int rank : {1, 2}) EXPECT_OK(pure_send_msg(&epoch, 1, PURE_INT, rank, 0, world));
        EXPECT_OK(pure_win_wait(on.win));
        EXPECT_EQ(completed, 2);
      }
    } else {
      for (int epoch = 0; epoch < 5; ++epoch) {
        int begins = 0;
        EXPECT_OK(pure_recv_msg(&begins, 1, PURE_INT, 0, 0, world));
        EXPECT_OK(pure_win_start(on.group, 0, on.win));
        on.put(epoch, 1, me);
        if ((epoch + me) % 2 == 0) usleep(5'000);  // one of them is late
        ++completed;
        EXPECT_OK(pure_win_complete(on.win));
      }
    }
  });
}

TEST(posted_epochs, have_brought_what_they_were_to_bring_when_they_are_completed) {
  run_in_every_way(3, false, [](int me) {
    posted_window on(me);
    for (int epoch = 1; epoch <= 20; ++epoch) {
      if (me == 0) {
        EXPECT_OK(pure_win_post(on.group, 0, on.win));
        EXPECT_OK(pure_win_wait(on.win));
        for (const int rank : {1, 2}) EXPECT_EQ(on.first_number_of(rank), 2 * epoch);
        continue;
      }
      const std::int64_t one = 1, first = posted_window::first_of(me);
      std::int64_t before = -1;
      EXPECT_OK(pure_win_start(on.group, 0, on.win));
      EXPECT_OK(pure_accumulate(&one, 1, PURE_INT64_T, 0, first, 1, PURE_INT64_T, PURE_SUM, on.win));
      EXPECT_OK(pure_fetch_and_op(&one, &before, PURE_INT64_T, 0, first, PURE_SUM, on.win));
      EXPECT_OK(pure_win_complete(on.win));
      EXPECT_EQ(before, 2 * epoch - 1);
    }
  });
}

/// Words of rank 0, eight for each rank, which it exposes to all others.
struct exposed_words {
  explicit exposed_words(int me, int ranks) : words(me == 0 ? static_cast<std::size_t>(8 * ranks) : 0) {
    EXPECT_OK(pure_win_create(words.data(), static_cast<std::int64_t>(words.size() * sizeof words[0]), 8,
                              PURE_INFO_NULL, world, &win));
    pure_group all = PURE_GROUP_NULL;
    const int target = 0;
    EXPECT_OK(pure_win_get_group(win, &all));
    EXPECT_OK(me == 0 ? pure_group_excl(all, 1, &target, &peers) : pure_group_incl(all, 1, &target, &peers));
    EXPECT_OK(pure_group_free(&all));
  }
  exposed_words(const exposed_words&) = delete;
  exposed_words& operator=(const exposed_words&) = delete;
  ~exposed_words() {
    EXPECT_OK(pure_group_free(&peers));
    EXPECT_OK(pure_win_free(&win));
  }
  void put(std::int64_t value, int count, std::int64_t at) {
    const std::vector<std::int64_t> values(static_cast<std::size_t>(count), value);
    EXPECT_OK(pure_put(values.data(), count, PURE_INT64_T, 0, at, count, PURE_INT64_T, win));
  }

  std::vector<std::int64_t> words;
  pure_win win = PURE_WIN_NULL;
  pure_group peers = PURE_GROUP_NULL;
};

/// Of more origins than have places in a box, and with operations that go by messages beside what is put there.
TEST(posted_epochs, have_small_puts_alone_and_beside_other_operations) {
  constexpr int ranks = pure::core::epoch_box::places + 3;
  run_in_every_way(ranks, false, [](int me) {
    exposed_words on(me, ranks);
    for (int epoch = 1; epoch <= 24; ++epoch) {
      if (me == 0) {
        if (epoch % 7 == 0) usleep(1'000);  // the origins sleep
        EXPECT_OK(pure_win_post(on.peers, 0, on.win));
        EXPECT_OK(pure_win_wait(on.win));
        for (int rank = 1; rank < ranks; ++rank) {
          const std::int64_t* const its = &on.words[static_cast<std::size_t>(8 * rank)];
          EXPECT_EQ(its[0], 100 * epoch + rank);
          switch ((epoch + rank) % 4) {
            case 1: EXPECT_EQ(its[1], epoch) << "the second put"; break;
            case 2: EXPECT_EQ(its[2], epoch) << "beside an atomic operation"; break;
            case 3: EXPECT_EQ(its[7], 100 * epoch + rank) << "too long for a place"; break;
            default: break;
          }
        }
        continue;
      }
      const std::int64_t first = 8 * me, now = epoch;
      std::int64_t before = 0;
      EXPECT_OK(pure_win_start(on.peers, 0, on.win));
      if ((epoch + me) % 5 == 0) usleep(1'000);  // the target sleeps
      on.put(100 * epoch + me, (epoch + me) % 4 == 3 ? 8 : 1, first);
      if ((epoch + me) % 4 == 1) on.put(epoch, 1, first + 1);
      if ((epoch + me) % 4 == 2) {
        EXPECT_OK(pure_fetch_and_op(&now, &before, PURE_INT64_T, 0, first + 2, PURE_REPLACE, on.win));
      }
      EXPECT_OK(pure_win_complete(on.win));
    }
  });
}

TEST(posted_epochs, of_more_windows_than_have_boxes_and_of_windows_that_come_after_others) {
  run_in_every_way(2, false, [](int me) {
    for (int round = 1; round <= 3; ++round) {
      std::vector<std::unique_ptr<exposed_words>> all;
      for (int i = 0; i < pure::core::box_pool::windows + 3; ++i) all.push_back(std::make_unique<exposed_words>(me, 2));
      for (int epoch = 1; epoch <= 2; ++epoch) {
        for (const auto& on : all) {
          if (me == 0) {
            EXPECT_OK(pure_win_post(on->peers, 0, on->win));
          } else {
            EXPECT_OK(pure_win_start(on->peers, 0, on->win));
            on->put(10 * round + epoch, 1, 8);
            EXPECT_OK(pure_win_complete(on->win));
          }
        }
        for (const auto& on : all) {
          if (me != 0) break;
          EXPECT_OK(pure_win_wait(on->win));
          EXPECT_EQ(on->words[8], 10 * round + epoch);
        }
      }
      while (!all.empty()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    }
  });
}

TEST(posted_epochs, have_what_was_put_when_a_notification_comes) {
  run_in_every_way(2, false, [](int me) {
    exposed_words on(me, 2);
    for (int epoch = 1; epoch <= 20; ++epoch) {
      if (me == 0) {
        EXPECT_OK(pure_win_post(on.peers, 0, on.win));
        EXPECT_OK(pure_win_wait_notified(1, 0, on.win));
        EXPECT_EQ(on.words[8], epoch);
        EXPECT_OK(pure_win_wait(on.win));
        EXPECT_EQ(on.words[9], epoch);
      } else {
        EXPECT_OK(pure_win_start(on.peers, 0, on.win));
        on.put(epoch, 1, 8);
        EXPECT_OK(pure_win_notify(0, 0, on.win));
        on.put(epoch, 1, 9);
        EXPECT_OK(pure_win_complete(on.win));
      }
    }
  });
}

/// In the epochs of locks a put does not wait for what its rank sends next.
TEST(posted_epochs, hold_nothing_back_when_they_are_over) {
  test_support::loopback_world network(2);
  pure::core::settings values;
  values.window_transport = "messages";
  const auto body = [&](pure::core::rank_context& self) {
    EXPECT_OK(pure_set_errhandler(PURE_ERRORS_RETURN));
    const int me = self.number();
    std::int64_t number = 0;
    const std::int64_t one = 1;
    pure_win win = PURE_WIN_NULL;
    pure_group all = PURE_GROUP_NULL;
    EXPECT_OK(pure_win_create(&number, 8, 8, PURE_INFO_NULL, world, &win));
    EXPECT_OK(pure_win_get_group(win, &all));
    EXPECT_OK(pure_win_post(all, 0, win));
    EXPECT_OK(pure_win_start(all, 0, win));
    EXPECT_OK(pure_win_complete(win));
    EXPECT_OK(pure_win_wait(win));
    EXPECT_OK(pure_barrier(world));
    if (me == 1) {
      EXPECT_OK(pure_win_lock_all(0, win));
      const std::size_t before = network.messages_sent(1);
      EXPECT_OK(pure_put(&one, 1, PURE_INT64_T, 0, 0, 1, PURE_INT64_T, win));
      // Another thread of the process may have the network just then, and sends it for this one.
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (network.messages_sent(1) == before && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
      EXPECT_GT(network.messages_sent(1), before);
      EXPECT_OK(pure_win_unlock_all(win));
    }
    EXPECT_OK(pure_group_free(&all));
    EXPECT_OK(pure_win_free(&win));
    return 0;
  };
  EXPECT_EQ(test_support::run_over(network, 2, values, body), 0);
}

}  // namespace
