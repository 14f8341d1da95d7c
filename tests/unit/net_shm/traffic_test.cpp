// The network over shared memory as network.hpp describes networks: messages of all sizes in their order, payloads of
// all sizes to their receives, whatever comes first. Each end has a thread; what each has sent the others know by its
// number.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/shm_world.hpp"

namespace {

using namespace pure::core;
using pure::net_shm::payload_ways;
using test_support::shm_world;

std::byte expected_byte(int from, int to, std::uint64_t number, std::size_t i) {
  return static_cast<std::byte>(static_cast<std::uint64_t>(from) * 31 + static_cast<std::uint64_t>(to) * 17 +
                                number * 7 + i + i / 251);
}

std::vector<std::byte> bytes_of(int from, int to, std::uint64_t number, std::size_t count) {
  std::vector<std::byte> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = expected_byte(from, to, number, i);
  return made;
}

/// What one end sends and gets, by a seed that all know.
class actor final : public network_events {
 public:
  actor(shm_world& world, int process, unsigned seed, int rounds, std::size_t largest_payload)
      : net_(world.end(process)),
        me_(process),
        all_(world.processes()),
        seed_(seed),
        rounds_(rounds),
        largest_payload_(largest_payload),
        next_from_(static_cast<std::size_t>(all_), 0) {}

  void run() {
    std::mt19937 own(seed_ + static_cast<unsigned>(me_) * 1000);
    // Messages and payloads to and from each other process, in an order of its own.
    std::vector<int> sent(static_cast<std::size_t>(all_), 0), posted = sent;
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (int other = 0; other < all_; ++other) {
        if (other == me_) continue;
        int& out = sent[static_cast<std::size_t>(other)];
        int& in = posted[static_cast<std::size_t>(other)];
        if (out < rounds_ && own() % 2 == 0) send(other, static_cast<std::uint64_t>(out++));
        if (in < rounds_ && own() % 2 == 0) receive(other, static_cast<std::uint64_t>(in++));
        is_done = is_done && out == rounds_ && in == rounds_;
      }
      if (own() % 3 == 0) net_.poll(*this);
    }
    while (!open_.empty() || messages_ < (all_ - 1) * rounds_) {
      if (!net_.poll(*this)) std::this_thread::yield();
    }
    net_.finalize(0);
  }

 private:
  struct transfer : network_operation {
    std::vector<std::byte> data;
    int from = 0;
    std::uint64_t number = 0;
    bool is_receive = false;
  };

  static std::mt19937 random_of(unsigned seed, int from, int to, std::uint64_t number) {
    return std::mt19937(seed + static_cast<unsigned>(from) * 7919 + static_cast<unsigned>(to) * 104729 +
                        static_cast<unsigned>(number) * 13);
  }
  std::size_t message_size(int from, int to, std::uint64_t number) const {
    std::mt19937 random = random_of(seed_, from, to, number);
    const std::size_t most = random() % 8 == 0 ? net_.peers().message_bytes : random() % 3 == 0 ? 600 : 64;
    return random() % (most + 1);
  }
  std::size_t payload_size(int from, int to, std::uint64_t number) const {
    std::mt19937 random = random_of(seed_ + 1, from, to, number);
    const std::size_t most = random() % 4 == 0 ? largest_payload_ : random() % 2 == 0 ? largest_payload_ / 16 : 5000;
    return random() % (most + 1);
  }
  static int tag_of(std::uint64_t number) { return static_cast<int>(number % 3); }

