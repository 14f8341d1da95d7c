// pure.hpp, the rest of point-to-point: send modes, probes, persistent messages, send-receives, cancel, peek.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::error_of;
using test_support::some_doubles;

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<pure::message>);
static_assert(!std::is_move_constructible_v<pure::send_buffer>);

constexpr std::array<std::size_t, 5> vector_lengths{0, 1, 5, 256, 20'000};  // of doubles: up to beyond the eager limit

// ---- modes ----

TEST(pure_hpp_modes, all_modes_send_values_vectors_and_texts_in_order) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      const pure::send_buffer automatic = world.send_buffer();
      for (const std::size_t n : vector_lengths) {
        const std::vector<double> data = some_doubles(n, 1);
        world.ssend(data, 1);
        world.bsend(data, 1);
        world.rsend(data, 1);
        world.issend(data, 1).wait();
      }
      world.ssend(7, 1);
      world.bsend(std::string("kept"), 1);
      world.rsend(2.5, 1);
    } else {
      for (const std::size_t n : vector_lengths) {
        for (int i = 0; i < 4; ++i) EXPECT_EQ(world.recv<std::vector<double>>(0), some_doubles(n, 1)) << n << ", " << i;
      }
      EXPECT_EQ(world.recv<int>(0), 7);
      EXPECT_EQ(world.recv<std::string>(0), "kept");
      EXPECT_EQ(world.recv<double>(0), 2.5);
    }
  });
}

TEST(pure_hpp_modes, a_synchronous_send_waits_for_its_receive) {
  for (const std::size_t n : vector_lengths) {
    std::atomic<bool> is_posted{false};
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> data = some_doubles(n, 2);
      if (world.rank() == 0) {
        world.ssend(data, 1);
        EXPECT_TRUE(is_posted) << n;
      } else {
        std::this_thread::sleep_for(1ms);
        is_posted = true;
        EXPECT_EQ(world.recv<std::vector<double>>(0), data);
      }
    });
  }
}

TEST(pure_hpp_modes, a_send_buffer_is_full_or_flushed_or_ends) {
  pure::run(2, [](pure::comm world) {
    const std::vector<double> data = some_doubles(5000, 3);
    if (world.rank() == 0) {
      EXPECT_EQ(error_of([&] { world.bsend(data, 1); }), pure::errc::buffer) << "there is none";
      {
        pure::send_buffer buffer = world.send_buffer(2 * (5000 * sizeof(double) + pure::send_buffer::overhead));
        EXPECT_EQ(error_of([&] { const auto second = world.send_buffer(100); }), pure::errc::buffer) << "one at a time";
        world.bsend(data, 1);
        world.bsend(data, 1);
        EXPECT_EQ(error_of([&] { world.bsend(data, 1); }), pure::errc::buffer) << "full";
        world.send('x', 1, 1);
        buffer.flush();
        world.bsend(data, 1);
        world.send('x', 1, 1);
      }  // blocks until the third has been sent
      EXPECT_EQ(error_of([&] { world.bsend(data, 1); }), pure::errc::buffer) << "there is none any more";
      const pure::send_buffer another = world.send_buffer();
    } else {
      EXPECT_EQ(world.recv<char>(0, 1), 'x');
      for (int i = 0; i < 2; ++i) EXPECT_EQ(world.recv<std::vector<double>>(0), data);
      EXPECT_EQ(world.recv<char>(0, 1), 'x');
      EXPECT_EQ(world.recv<std::vector<double>>(0), data);
    }
  });
}

