// Messages that lie far apart at both ends: the sender packs, the receiver unpacks. Races and lifetimes:
// tests/stress/rendezvous_stress_test.cpp and tests/model/packed.pml.
#include <pure.h>

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/job.hpp"
#include "start/services.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/oracle/dice.hpp"
#include "support/scattered_bytes.hpp"
#include "transport/rendezvous.hpp"

namespace pure::core {
namespace {

using test_support::bare_job;
using test_support::scattered_bytes;

constexpr std::size_t far = 64, near = 16, in_a_row = 8;  // strides of blocks of 8 bytes

std::byte content(std::size_t at, std::size_t of = 0) { return static_cast<std::byte>(of + at / 251 + at); }

/// The cells of two ranks, which have memory: the first use of memory takes longer than the receiver waits.
struct warm_cells {
  std::vector<std::byte> room = std::vector<std::byte>(cell_pair::bytes + cell_pair::alignment);
  cell_pair both;

  explicit warm_cells(bool takes_lines)
      : both(room.data() + cell_pair::alignment - reinterpret_cast<std::uintptr_t>(room.data()) % cell_pair::alignment,
             {.takes_lines = takes_lines, .are_own_pages = true}) {}
};

/// A message on its way.
struct sent {
  rendezvous& meeting;
  scattered_bytes data;

  sent(warm_cells& cells, rendezvous& through, rank_context& by, std::size_t bytes, std::size_t stride,
       bool is_fresh = false)
      : meeting(through), data(bytes, stride) {
    for (std::size_t i = 0; i < bytes; ++i) data[i] = content(i);
    meeting.open(by, data.data(), bytes, data.form(),
                 {.cells = &cells.both.end(by.number() == 0 ? 0 : 1), .is_fresh = is_fresh});
  }
  /// Afterwards.
  [[nodiscard]] bool was_packed() const noexcept { return meeting.packed() > 0; }
};

struct one {
  std::size_t bytes, from = far, to = far, wanted = bytes;
  bool is_fresh = false;
};

/// With both values of PURE_TAKE_LINES.
class packed_copies : public testing::TestWithParam<const char*> {
 protected:
  warm_cells cells_{std::string_view(GetParam()) == "on"};

  [[nodiscard]] static settings values() {
    settings all;
    all.take_lines = GetParam();
    return all;
  }

  static void take(rank_context& by, sent& from, const one& message) {
    scattered_bytes target(message.wanted, message.to);
    from.meeting.take(by, {target.data(), target.form()}, message.wanted);
    EXPECT_TRUE(target.holds([](std::size_t at) { return content(at); })) << message.wanted << " bytes";
  }

  /// Sends the messages one after the other, through one rendezvous. Returns how many of them were packed.
  int exchange(bare_job& by, int sender, std::span<const one> messages) {
    int packed = 0;
    rendezvous meeting;
    std::atomic<sent*> under_way{nullptr};
    by.run([&](rank_context& self) {
      take_own_cpu(self.number());
      for (const one& each : messages) {
        if (self.number() == sender) {
          sent message(cells_, meeting, self, each.bytes, each.from, each.is_fresh);
          under_way = &message;
          until([&] { return message.meeting.help_and_test(); });
          if (message.was_packed()) ++packed;
          until([&] { return under_way == nullptr; });
        } else {
          until([&] { return under_way != nullptr; });
          take(self, *under_way, each);
          under_way = nullptr;
        }
      }
    });
    return packed;
  }
  int exchange(int sender, std::span<const one> messages) {
    bare_job two(2, values());
    return exchange(two, sender, messages);
  }