  void start(transfer& what, bool is_done) {
    if (is_done)
      end(what);
    else
      open_.insert(&what);
  }
  void send(int to, std::uint64_t number) {
    auto& message = *made_.emplace_back(std::make_unique<transfer>());
    message.data = bytes_of(me_, to, number, message_size(me_, to, number));
    start(message, net_.send_message(message, to, static_cast<int>(number), message.data.data(), message.data.size()));
    auto& payload = *made_.emplace_back(std::make_unique<transfer>());
    payload.data = bytes_of(me_, to, number, payload_size(me_, to, number));
    start(payload, net_.send(payload, to, tag_of(number), payload.data.data(), payload.data.size()));
  }
  void receive(int from, std::uint64_t number) {
    auto& payload = *made_.emplace_back(std::make_unique<transfer>());
    payload.data.resize(payload_size(from, me_, number) + number % 2);  // also with room to spare
    payload.from = from;
    payload.number = number;
    payload.is_receive = true;
    start(payload, net_.receive(payload, from, tag_of(number), payload.data.data(), payload.data.size()));
  }
  void end(transfer& what) {
    if (!what.is_receive) {
      std::fill(what.data.begin(), what.data.end(), std::byte{0xee});  // it is the sender's again
      return;
    }
    const std::size_t bytes = payload_size(what.from, me_, what.number);
    ASSERT_EQ(what.bytes, bytes) << "payload " << what.number << " of " << what.from << " to " << me_;
    what.data.resize(bytes);
    ASSERT_EQ(what.data, bytes_of(what.from, me_, what.number, bytes))
        << "payload " << what.number << " of " << what.from << " to " << me_;
  }

  void message_arrived(int from, int tag, const std::byte* data, std::size_t bytes) override {
    ++messages_;
    const std::uint64_t number = next_from_[static_cast<std::size_t>(from)]++;
    ASSERT_EQ(static_cast<std::uint64_t>(tag), number);
    const std::vector<std::byte> expected = bytes_of(from, me_, number, message_size(from, me_, number));
    ASSERT_EQ(std::vector<std::byte>(data, data + bytes), expected);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(data) % 16, 0U);
  }
  void operation_done(network_operation& done) override {
    auto& its = static_cast<transfer&>(done);
    ASSERT_EQ(open_.erase(&its), 1U);
    end(its);
  }

  network& net_;
  const int me_, all_;
  const unsigned seed_;
  const int rounds_;
  const std::size_t largest_payload_;
  std::vector<std::uint64_t> next_from_;
  std::vector<std::unique_ptr<transfer>> made_;
  std::set<transfer*> open_;
  int messages_ = 0;
};

struct silent_events final : network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ADD_FAILURE() << "a message comes when all have come";
  }
  void operation_done(network_operation& /*done*/) override { ADD_FAILURE() << "something ends when all has ended"; }
};

void run_all(shm_world& world, unsigned seed, int rounds, std::size_t largest_payload) {
  std::vector<std::unique_ptr<actor>> actors;
  std::vector<std::thread> threads;
  for (int process = 0; process < world.processes(); ++process) {
    actors.push_back(std::make_unique<actor>(world, process, seed, rounds, largest_payload));
    threads.emplace_back([&its = *actors.back()] { its.run(); });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_TRUE(world.failures.empty()) << world.failures.front();
  silent_events nothing;
  // Transfers that are released last; each is a record, and a poll takes one.
  for (int in_vain = 0; in_vain < 20; ++in_vain) {
    for (int process = 0; process < world.processes(); ++process) {
      if (world.end(process).poll(nothing)) in_vain = 0;
    }
  }
  EXPECT_EQ(world.open_accounts(), "");
}

TEST(ShmTraffic, TwoProcesses) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    shm_world world(2);
    run_all(world, seed, 150, 700'000);
  }
}

TEST(ShmTraffic, MoreProcessesThanRingsThatAreWatched) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    shm_world world(13);
    run_all(world, seed, 12, 60'000);
  }
}

TEST(ShmTraffic, SmallPiecesAndReceiversWithoutPatience) {
  shm_world world(3, payload_ways{.most_inside = 100, .piece = 256, .most_read = 1000, .patience = 1});
  run_all(world, 7, 60, 300'000);
}

TEST(ShmTraffic, WhereNoMemoryOfOthersMayBeRead) {
  shm_world world(3, payload_ways{.may_reach_peers = false});
  run_all(world, 9, 60, 200'000);
}

}  // namespace
