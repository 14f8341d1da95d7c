// pure::request: what it keeps alive, how it ends, and the functions that complete several.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

namespace {

static_assert(!std::is_copy_constructible_v<pure::request>);
static_assert(std::is_nothrow_move_constructible_v<pure::request>);
static_assert(std::is_nothrow_move_assignable_v<pure::request>);
static_assert(std::is_default_constructible_v<pure::request>);

TEST(pure_hpp_requests, a_default_request_is_complete) {
  pure::request none;
  EXPECT_TRUE(none.is_complete());
  const pure::status nothing = none.wait();
  EXPECT_EQ(nothing.source(), pure::any_source);
  EXPECT_EQ(nothing.bytes(), 0U);
  EXPECT_TRUE(none.test().has_value());
}

TEST(pure_hpp_requests, wait_and_test_may_be_called_again) {
  pure::run(1, [](pure::comm world) {
    int in = 0;
    pure::request receiving = world.irecv_into(in, 0, 4);
    EXPECT_FALSE(receiving.is_complete());
    EXPECT_FALSE(receiving.test().has_value());
    world.send(7, 0, 4);
    EXPECT_FALSE(receiving.is_complete()) << "until wait or test has seen it";
    const auto tested = receiving.test();
    ASSERT_TRUE(tested.has_value());
    EXPECT_EQ(tested->tag(), 4);
    EXPECT_TRUE(receiving.is_complete());
    EXPECT_EQ(receiving.wait().tag(), 4);
    EXPECT_EQ(receiving.wait().count<int>(), 1U);
    EXPECT_EQ(in, 7);
  });
}

TEST(pure_hpp_requests, temporaries_live_as_long_as_their_request) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      std::vector<pure::request> all;
      for (int i = 0; i < 50; ++i) {  // more than the ring holds, and larger than the eager limit
        all.push_back(world.isend(std::string(static_cast<std::size_t>(i) * 1000, 'a'), 1));
        all.push_back(world.isend(int{i}, 1));  // `i` itself must not change meanwhile
        all.push_back(world.isend(std::vector<int>(static_cast<std::size_t>(i) * 100, i), 1));
        all.push_back(world.isend(std::array<int, 5000>{i}, 1));
      }
      std::vector<pure::request> moved = std::move(all);
      pure::wait_all(moved);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(world.recv<std::string>(0), std::string(static_cast<std::size_t>(i) * 1000, 'a'));
        EXPECT_EQ(world.recv<int>(0), i);
        EXPECT_EQ(world.recv<std::vector<int>>(0), std::vector<int>(static_cast<std::size_t>(i) * 100, i));
        EXPECT_EQ((world.recv<std::array<int, 5000>>(0)[0]), i);
      }
    }
  });
}

TEST(pure_hpp_requests, the_destructor_of_a_send_waits_for_its_buffer) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      std::vector<char> out(500'000, 'a');
      { const pure::request sending = world.isend(out, 1); }
      std::fill(out.begin(), out.end(), 'b');
      world.send(0, 1, 1);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(world.recv<std::string>(0), std::string(500'000, 'a'));
      (void)world.recv<int>(0, 1);
    }
  });
}

TEST(pure_hpp_requests, the_destructor_of_a_receive_withdraws_it) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      (void)world.recv<int>(1, 9);  // it has withdrawn two receives
      for (const int value : {1, 2, 3, 4}) world.send(value, 1);
    } else {
      int abandoned = -1, kept = -1, last = -1;
      pure::request keeps = world.irecv_into(kept, 0);
      { const pure::request withdrawn = world.irecv_into(abandoned, 0); }
      { const pure::request withdrawn = world.irecv_into(abandoned, pure::any_source, pure::any_tag); }
      pure::request keeps_last = world.irecv_into(last, 0);
      world.send(0, 0, 9);
      EXPECT_EQ(world.recv<int>(0), 3) << "the messages go to the receives that are left, in order";
      keeps_last.wait();
      keeps.wait();
      EXPECT_EQ(kept, 1);
      EXPECT_EQ(last, 2);
      EXPECT_EQ(world.recv<int>(0), 4);
      EXPECT_EQ(abandoned, -1);
    }
  });
}