 private:
  /// Of those that the calling thread may use. Beside other programs the kernel leaves both threads of so short a job
  /// on one cpu, in turn, and nobody looks while the other copies.
  static void take_own_cpu(int number) {
    cpu_set_t all, own;
    CPU_ZERO(&own);
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    int left = number % CPU_COUNT(&all);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all) && left-- == 0) CPU_SET(cpu, &own);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof own, &own), 0);
  }

  /// A copy takes some microseconds: whoever yields often looks too seldom.
  template <class Ready>
  static void until(Ready ready) {
    for (int i = 1; !ready(); ++i) {
      if (i % 10'000 == 0) std::this_thread::yield();
    }
  }
};

constexpr std::size_t piece = cell_bytes;
const std::vector<one> of_all_sizes{
    {1}, {8}, {1023}, {1024}, {1025}, {4097}, {8 * 1024}, {piece * 8 - 1}, {piece * 8, far + 8}};

TEST_P(packed_copies, are_whole_in_either_direction) {
  int packed = 0;
  for (int round = 0; round < 10 || (packed == 0 && round < 300); ++round) {
    packed += exchange(0, of_all_sizes) + exchange(1, of_all_sizes);
  }
  EXPECT_GT(packed, 0);
}

TEST_P(packed_copies, of_what_was_just_written_in_whatever_way_it_lies) {
  int packed = 0;
  for (int round = 0; round < 10 || (packed == 0 && round < 300); ++round) {
    for (const std::size_t to : {in_a_row, near, far}) {
      const std::vector<one> messages{{33'000, in_a_row, to, 33'000, true},
                                      {40 * piece, in_a_row, to, 40 * piece, true},
                                      {40 * piece + 1, in_a_row, to, 31 * piece + 5, true},
                                      {100'000, near, to, 100'000, true}};
      packed += exchange(round % 2, messages);
    }
  }
  EXPECT_GT(packed, 0);
}

TEST_P(packed_copies, by_a_receiver_alone_if_the_sender_does_not_look) {
  bare_job two(2, values());
  for (const one& each : of_all_sizes) {
    rendezvous meeting;
    sent message(cells_, meeting, two->at(0), each.bytes, each.from);
    take(two->at(1), message, each);
    EXPECT_TRUE(message.meeting.finished());
    EXPECT_FALSE(message.was_packed());
  }
}

TEST_P(packed_copies, of_which_less_is_wanted) {
  std::vector<one> messages;
  for (const std::size_t wanted : {0U, 1U, 5000U, 20'001U}) messages.push_back({20'003, far, far, wanted});
  for (int i = 0; i < 30; ++i) exchange(i % 2, messages);
}