TEST(pure_hpp_modes, a_comm_may_have_a_send_buffer_of_its_own) {
  pure::run(2, [](pure::comm world) {
    const std::vector<double> data = some_doubles(5000, 4);
    const std::size_t one = 5000 * sizeof(double) + pure::send_buffer::overhead;
    const pure::comm part = world.split(0);
    if (world.rank() == 0) {
      const pure::send_buffer of_rank = world.send_buffer(one);
      {
        pure::send_buffer of_part = part.own_send_buffer(one);
        EXPECT_EQ(error_of([&] { const auto second = part.own_send_buffer(one); }), pure::errc::buffer);
        part.bsend(data, 1);
        EXPECT_EQ(error_of([&] { part.bsend(data, 1); }), pure::errc::buffer) << "the rank's is not for these";
        world.bsend(data, 1);  // which has its room still
        pure::request sent = of_part.iflush();
        world.send('x', 1, 1);
        sent.wait();
        part.bsend(data, 1);
        world.send('x', 1, 1);
      }
      world.send('x', 1, 1);
    } else {
      EXPECT_EQ(world.recv<char>(0, 1), 'x');
      EXPECT_EQ(part.recv<std::vector<double>>(0), data);
      EXPECT_EQ(world.recv<char>(0, 1), 'x');
      EXPECT_EQ(part.recv<std::vector<double>>(0), data);
      EXPECT_EQ(world.recv<char>(0, 1), 'x');
      EXPECT_EQ(world.recv<std::vector<double>>(0), data);
    }
  });
}

// ---- probes ----

TEST(pure_hpp_modes, a_probe_says_what_the_next_receive_gets) {
  pure::run(3, [](pure::comm world) {
    if (world.rank() != 0) {
      for (const std::size_t n : vector_lengths) world.send(some_doubles(n, world.rank()), 0, 5);
      return;
    }
    for (std::size_t i = 0; i < 2 * vector_lengths.size(); ++i) {
      const pure::status there = world.probe(pure::any_source, pure::any_tag);
      EXPECT_EQ(there.tag(), 5);
      const std::optional<pure::status> again = world.iprobe(there.source(), 5);
      ASSERT_TRUE(again.has_value()) << "it is still there";
      EXPECT_EQ(again->bytes(), there.bytes());
      const auto got = world.recv<std::vector<double>>(there.source(), there.tag());
      EXPECT_EQ(got, some_doubles(there.count<double>(), there.source()));
    }
    EXPECT_FALSE(world.iprobe(pure::any_source, pure::any_tag).has_value());
    EXPECT_FALSE(world.improbe(pure::any_source, pure::any_tag).has_value());
    EXPECT_EQ(world.probe(pure::proc_null).source(), pure::proc_null);
  });
}

TEST(pure_hpp_modes, a_matched_message_is_nobody_elses) {
  for (const std::size_t n : vector_lengths) {
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> first = some_doubles(n, 1), second = some_doubles(n, 2);
      if (world.rank() == 0) {
        pure::request sending = world.isend(first, 1);
        world.send(std::vector<double>(second), 1);  // moved
        world.send(std::string("text"), 1);
        world.send(4, 1);
        return;
      }
      pure::message held = world.mprobe(0);
      EXPECT_EQ(held.status().count<double>(), n);
      std::optional<pure::message> other;
      while (!other) other = world.improbe(0);
      EXPECT_EQ(other->recv<std::vector<double>>(), second);
      EXPECT_EQ(world.mprobe().recv<std::string>(), "text");
      EXPECT_EQ(world.recv<int>(0), 4);
      pure::message moved = std::move(held);
      std::vector<double> in(n);
      EXPECT_EQ(moved.recv_into(in).bytes(), n * sizeof(double));
      EXPECT_EQ(in, first);
      EXPECT_EQ(error_of([&] { moved.recv_into(in); }), pure::errc::request) << "received already";
    });
  }
}

TEST(pure_hpp_modes, a_synchronous_send_waits_for_the_receive_of_its_matched_message) {
  for (const std::size_t n : vector_lengths) {  // MPI 4.1, 3.8.2: the probe does not complete it
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> data = some_doubles(n, 1);
      if (world.rank() == 0) {
        pure::request sending = world.issend(data, 1);
        EXPECT_EQ(world.recv<int>(1), 1);  // the message has been matched
        for (int i = 0; i < 50; ++i) ASSERT_FALSE(sending.test().has_value()) << n;
        world.send(2, 1, 1);
        EXPECT_FALSE(sending.wait().is_cancelled());
      } else {
        pure::message held = world.mprobe(0);
        world.send(1, 0);
        EXPECT_EQ(world.recv<int>(0, 1), 2);
        EXPECT_EQ(held.recv<std::vector<double>>(), data);
      }
    });
  }
}

