// Random sends, receives, probes and cancellations at one rank, judged by the rules of MPI 4.1, 3.5 (order) and 3.8.4
// (cancel) alone: whatever the engine has in which queue, ring or index, which receive got which message must be
// something that the standard allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/open_accounts.hpp"
#include "base/settings.hpp"
#include "match/match_engine.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

class matching_order {
 public:
  explicit matching_order(unsigned seed) : dice_(seed) {}

  void play(int steps) {
    for (now_ = 1; now_ <= steps; ++now_) {
      switch (below(10)) {
        case 0:
        case 1:
        case 2: send(); break;
        case 3:
        case 4: post(); break;
        case 5: receive_now_or_later(); break;
        case 6: probe_and_receive(); break;
        case 7: take_back(); break;
        case 8: engine(receiver).advance(); break;
        default: test_one();
      }
    }
    settle();
    for (auto& each : receives_) {
      if (!each.got && !each.is_withdrawn) {
        each.is_withdrawn = engine(receiver).receiver().withdraw(each.op);
        EXPECT_TRUE(each.is_withdrawn);
      }
    }
    judge();
    receive_the_rest();
    for (int rank = 0; rank < 3; ++rank) {
      open_accounts accounts;
      engine(rank).add_open_accounts(accounts);
      EXPECT_EQ(accounts.text(), "") << "rank " << rank;
    }
  }

 private:
  static constexpr int receiver = 1;
  static constexpr std::size_t largest = 1000;