TEST_P(packed_copies, only_where_both_ends_are_far_apart) {
  std::vector<one> in_a_row_somewhere, near_somewhere;
  for (int i = 0; i < 100; ++i) {
    in_a_row_somewhere.insert(in_a_row_somewhere.end(), {{30'000, far, in_a_row}, {30'000, in_a_row, far}});
    near_somewhere.insert(near_somewhere.end(), {{30'000, near, far}, {30'000, far, near}, {30'000, near, near}});
  }
  EXPECT_EQ(exchange(0, in_a_row_somewhere), 0);
  if (values().take_lines == "off") {
    EXPECT_EQ(exchange(0, near_somewhere), 0);
  } else {
    int packed = 0;
    for (int i = 0; i < 100 && packed == 0; ++i) packed = exchange(0, near_somewhere);
    EXPECT_GT(packed, 0);
  }
}

TEST_P(packed_copies, only_up_to_the_limit_of_the_setting) {
  settings limited = values();
  limited.packed_copy_max_bytes = 20'000 * (far / in_a_row);
  bare_job two(2, limited);
  EXPECT_EQ(exchange(two, 0, std::vector<one>(100, one{20'008})), 0);
  int packed = 0;
  for (int i = 0; i < 100 && packed == 0; ++i) {
    bare_job next(2, limited);
    packed = exchange(next, 0, std::vector<one>(100, one{20'000}));
  }
  EXPECT_GT(packed, 0);
}

TEST_P(packed_copies, of_what_was_just_written_up_to_the_same_limit) {
  settings limited = values();
  limited.packed_copy_max_bytes = 100'000;
  bare_job two(2, limited);
  EXPECT_EQ(exchange(two, 0, std::vector<one>(100, one{100'001, in_a_row, in_a_row, 100'001, true})), 0);
  int packed = 0;
  for (int i = 0; i < 100 && packed == 0; ++i) {
    bare_job next(2, limited);
    packed = exchange(next, 0, std::vector<one>(100, one{100'000, in_a_row, in_a_row, 100'000, true}));
  }
  EXPECT_GT(packed, 0);
}

// Every rank packs for its right neighbour while it waits for the pieces of its left one.
TEST_P(packed_copies, of_all_ranks_at_once) {
  constexpr int ranks = 3;
  const int messages = test_support::repetitions(200);
  settings small_pieces = values();
  small_pieces.copy_piece_bytes = 1024;
  bare_job job(ranks, small_pieces, {.pauses_per_poll = 1, .yields = false, .spin_ns = 50'000}, attach_services);
  job.run([&](rank_context& self) {
    const int right = (self.number() + 1) % ranks, left = (self.number() + ranks - 1) % ranks;
    oracle::dice random(test_support::first_seed());  // the same in all
    for (int i = 0; i < messages; ++i) {
      const std::int64_t words = 300 + static_cast<std::int64_t>(random.below(4000));
      const auto bytes = static_cast<std::size_t>(words) * 8;
      const auto seed = [i, ranks = ranks](int sender) { return static_cast<std::size_t>(i * ranks + sender); };
      pure_datatype there, here;
      pure_type_vector(words, 1, 8, PURE_INT64_T, &there);
      pure_type_vector(words, 1, 9, PURE_INT64_T, &here);
      pure_type_commit(&there);
      pure_type_commit(&here);
      scattered_bytes data(bytes, 64), target(bytes, 72);
      for (std::size_t at = 0; at < bytes; ++at) data[at] = content(at, seed(self.number()));
      pure_request both[2];
      pure_irecv_msg(target.data(), 1, here, left, 0, PURE_COMM_WORLD, &both[0]);
      pure_isend_msg(data.data(), 1, there, right, 0, PURE_COMM_WORLD, &both[1]);
      ASSERT_EQ(pure_waitall(2, both), PURE_SUCCESS);
      ASSERT_TRUE(target.holds([&](std::size_t at) { return content(at, seed(left)); })) << bytes << " bytes";
      pure_type_free(&there);
      pure_type_free(&here);
    }
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

TEST_P(packed_copies, of_a_job_that_fails) {  // AddressSanitizer sees who touches buffers that are gone
  for (int i = 0; i < test_support::repetitions(50); ++i) {
    bare_job job(2, values(), {.pauses_per_poll = 1, .yields = false, .spin_ns = 50'000}, attach_services);
    std::atomic<int> ready{0};
    job.run([&](rank_context& self) {
      const std::int64_t words = 8000;
      pure_datatype column;
      pure_type_vector(words, 1, 8, PURE_INT64_T, &column);
      pure_type_commit(&column);
      scattered_bytes data(static_cast<std::size_t>(words) * 8, 64);
      ++ready;
      if (self.number() == 0) {
        std::thread failing([&] {
          while (ready < 2) std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::microseconds(37 * i));
          job->fail("my cause", 1);
        });
        struct joiner {
          std::thread& of;
          ~joiner() { of.join(); }
        } const join{failing};
        while (true) pure_send_msg(data.data(), 1, column, 1, 0, PURE_COMM_WORLD);
      }
      while (true) pure_recv_msg(data.data(), 1, column, 0, 0, PURE_COMM_WORLD);
    });
    EXPECT_EQ(job->failure_text(), "my cause");
  }
}

INSTANTIATE_TEST_SUITE_P(lines, packed_copies, testing::Values("on", "off"),
                         [](const auto& of) { return std::string("taken_") + of.param; });

}  // namespace
}  // namespace pure::core
