// The lock-free parts of the network over shared memory themselves, in every order of their steps: who moves which
// piece; who is watched, and who sleeps. (The ends of a ring: ring_interleavings_test.cpp.)
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "net_shm/claims.hpp"
#include "net_shm/watch_bits.hpp"
#include "support/interleavings.hpp"

namespace pure::net_shm {
namespace every_order_of_processes {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

// ---- pieces ----

/// Two payloads one after the other by the same words: thread 0 receives them, and may read pieces itself; thread 1
/// sends them, and may come late. The sender's memory is written anew in between.
template <std::uint32_t Pieces>
struct shared final : program {
  using claims_of_test = basic_claims<model_atomic>;

  void run(int thread) override {
    claims_of_test its(word, count);
    for (std::uint32_t payload = 0; payload < 2; ++payload) thread == 0 ? receive(its, payload) : send(its, payload);
  }
  void receive(claims_of_test& its, std::uint32_t payload) {
    exploration::now().wait_until([this, payload] { return offers > payload; });
    require(offered.fetch_add(0, std::memory_order_acquire) == payload + 1, "another payload is offered");
    its.begin();
    wanted.store(payload + 1, std::memory_order_release);
    wanted_of_all = payload + 1;
    std::uint32_t read = 0;
    while (may()) {
      const piece_range taken = its.take_back(Pieces, 2);
      if (taken.count == 0) break;
      require(taken.count <= 2 && taken.first + taken.count <= Pieces, "pieces behind the last");
      const auto copy = [&] {
        for (std::uint32_t i = taken.first; i < taken.first + taken.count; ++i) arrive(i, payload);
        return true;
      };
      require(its.read_back(taken.count, copy, [] {}), "what was copied counts as not copied");
      read += taken.count;
      reads[payload] = read;
    }
    exploration::now().wait_until([this, read, payload] { return sent[payload] + read == Pieces; });
    if (read == 0) return;
    exploration::now().wait_until([this, payload] { return releases > payload; });
    require(released.fetch_add(0, std::memory_order_acquire) == payload + 1, "another payload's words");
  }
  void send(claims_of_test& its, std::uint32_t payload) {
    exploration::now().wait_until([this, payload] { return wanted_of_all > payload; });
    require(wanted.fetch_add(0, std::memory_order_acquire) == payload + 1, "another payload is wanted");
    bool is_over = false;
    while (!is_over) {
      const std::uint32_t taken = its.take_front(Pieces);
      if (taken == claims_of_test::none) {
        while (!its.is_all_read())  // or a look at what was there before
          exploration::now().wait_until([this, payload] { return sent[payload] + reads[payload] == Pieces; });
        is_over = true;
      } else {
        require(taken < Pieces, "a piece behind the last");
        is_over = taken + 1 == Pieces;
        arrive(taken, payload);
        ++sent[payload];
        if (is_over) return write_next(payload);
      }
    }
    released.store(payload + 1, std::memory_order_release);
    releases = payload + 1;
    write_next(payload);
  }
  void arrive(std::uint32_t piece, std::uint32_t payload) {
    require(source[piece].read() == static_cast<int>(payload), "what the sender has written afterwards");
    require(++copies[payload][piece] == 1, "a piece comes twice");
  }
  void write_next(std::uint32_t payload) {
    for (auto& each : source) each.write(static_cast<int>(payload) + 1);
    offered.store(payload + 2, std::memory_order_release);
    offers = payload + 2;
  }
  void at_end() override {
    for (const auto& payload : copies)
      for (const int times : payload) require(times == 1, "a piece is missing");
  }

