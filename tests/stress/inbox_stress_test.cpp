// Many senders and the receiver make the rings of one inbox at the same time: each ring is made once, the receiver
// hears of every one that it has not made itself, once, and nothing that was sent is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "support/environment.hpp"
#include "support/pauses.hpp"
#include "support/record_content.hpp"
#include "transport/inbox.hpp"

namespace pure::core {
namespace {

class inbox_stress : public testing::TestWithParam<int> {};  // how many senders
INSTANTIATE_TEST_SUITE_P(senders, inbox_stress, testing::Values(1, 2, 5), testing::PrintToStringParamName());

constexpr int messages_each = 3;

/// The receiver's view: what it has heard of each ring, and received from it.
struct channel {
  ring* from = nullptr;
  bool was_announced = false;
  int received = 0;
};

class receiver {
 public:
  receiver(inbox& in, int senders, std::uint64_t seed)
      : in_(in), channels_(static_cast<std::size_t>(senders)), random_(seed) {}

  void receive_all() {
    while (received_ < messages_each * static_cast<int>(channels_.size())) {
      if (random_.number() % 4 == 0) connect_to(random_.number() % channels_.size());
      adopt();
      for (channel& each : channels_) poll(each);
      random_.maybe();
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  void connect_to(std::size_t source) { know(channels_[source], in_.connect_own(static_cast<int>(source))); }

  void adopt() {
    for (ring* each = in_.take_announced(); each != nullptr; each = each->next_announced) {
      channel& announced = channels_[static_cast<std::size_t>(each->source())];
      EXPECT_FALSE(announced.was_announced) << "twice";
      announced.was_announced = true;
      know(announced, *each);
    }
  }

  static void know(channel& known, ring& from) {
    EXPECT_TRUE(known.from == nullptr || known.from == &from) << "there are two rings from rank " << from.source();
    known.from = &from;
  }

  void poll(channel& known) {
    if (known.from == nullptr) return;
    for (const record* arrived = known.from->front(); arrived != nullptr; arrived = known.from->front()) {
      const auto number = static_cast<std::uint64_t>(known.from->source() * messages_each + known.received);
      EXPECT_TRUE(test_support::is_intact(*arrived, 1, number));
      known.from->pop(*arrived);
      ++known.received;
      ++received_;
    }
  }

  inbox& in_;
  std::vector<channel> channels_;
  test_support::pauses random_;
  int received_ = 0;
};

TEST_P(inbox_stress, everybody_connects_at_once) {
  const std::uint64_t seed = test_support::announced_seed();
  const int senders = GetParam();
  const int rounds = test_support::repetitions(2000);
  std::vector<std::unique_ptr<inbox>> inboxes;
  for (int i = 0; i < rounds; ++i) inboxes.push_back(std::make_unique<inbox>(8 * line_bytes));

  std::atomic<int> round_open{0};  // senders go on to the next inbox when the receiver does
  std::vector<std::thread> threads;
  for (int me = 0; me < senders; ++me) {
    threads.emplace_back([&, me] {
      test_support::pauses random(seed * 1000 + static_cast<std::uint64_t>(me));
      for (int round = 0; round < rounds; ++round) {
        while (round_open.load() <= round) std::this_thread::yield();
        random.maybe();
        ring& to = inboxes[static_cast<std::size_t>(round)]->connect(me);
        for (int i = 0; i < messages_each; ++i) {
          record* const place = to.try_reserve(1);
          test_support::fill(*place, 1, static_cast<std::uint64_t>(me * messages_each + i));
          to.publish(*place, 1, record_kind::eager);
        }
      }
    });
  }
  for (int round = 0; round < rounds; ++round) {
    ++round_open;
    receiver(*inboxes[static_cast<std::size_t>(round)], senders, seed * 1000 + 999 + static_cast<std::uint64_t>(round))
        .receive_all();
    if (HasFailure()) break;
  }
  round_open = rounds;
  for (std::thread& each : threads) each.join();
}

}  // namespace
}  // namespace pure::core