TEST(pure_hpp_requests, a_message_of_a_withdrawn_receive_can_still_be_received) {
  pure::run(1, [](pure::comm world) {
    std::vector<char> in(100'000, 'x');
    { const pure::request withdrawn = world.irecv_into(in, 0, 1); }
    const pure::request sending = world.isend(std::vector<char>(100'000, 'y'), 0, 1);
    EXPECT_EQ(in, std::vector<char>(100'000, 'x'));
    EXPECT_EQ(world.recv<std::vector<char>>(0, 1), std::vector<char>(100'000, 'y'));
  });
}

TEST(pure_hpp_requests, moving_hands_over_the_operation) {
  pure::run(1, [](pure::comm world) {
    int first = 0, second = 0;
    pure::request a = world.irecv_into(first, 0, 1);
    pure::request b = std::move(a);
    EXPECT_TRUE(a.is_complete());  // NOLINT: a moved-from request is complete
    EXPECT_FALSE(b.is_complete());
    world.send(10, 0, 1);
    EXPECT_EQ(b.wait().tag(), 1);
    EXPECT_EQ(first, 10);

    // Assigning to a pending receive withdraws it first.
    pure::request c = world.irecv_into(first, 0, 1);
    c = world.irecv_into(second, 0, 1);
    world.send(20, 0, 1);
    c.wait();
    EXPECT_EQ(first, 10);
    EXPECT_EQ(second, 20);
    c = pure::request();
    EXPECT_TRUE(c.is_complete());
    // Assigning to a pending send waits for its receiver: here there is one.
    pure::request receiving = world.irecv_into(first, 0, 3);
    pure::request sending = world.isend(int{30}, 0, 3);
    sending = pure::request();
    receiving.wait();
    pure::request& same = receiving;
    receiving = std::move(same);  // self-assignment leaves it alone
    EXPECT_EQ(receiving.wait().tag(), 3);
  });
}

TEST(pure_hpp_requests, wait_all_gives_the_statuses_in_order) {
  pure::run(3, [](pure::comm world) {
    std::vector<std::string> in(static_cast<std::size_t>(world.size()), std::string(10, ' '));
    std::vector<pure::request> all;
    for (int r = 0; r < world.size(); ++r) all.push_back(world.irecv_into(in[static_cast<std::size_t>(r)], r, r));
    all.emplace_back();
    for (int r = 0; r < world.size(); ++r) {
      const std::string text(static_cast<std::size_t>(world.rank()) + 1, 'x');
      world.send(text, r, world.rank());
    }
    const std::vector<pure::status> statuses = pure::wait_all(all);
    ASSERT_EQ(statuses.size(), all.size());
    for (int r = 0; r < world.size(); ++r) {
      EXPECT_EQ(statuses[static_cast<std::size_t>(r)].source(), r);
      EXPECT_EQ(statuses[static_cast<std::size_t>(r)].bytes(), static_cast<std::size_t>(r) + 1);
    }
    EXPECT_EQ(statuses.back().bytes(), 0U);
    EXPECT_TRUE(pure::wait_all({}).empty());
    EXPECT_TRUE(pure::test_all({}));
  });
}

TEST(pure_hpp_requests, any_and_some) {
  pure::run(1, [](pure::comm world) {
    std::vector<int> in(5, -1);
    std::vector<pure::request> all;
    for (int tag = 0; tag < 5; ++tag) all.push_back(world.irecv_into(in[static_cast<std::size_t>(tag)], 0, tag));
    EXPECT_FALSE(pure::test_any(all).has_value());
    EXPECT_TRUE(pure::test_some(all).empty());
    EXPECT_FALSE(pure::test_all(all));

    world.send(103, 0, 3);
    EXPECT_EQ(pure::wait_any(all), std::size_t{3});
    EXPECT_EQ(in[3], 103);
    EXPECT_EQ(all[3].wait().tag(), 3);
    world.send(100, 0, 0);
    EXPECT_EQ(pure::test_any(all), std::size_t{0});
    EXPECT_FALSE(pure::test_any(all).has_value()) << "what was complete before does not count";

    world.send(104, 0, 4);
    world.send(101, 0, 1);
    std::vector<std::size_t> some = pure::wait_some(all);
    std::sort(some.begin(), some.end());
    EXPECT_EQ(some, (std::vector<std::size_t>{1, 4}));
    world.send(102, 0, 2);
    EXPECT_EQ(pure::test_some(all), std::vector<std::size_t>{2});
    EXPECT_TRUE(pure::test_all(all));
    EXPECT_FALSE(pure::wait_any(all).has_value());
    EXPECT_TRUE(pure::wait_some(all).empty());
    EXPECT_EQ(in, (std::vector<int>{100, 101, 102, 103, 104}));
  });
}

TEST(pure_hpp_requests, wait_all_ends_all_before_it_throws) {
  pure::run(1, [](pure::comm world) {
    int small = 0, first = 0, last = 0;
    std::vector<pure::request> all;
    all.push_back(world.irecv_into(first, 0, 1));
    all.push_back(world.irecv_into(small, 0, 2));
    all.push_back(world.irecv_into(last, 0, 3));
    world.send(1, 0, 1);
    world.send(std::array{1, 2}, 0, 2);
    world.send(3, 0, 3);
    try {
      pure::wait_all(all);
      FAIL() << "nothing was thrown";
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::truncate);
    }
    for (const pure::request& each : all) EXPECT_TRUE(each.is_complete());
    EXPECT_EQ(first, 1);
    EXPECT_EQ(last, 3);
  });
}

// ---- persistent requests ----

TEST(pure_hpp_requests, persistent_requests_start_and_complete_together) {
  pure::run(1, [](pure::comm world) {
    std::vector<int> out{1, 2, 3, 4}, in(4);
    std::vector<pure::persistent_request> all, none(2);
    for (int i = 0; i < 4; ++i) all.push_back(world.recv_init(in[static_cast<std::size_t>(i)], 0, i));
    const auto give = [&](int tag) { world.send(out[static_cast<std::size_t>(tag)], 0, tag); };
    const auto found = [](std::initializer_list<std::size_t> which) { return std::vector<std::size_t>(which); };

    EXPECT_TRUE(pure::test_all(all)) << "inactive";
    EXPECT_FALSE(pure::wait_any(all).has_value());
    EXPECT_FALSE(pure::wait_any(none).has_value());
    EXPECT_TRUE(pure::wait_some(all).empty());
    for (int round = 1; round < 4; ++round) {
      pure::start_all(all);
      EXPECT_FALSE(pure::test_any(all).has_value());
      EXPECT_TRUE(pure::test_some(all).empty());
      give(2);
      EXPECT_EQ(pure::wait_any(all), 2U);
      EXPECT_FALSE(all[2].is_active());
      EXPECT_TRUE(all[1].is_active());
      give(0);
      EXPECT_EQ(all[0].peek()->tag(), 0);
      EXPECT_TRUE(all[0].is_active()) << "a look does not complete it";
      give(3);
      EXPECT_FALSE(pure::test_all(all));
      EXPECT_TRUE(all[0].is_active() && all[3].is_active()) << "all, or none";
      EXPECT_EQ(pure::wait_some(all), found({0, 3}));
      EXPECT_FALSE(all[1].test().has_value());
      give(1);
      switch (round) {
        case 1: EXPECT_EQ(pure::test_any(all), 1U); break;
        case 2: EXPECT_EQ(pure::test_some(all), found({1})); break;
        default: EXPECT_EQ(all[1].test()->tag(), 1);
      }
      EXPECT_EQ(in, out);
      EXPECT_EQ(all[1].test()->bytes(), 0U) << "inactive";
      for (int& value : out) value += 10;
    }
    pure::start_all(all);
    for (const int tag : {3, 1, 0, 2}) give(tag);
    EXPECT_TRUE(pure::test_all(all));
    EXPECT_EQ(in, out);
    pure::start_all(all);
    for (const int tag : {0, 1, 2, 3}) give(tag);
    const std::vector<pure::status> outcomes = pure::wait_all(all);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(outcomes[static_cast<std::size_t>(i)].tag(), i);
  });
}

TEST(pure_hpp_requests, all_persistent_requests_are_started_or_none) {
  pure::run(1, [](pure::comm world) {
    int in[2] = {0, 0};
    std::vector<pure::persistent_request> both;
    both.push_back(world.recv_init(in[0], 0, 0));
    both.push_back(world.recv_init(in[1], 0, 1));
    both[1].start();
    EXPECT_THROW(pure::start_all(both), pure::Error);
    EXPECT_FALSE(both[0].is_active());
    both[1].cancel();
    EXPECT_TRUE(both[1].wait().is_cancelled());
    both[1].cancel();  // inactive: nothing happens
    pure::persistent_request moved = std::move(both[1]);
    EXPECT_THROW(pure::start_all(both), pure::Error);
    EXPECT_FALSE(both[0].is_active() || both[1].is_active());
    both[1] = std::move(moved);
    pure::start_all(both);
    world.send(5, 0, 0);
    world.send(6, 0, 1);
    pure::wait_all(both);
    EXPECT_EQ(in[0] + in[1], 11) << "it can be started after it was cancelled";
  });
}

// ---- every mode ----

TEST(pure_hpp_requests, every_mode_is_there_as_a_request_and_persistent) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{30'000}}) {
    pure::run(2, [n](pure::comm world) {
      const int other = 1 - world.rank();
      std::vector<int> out(n, world.rank() + 1), in(n), none(n, 0);
      const pure::send_buffer automatic = world.send_buffer();
      const auto receive = [&](pure::request& posted) {
        posted.wait();
        EXPECT_EQ(in, std::vector<int>(n, other + 1));
        in = none;
      };
      for (int tag = 0; tag < 3; ++tag) {
        pure::request posted = world.irecv_into(in, other, tag);
        world.barrier();  // a ready send may be sent now
        pure::request sending = tag == 0   ? world.issend(out, other, tag)
                                : tag == 1 ? world.ibsend(std::vector<int>(out), other, tag)
                                           : world.irsend(out, other, tag);
        EXPECT_TRUE(tag != 1 || sending.test().has_value()) << "it is complete at once";
        receive(posted);
        sending.wait();
      }
      for (int mode = 0; mode < 4; ++mode) {
        pure::persistent_request again = mode == 0   ? world.send_init(out, other)
                                         : mode == 1 ? world.ssend_init(out, other)
                                         : mode == 2 ? world.bsend_init(out, other)
                                                     : world.rsend_init(out, other);
        for (int round = 0; round < 3; ++round) {
          pure::request posted = world.irecv_into(in, other);
          world.barrier();
          again.start();
          receive(posted);
          again.wait();
        }
      }
      pure::request replaced = world.isendrecv_replace(out, other, other, 9);
      EXPECT_EQ(replaced.wait().tag(), 9);
      EXPECT_EQ(out, std::vector<int>(n, other + 1));
      pure::request sending = world.isend(out, other, 3);
      pure::message found = world.mprobe(other, 3);
      pure::request filled = found.irecv_into(in);
      EXPECT_EQ(filled.wait().count<int>(), n);
      EXPECT_EQ(in, std::vector<int>(n, world.rank() + 1));
      EXPECT_THROW((void)found.irecv_into(in), pure::Error) << "received already";
    });
  }
}

}  // namespace