  model_atomic<std::uint64_t> word{~std::uint64_t{0}};
  model_atomic<std::uint32_t> count{7};
  model_atomic<std::uint32_t> offered{1}, wanted{0}, released{0};  // records of these payloads
  std::array<checked<int>, Pieces> source;
  std::array<std::array<int, Pieces>, 2> copies{};
  std::array<std::uint32_t, 2> sent{}, reads{};
  std::uint32_t offers = 1, wanted_of_all = 0, releases = 0;  // when they have come
};

TEST(interleavings_net_shm, each_piece_comes_once_of_each_payload) {
  expect_right(explore<shared<1>>({.preemptions = 2, .stale_loads = 1}, 2), 100);
  expect_right(explore<shared<2>>({.preemptions = 2, .stale_loads = 1}, 2), 1000);
  expect_right(explore<shared<3>>({.preemptions = 1, .stale_loads = 1}, 2), 100);
}

// ---- who is watched, and who sleeps ----

/// Thread 0 stops watching, or sleeps; thread 1 writes a record meanwhile.
template <bool HasFence>
struct watched final : program {
  static void fence() {
    if (HasFence) exploration::now().fence_of_all();
  }
  void run(int thread) override {
    if (thread == 1) {
      record.store(1, std::memory_order_release);
      announce_if_unwatched(watches, announced, 4);
      return;
    }
    stop_watching(watches, announced, 4, fence, [this] { return record.load(std::memory_order_acquire) != 0; });
  }
  void at_end() override {
    require((announced.load(std::memory_order_relaxed) & 4) != 0, "a record that nobody will look for");
  }
  model_atomic<std::uint64_t> watches{4}, announced{0};
  model_atomic<int> record{0};
};

TEST(interleavings_net_shm, a_ring_that_is_watched_no_more) {
  expect_right(explore<watched<true>>({.preemptions = 4, .stale_loads = 3}, 2), 10);
  EXPECT_NE(explore<watched<false>>({.preemptions = 4, .stale_loads = 3}, 2).failure, "") << "the fence is for nothing";
}

/// Thread 0 sees the announcement of one record, and watches; thread 1 writes two.
struct watched_again final : program {
  void run(int thread) override {
    if (thread == 1) {
      for (int i = 1; i <= 2; ++i) {
        record.store(i, std::memory_order_release);
        announce_if_unwatched(watches, announced, 4);
      }
      return;
    }
    exploration::now().wait_until([this] { return !is_watched; });
    if ((announced.load(std::memory_order_relaxed) & 4) == 0) return;
    take_announcement(announced, 4);
    start_watching(watches, 4);
    is_watched = true;
    require(record.load(std::memory_order_acquire) >= 1, "what was announced is not there");
  }
  void at_end() override {
    require(is_watched || (announced.load(std::memory_order_relaxed) & 4) != 0, "a record that nobody will look for");
  }
  model_atomic<std::uint64_t> watches{0}, announced{0};
  model_atomic<int> record{0};
  bool is_watched = false;
};

TEST(interleavings_net_shm, a_ring_that_is_announced) {
  expect_right(explore<watched_again>({.preemptions = 4, .stale_loads = 2}, 2), 10);
}

/// Thread 0 sees the announcement of one record, and looks once; thread 1 writes two.
struct looked_at final : program {
  void run(int thread) override {
    if (thread == 1) {
      for (int i = 1; i <= 2; ++i) {
        record.store(i, std::memory_order_release);
        announce_if_unwatched(watches, announced, 4);
      }
      return;
    }
    if ((announced.load(std::memory_order_relaxed) & 4) == 0) return;
    take_announcement(announced, 4);
    found = record.load(std::memory_order_acquire);
    require(found >= 1, "what was announced is not there");
  }
  void at_end() override {
    require(found == 2 || (announced.load(std::memory_order_relaxed) & 4) != 0, "a record that nobody will look for");
  }
  model_atomic<std::uint64_t> watches{0}, announced{0};
  model_atomic<int> record{0};
  int found = 0;
};

TEST(interleavings_net_shm, a_ring_that_is_looked_at_for_once) {
  expect_right(explore<looked_at>({.preemptions = 4, .stale_loads = 2}, 2), 10);
}

/// Thread 0 sleeps until one of two others has written; who has to ring, rings.
template <bool HasFence>
struct asleep final : program {
  static void fence() {
    if (HasFence) exploration::now().fence_of_all();
  }
  void run(int thread) override {
    const auto me = static_cast<std::size_t>(thread);
    if (thread != 0) {
      records[me].store(1, std::memory_order_release);
      if (disarm_to_ring(armed)) ++rung;
      return;
    }
    while (!(sees(1) && sees(2))) {
      arm(armed, fence);
      if (!(sees(1) && sees(2))) exploration::now().wait_until([this] { return rung > heard; });
      heard = rung;  // all datagrams are taken
      disarm(armed);
    }
  }
  bool sees(std::size_t which) { return records[which].load(std::memory_order_acquire) != 0; }
  std::array<model_atomic<int>, 3> records{0, 0, 0};
  model_atomic<std::uint32_t> armed{0};
  int rung = 0, heard = 0;
};

TEST(interleavings_net_shm, who_sleeps_is_rung_for) {
  expect_right(explore<asleep<true>>({.preemptions = 3, .stale_loads = 1}, 3), 100);
  EXPECT_NE(explore<asleep<false>>({.preemptions = 3, .stale_loads = 1}, 3).failure, "") << "the fence is for nothing";
}

/// Thread 0 sleeps until thread 1 has read the pieces of its payload that it has taken.
struct asleep_until_read final : program {
  void run(int thread) override {
    basic_claims<model_atomic> its(word, count);
    if (thread == 1) {
      its.read_back(
          2, [] { return true; }, [this] { rung += disarm_to_ring(armed) ? 1 : 0; });
      return;
    }
    while (!its.is_all_read()) {
      arm(armed, [] { exploration::now().fence_of_all(); });
      if (!its.is_all_read()) exploration::now().wait_until([this] { return rung > heard; });
      heard = rung;
      disarm(armed);
    }
  }
  model_atomic<std::uint64_t> word{2};  // two pieces, from the back
  model_atomic<std::uint32_t> count{0}, armed{0};
  int rung = 0, heard = 0;
};

TEST(interleavings_net_shm, who_sleeps_until_its_payload_is_read_is_rung_for) {
  expect_right(explore<asleep_until_read>({.preemptions = 3, .stale_loads = 1}, 2), 10);
}

}  // namespace
}  // namespace every_order_of_processes
}  // namespace pure::net_shm