TEST(pure_hpp_modes, a_matched_message_cannot_be_cancelled_any_more) {
  for (const std::size_t n : vector_lengths) {
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> data = some_doubles(n, 1);
      if (world.rank() == 0) {
        pure::request sending = world.issend(data, 1);
        EXPECT_EQ(world.recv<int>(1), 1);
        sending.cancel();
        world.send(2, 1, 1);
        EXPECT_FALSE(sending.wait().is_cancelled()) << n;
      } else {
        pure::message held = world.mprobe(0);
        world.send(1, 0);
        EXPECT_EQ(world.recv<int>(0, 1), 2);
        EXPECT_EQ(held.recv<std::vector<double>>(), data);
      }
    });
  }
}

TEST(pure_hpp_modes, what_is_wrong_with_a_message) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      for (int i = 0; i < 3; ++i) world.send(some_doubles(2, 0), 1);
      return;
    }
    EXPECT_EQ(error_of([&] { (void)world.mprobe(0).recv<double>(); }), pure::errc::truncate);
    EXPECT_EQ(error_of([&] { (void)world.mprobe(0).recv<std::array<double, 3>>(); }), pure::errc::type);
    EXPECT_EQ(error_of([&] { (void)world.mprobe(0).recv<std::vector<std::array<char, 7>>>(); }), pure::errc::type);
    EXPECT_EQ(error_of([&] { world.probe(2); }), pure::errc::rank);
    EXPECT_EQ(error_of([&] { (void)world.iprobe(0, -5); }), pure::errc::tag);
    EXPECT_EQ(error_of([&] { world.ssend(1, 2); }), pure::errc::rank);
    std::vector<double> none;
    EXPECT_EQ(error_of([&] { const auto never = world.send_init(none, 0, -1); }), pure::errc::tag);
    pure::message nobody = world.mprobe(pure::proc_null);
    EXPECT_EQ(nobody.recv_into(none).source(), pure::proc_null);
  });
}

// ---- persistent ----

TEST(pure_hpp_modes, persistent_messages_start_again_and_again) {
  for (const std::size_t n : vector_lengths) {
    pure::run(2, [&](pure::comm world) {
      const int other = 1 - world.rank();
      std::vector<double> out(n), in(n);
      pure::persistent_request sending = n % 2 == 0 ? world.send_init(out, other) : world.ssend_init(out, other);
      pure::persistent_request receiving = world.recv_init(in, other);
      EXPECT_EQ(receiving.wait().bytes(), 0U) << "inactive";
      for (int round = 0; round < 10; ++round) {
        const std::vector<double> now = some_doubles(n, 10 * round + world.rank());
        std::copy(now.begin(), now.end(), out.begin());
        receiving.start();
        sending.start();
        EXPECT_EQ(error_of([&] { receiving.start(); }), pure::errc::request) << "it is active";
        const pure::status got = receiving.wait();
        EXPECT_EQ(got.count<double>(), n);
        EXPECT_EQ(got.source(), other);
        EXPECT_EQ(in, some_doubles(n, 10 * round + other));
        while (!sending.test()) {
        }
      }
    });
  }
}

TEST(pure_hpp_modes, an_active_persistent_send_is_received_when_its_request_ends) {
  for (const std::size_t n : vector_lengths) {
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> data = some_doubles(n, 6);
      if (world.rank() == 0) {
        {
          pure::persistent_request sending = n % 2 == 0 ? world.ssend_init(data, 1) : world.send_init(data, 1);
          sending.start();
        }
        world.send(1, 1, 1);
      } else {
        std::this_thread::sleep_for(1ms);
        EXPECT_EQ(world.recv<std::vector<double>>(0), data) << n;
        EXPECT_EQ(world.recv<int>(0, 1), 1);
      }
    });
  }
}

// ---- send-receives ----

TEST(pure_hpp_modes, replaced_and_paired_messages_go_round) {
  for (const std::size_t n : vector_lengths) {
    pure::run(3, [&](pure::comm world) {
      const int right = (world.rank() + 1) % 3, left = (world.rank() + 2) % 3;
      std::vector<double> data = some_doubles(n, world.rank());
      EXPECT_EQ(world.sendrecv_replace(data, right, left).source(), left);
      EXPECT_EQ(data, some_doubles(n, left));
      std::vector<double> in(n);
      pure::request both = world.isendrecv(data, right, in, left, 1);
      EXPECT_EQ(both.wait().source(), left);
      EXPECT_EQ(in, some_doubles(n, (left + 2) % 3));
    });
  }
}