  struct message {
    envelope who;
    int at = 0;  // the step at which it was sent
    std::vector<char> data;
    std::optional<send_op> op;  // unless it left at once
    bool is_withdrawn = false;
    int got_by = -1;
  };
  struct receive {
    int from, tag;
    std::uint32_t context;
    int posted = 0;  // the step
    int done = 0;
    std::vector<char> data;
    receive_op op;
    bool is_withdrawn = false;
    int withdrawn_at = 0;
    std::optional<int> got;  // the message
  };

  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(dice_); }
  int any_or(int named, int any) { return below(3) == 0 ? any : named; }

  static bool match(const receive& r, const message& m) {
    return r.context == m.who.context && (r.from == any_source || r.from == m.who.source) &&
           (r.tag == any_tag || r.tag == m.who.tag);
  }

  void send() {
    const int sender = below(3);
    message& made = messages_.emplace_back();
    made.who = {static_cast<std::uint32_t>(below(2)), sender, below(2)};
    made.at = now_;
    const auto number = static_cast<int>(messages_.size()) - 1;
    constexpr std::size_t lengths[] = {sizeof(int), 100, largest};
    made.data.assign(lengths[below(3)], static_cast<char>(number));
    std::memcpy(made.data.data(), &number, sizeof number);
    if (sender == 2) return arrive_past_the_ring(made);
    if (below(2) == 0 && engine(sender).sender().try_send_now(receiver, made.who, made.data.data(), made.data.size()))
      return;
    send_op& op = made.op.emplace();
    op.data = made.data.data();
    op.bytes = made.data.size();
    op.who = made.who;
    op.to = receiver;
    op.is_synchronous = below(3) == 0;
    engine(sender).sender().start(op);
  }

  /// As one of another process: to the posted receive that waits for it, or into the ring.
  void arrive_past_the_ring(message& made) {
    made.data.resize(std::min<std::size_t>(made.data.size(), 100));
    ring& way = engine(receiver).receiver().mail().connect(made.who.source);
    const auto* const bytes = reinterpret_cast<const std::byte*>(made.data.data());
    if (engine(receiver).receiver().receive_now(way, made.who, bytes, made.data.size())) return;
    if (!engine(2).sender().try_send_now(receiver, made.who, bytes, made.data.size()))
      messages_.pop_back();  // the ring is full
  }

  receive& make(int from, int tag, std::uint32_t context) {
    receive& made = receives_.emplace_back(
        receive{from, tag, context, now_, 0, std::vector<char>(largest), receive_op({}, 0, 0, 0), false, 0, {}});
    made.op = receive_op({made.data.data(), largest, nullptr}, context, from, tag);
    return made;
  }
  void post() {
    receive& made = make(any_or(below(3), any_source), any_or(below(2), any_tag), static_cast<std::uint32_t>(below(2)));
    engine(receiver).receiver().start(made.op);
    look_at(made);
  }
  void receive_now_or_later() {
    receive& made = make(below(3), any_or(below(2), any_tag), static_cast<std::uint32_t>(below(2)));
    const bool is_done = engine(receiver).receiver().try_receive_now({made.data.data(), largest, nullptr}, made.context,
                                                                     made.from, made.tag,
                                                                     [&](const status& its) { made.op.result = its; });
    if (is_done) {
      made.op.done = true;
    } else {
      engine(receiver).receiver().start(made.op);
    }
    look_at(made);
  }
  /// A receive right behind the probe gets what that has found.
  void probe_and_receive() {
    const auto context = static_cast<std::uint32_t>(below(2));
    std::optional<status> found;
    engine(receiver).receiver().probe(context, any_or(below(3), any_source), any_or(below(2), any_tag),
                                      [&](const status& its) { found = its; });
    if (!found) return;
    receive& made = make(found->source, found->tag, context);
    engine(receiver).receiver().start(made.op);
    const auto it_is_done = [&] { return engine(receiver).receiver().test(made.op); };
    for (int i = 0; i < 100 && !it_is_done(); ++i) advance_senders();
    ASSERT_TRUE(it_is_done()) << "what a probe has found is received";
    look_at(made);
    EXPECT_EQ(made.op.result.bytes, found->bytes);
  }
  void take_back() {
    if (below(2) == 0 && !receives_.empty()) {
      receive& one = receives_[static_cast<std::size_t>(below(static_cast<int>(receives_.size())))];
      if (one.got || one.is_withdrawn) return;
      if (!one.op.done && engine(receiver).receiver().withdraw(one.op) && !one.op.done) {
        one.is_withdrawn = true;
        one.withdrawn_at = now_;
      }
      look_at(one);
    } else if (!messages_.empty()) {
      message& one = messages_[static_cast<std::size_t>(below(static_cast<int>(messages_.size())))];
      if (one.op && !one.is_withdrawn && engine(one.who.source).sender().cancel(*one.op)) one.is_withdrawn = true;
    }
  }
  void test_one() {
    if (receives_.empty()) return;
    receive& one = receives_[static_cast<std::size_t>(below(static_cast<int>(receives_.size())))];
    if (!one.is_withdrawn) look_at(one);
  }
  void look_at(receive& one) {
    if (one.got || one.is_withdrawn || !engine(receiver).receiver().test(one.op)) return;
    int number = -1;
    std::memcpy(&number, one.data.data(), sizeof number);
    ASSERT_GE(number, 0);
    ASSERT_LT(number, static_cast<int>(messages_.size()));
    message& its = messages_[static_cast<std::size_t>(number)];
    EXPECT_EQ(its.got_by, -1) << "message " << number << " comes once";
    EXPECT_FALSE(its.is_withdrawn) << "message " << number << " was taken back";
    EXPECT_TRUE(match(one, its));
    EXPECT_EQ(one.op.result.source, its.who.source);
    EXPECT_EQ(one.op.result.tag, its.who.tag);
    ASSERT_EQ(one.op.result.bytes, its.data.size());
    EXPECT_EQ(std::memcmp(one.data.data(), its.data.data(), its.data.size()), 0);
    its.got_by = index_of(one);
    one.got = number;
    one.done = now_;
  }
  int index_of(const receive& one) const {
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      if (&receives_[i] == &one) return static_cast<int>(i);
    }
    return -1;
  }

  void advance_senders() {
    for (const int rank : {0, 2}) engine(rank).advance();
    for (message& each : messages_) {
      if (each.op && !each.is_withdrawn) static_cast<void>(engine(each.who.source).sender().test(*each.op));
    }
  }
  void settle() {
    for (int round = 0; round < 30; ++round) {
      advance_senders();
      engine(receiver).advance();
      for (receive& each : receives_) {
        if (!each.is_withdrawn) look_at(each);
      }
    }
  }

  void judge() {
    for (std::size_t r = 0; r < receives_.size(); ++r) {
      const receive& second = receives_[r];
      if (!second.got) {
        for (const message& each : messages_) {
          EXPECT_FALSE(second.withdrawn_at == 0 && each.got_by < 0 && !each.is_withdrawn && match(second, each))
              << "a receive and a message that match are both left";
        }
        continue;
      }
      const message& got = messages_[static_cast<std::size_t>(*second.got)];
      for (std::size_t m = 0; m < static_cast<std::size_t>(*second.got); ++m) {
        const message& before = messages_[m];
        if (before.who.source != got.who.source || before.is_withdrawn || !match(second, before)) continue;
        EXPECT_TRUE(before.got_by >= 0 && before.got_by < static_cast<int>(r))
            << "message " << *second.got << " has overtaken message " << m;
      }
      for (std::size_t e = 0; e < r; ++e) {
        const receive& first = receives_[e];
        if (!match(first, got) || (first.is_withdrawn && first.withdrawn_at != 0 && first.withdrawn_at <= second.done))
          continue;
        ASSERT_TRUE(first.got) << "receive " << r << " has overtaken receive " << e;
        const message& its = messages_[static_cast<std::size_t>(*first.got)];
        EXPECT_TRUE(its.who.source == got.who.source ? *first.got < *second.got : its.at <= second.done)
            << "receive " << r << " has overtaken receive " << e;
      }
    }
  }
  /// What nobody has received; so all that was started is complete in the end.
  void receive_the_rest() {
    for (message& each : messages_) {
      if (each.got_by >= 0 || each.is_withdrawn) continue;
      receive& made = make(each.who.source, each.who.tag, each.who.context);
      engine(receiver).receiver().start(made.op);
      settle_until_done(made);
    }
    advance_senders();  // who hear that the last one was matched
  }
  void settle_until_done(receive& one) {
    for (int round = 0; round < 200 && !one.got; ++round) {
      advance_senders();
      engine(receiver).advance();
      look_at(one);
    }
    EXPECT_TRUE(one.got) << "a message is lost";
  }

  static settings small_rings() {
    settings values;
    values.eager_limit_bytes = 256;
    values.ring_bytes = 4096;
    return values;
  }

  std::mt19937 dice_;
  int now_ = 0;
  std::deque<message> messages_;
  std::deque<receive> receives_;
  job job_{small_rings(), std::vector<wait_policy>(3), failure_action::throw_to_caller, attach_services};
};

TEST(matching_order_test, is_what_the_standard_allows) {
  constexpr int lengths[] = {6, 10, 16, 60};  // queues are often empty in short ones
  for (unsigned seed = 0; seed < 1200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    matching_order(seed).play(lengths[seed % 4]);
  }
}

TEST(matching_order_test, also_where_many_wait) {
  for (unsigned seed = 0; seed < 8 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    matching_order(1000 + seed).play(1000);
  }
}

}  // namespace
}  // namespace pure::core