TEST(pure_hpp_modes, a_pair_may_have_two_tags) {
  pure::run(2, [](pure::comm world) {
    const int me = world.rank(), other = 1 - me;
    int out = 100 + me, in = -1;
    EXPECT_EQ(world.sendrecv(out, other, in, other, {10 + me, 10 + other}).tag(), 10 + other);
    EXPECT_EQ(in, 100 + other);
    EXPECT_EQ(world.sendrecv(out, other, in, other, {20 + me, pure::any_tag}).tag(), 20 + other);
    EXPECT_EQ(world.isendrecv(out, other, in, other, {30 + me, 30 + other}).wait().tag(), 30 + other);
    EXPECT_EQ(world.sendrecv_replace(out, other, other, {40 + me, 40 + other}).tag(), 40 + other);
    EXPECT_EQ(out, 100 + other);
    EXPECT_EQ(world.isendrecv_replace(out, other, other, {50 + me, 50 + other}).wait().tag(), 50 + other);
    EXPECT_EQ(out, 100 + me);
    EXPECT_THROW(world.sendrecv(out, other, in, other, pure::any_tag), pure::Error) << "a message has one tag";
  });
}

// ---- cancel, peek ----

TEST(pure_hpp_modes, a_cancelled_receive_matches_nothing) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 1) {
      EXPECT_EQ(world.recv<char>(0), 'x');
      return world.send(5, 0);
    }
    int never = -1;
    pure::request receiving = world.irecv_into(never, 1);
    receiving.cancel();
    EXPECT_TRUE(receiving.wait().is_cancelled());
    receiving.cancel();  // complete: nothing happens
    world.send('x', 1);
    int got = 0;
    EXPECT_FALSE(world.recv_into(got, 1).is_cancelled());
    EXPECT_EQ(got, 5);
    EXPECT_EQ(never, -1);
  });
}

TEST(pure_hpp_modes, a_send_is_cancelled_or_received) {
  for (const std::size_t n : vector_lengths) {
    pure::run(2, [&](pure::comm world) {
      const std::vector<double> data = some_doubles(n, 1), other = some_doubles(n, 2);
      if (world.rank() == 0) {
        pure::request sending = world.issend(data, 1);
        sending.cancel();
        EXPECT_TRUE(sending.wait().is_cancelled());
        world.send('x', 1, 1);
        world.send(other, 1);
        sending = world.issend(data, 1);
        EXPECT_EQ(world.recv<char>(1), 'x');  // it has been received
        sending.cancel();
        EXPECT_FALSE(sending.wait().is_cancelled());
      } else {
        EXPECT_EQ(world.recv<char>(0, 1), 'x');
        EXPECT_EQ(world.recv<std::vector<double>>(0), other);
        EXPECT_EQ(world.recv<std::vector<double>>(0), data);
        world.send('x', 0);
      }
    });
  }
}

TEST(pure_hpp_modes, a_collective_cannot_be_cancelled) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      pure::request meeting = world.ibarrier();
      EXPECT_EQ(error_of([&] { meeting.cancel(); }), pure::errc::request);
      world.send('x', 1);
      meeting.wait();
    } else {
      EXPECT_EQ(world.recv<char>(0), 'x');
      world.ibarrier().wait();
    }
  });
}

TEST(pure_hpp_modes, peek_leaves_the_request_as_it_is) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 1) {
      EXPECT_EQ(world.recv<char>(0), 'x');
      return world.send(11, 0, 3);
    }
    int in = 0;
    pure::request receiving = world.irecv_into(in, 1, pure::any_tag);
    EXPECT_FALSE(receiving.peek().has_value());
    world.send('x', 1);
    std::optional<pure::status> seen;
    while (!seen) seen = receiving.peek();
    EXPECT_EQ(seen->tag(), 3);
    EXPECT_FALSE(receiving.is_complete());
    EXPECT_EQ(receiving.wait().tag(), 3);
    EXPECT_EQ(receiving.peek()->tag(), 3);
    EXPECT_EQ(in, 11);
  });
}

}  // namespace
