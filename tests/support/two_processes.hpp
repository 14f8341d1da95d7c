// Two or three processes in one, whose gateways and engines one thread drives by hand over a loopback network, so that
// every interleaving is exactly the one that the test names.
//
// Nothing moves but by poll(), settle() and until(), or inside the call of a rank that finds the network free.
#pragma once

#include <gtest/gtest.h>
#include <algorithm>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "gateway/gateway.hpp"
#include "gateway/wire.hpp"
#include "machine/rank_placement.hpp"
#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/short_path.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"
#include "support/loopback_network.hpp"

namespace test_support {

/// Small rings and short messages. `without`: besides pacing, which depends on the clock.
inline pure::core::settings hand_driven(const std::string& without = "") {
  pure::core::settings values;
  values.eager_limit_bytes = 256;
  values.ring_bytes = 4096;
  values.net_without = without.empty() ? "pacing" : "pacing," + without;
  return values;
}

/// What a test sends: bytes that tell it from all others of a test.
struct test_message {
  int tag = 0;
  std::size_t bytes = 0;
  int seed = 0;
  std::uint32_t context = 0;

  [[nodiscard]] std::vector<std::byte> data() const {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      made[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed) * 31 + i / 251);
    }
    return made;
  }
};

struct test_send {
  int rank = 0;
  std::vector<std::byte> data;
  pure::core::send_op op;
};

struct test_receive {
  int rank = 0;
  std::vector<std::byte> data;
  pure::core::receive_op op{{}, 0, pure::core::any_source, pure::core::any_tag};
};

class two_processes {
 public:
  static constexpr std::size_t small = 100;       // travels in a packet
  static constexpr std::size_t large = 5 * 1024;  // does not; long enough for a run

  /// `ranks`: in blocks. `early`: what has come to the last process before it has ranks.
  explicit two_processes(const pure::core::settings& values = hand_driven(), int ranks = 2, int processes = 2,
                         std::vector<pure::core::gateway::early_packet> early = {}, loopback_limits limits = {})
      : world(processes, limits) {
    while (static_cast<int>(gateways_.size()) + 1 < processes) add_process(values, ranks, {});
    add_process(values, ranks, std::move(early));
  }

  [[nodiscard]] pure::core::job& job_of(int process) { return *jobs_[static_cast<std::size_t>(process)]; }
  [[nodiscard]] pure::core::gateway& gateway_of(int process) { return *gateways_[static_cast<std::size_t>(process)]; }
  [[nodiscard]] int process_of(int rank) { return gateway_of(0).placement().process_of(rank); }
  [[nodiscard]] pure::core::rank_context& rank(int number) { return job_of(process_of(number)).at(number); }
  [[nodiscard]] pure::core::match_engine& engine(int number) { return pure::core::match_engine::of(rank(number)); }

  // ---- messages ----

  /// Starts a send. `by`: where calls are checked.
  test_send& send(int from, int to, const test_message& what, pure::core::send_manner how = {},
                  const pure::core::call* by = nullptr) {
    test_send& made = sends_.emplace_back();
    made.rank = from;
    made.data = what.data();
    made.op.is_synchronous = how.is_synchronous;
    made.op.is_blocking = how.is_blocking;
    made.op.data = made.data.data();
    made.op.bytes = what.bytes;
    made.op.who = {what.context, from, what.tag};
    made.op.to = to;
    if (by != nullptr) {
      made.op.number = engine(from).checks()->send_starts(*by, made.op.data, what.bytes, to, what.tag);
    }
    engine(from).sender().start(made.op);
    return made;
  }
  /// Posts a receive for a message of at most `room` bytes.
  test_receive& receive(int at, int from, int tag, std::size_t room, std::uint32_t context = 0) {
    test_receive& made = receives_.emplace_back();
    made.rank = at;
    made.data.assign(room, std::byte{0xee});
    made.op = pure::core::receive_op({made.data.data(), room, nullptr}, context, from, tag);
    engine(at).receiver().start(made.op);
    return made;
  }
  test_receive& receive(int at, int from, const test_message& like) {
    return receive(at, from, like.tag, like.bytes, like.context);
  }
  [[nodiscard]] bool is_done(test_receive& which) { return engine(which.rank).receiver().test(which.op); }
  [[nodiscard]] bool is_done(test_send& which) { return engine(which.rank).sender().test(which.op); }

  /// Whether it is done, and has got just that.
  testing::AssertionResult has(test_receive& which, const test_message& what) {
    if (!is_done(which)) return testing::AssertionFailure() << "the receive is not done";
    if (which.op.result.tag != what.tag || which.op.result.bytes != what.bytes) {
      return testing::AssertionFailure() << "it has " << which.op.result.bytes << " bytes with the tag "
                                         << which.op.result.tag;
    }
    const std::vector<std::byte> data = what.data();
    if (std::equal(data.begin(), data.end(), which.data.begin())) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it has the bytes of another message";
  }
  /// The same, in time.
  testing::AssertionResult gets(test_receive& which, const test_message& what) {
    until([&] { return is_done(which); });
    return has(which, what);
  }
  [[nodiscard]] bool completes(test_send& which) {
    return until([&] { return is_done(which); });
  }

  // ---- time ----

  void poll(int process, int times = 1) {
    for (int i = 0; i < times; ++i) {
      for (const int number : gateway_of(process).placement().ranks_of(process)) {
        gateway_of(process).poll(&rank(number));
        static_cast<void>(engine(number).advance());
      }
    }
  }
  /// Whatever is not held happens.
  void settle(int rounds = 40) {
    for (int i = 0; i < rounds; ++i) {
      for (int process = 0; process < world.processes(); ++process) poll(process);
    }
  }
  /// Whether the condition comes to be true.
  template <class Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      settle(1);
    }
    return true;
  }

  // ---- streams and runs, from rank `from` to rank `to` ----

  /// The receive, the message, and an answer to it.
  testing::AssertionResult exchange(int from, int to, const test_message& what) {
    test_receive& posted = receive(to, from, what);
    test_send& sent = send(from, to, what);
    if (testing::AssertionResult got = gets(posted, what); !got) return got;
    if (!completes(sent)) return testing::AssertionFailure() << "the send does not complete";
    return answer(from, to);
  }
  testing::AssertionResult answer(int from, int to) {
    const test_message back{.tag = 77, .bytes = 8, .seed = ++seed_, .context = 5};
    test_receive& heard = receive(from, to, back);
    send(to, from, back);
    return gets(heard, back);
  }
  /// Another one of that kind.
  test_message next(int tag, std::size_t bytes = large) { return {.tag = tag, .bytes = bytes, .seed = ++seed_}; }

  /// From now on receives of that tag are foreseen.
  testing::AssertionResult start_stream(int from, int to, int tag, std::size_t bytes = large) {
    for (int i = 0; i < 3; ++i) {
      if (testing::AssertionResult done = exchange(from, to, next(tag, bytes)); !done) return done;
    }
    return testing::AssertionSuccess();
  }
  /// From now on messages with these tags, in turn, travel without envelopes.
  testing::AssertionResult start_run(int from, int to, const std::vector<int>& tags) {
    for (int i = 0; i < most_before_run; ++i) {
      bool is_on = true;
      for (const int tag : tags) {
        const std::size_t packets = world.messages_sent(process_of(from));
        if (testing::AssertionResult done = exchange(from, to, next(tag)); !done) return done;
        is_on = is_on && world.messages_sent(process_of(from)) == packets;
      }
      if (is_on) return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "no run begins";
  }
  /// Up to the message with which one begins: `last`, for which the receive `its` is posted. Its packet is held.
  testing::AssertionResult almost_start_run(int from, int to, const std::vector<int>& tags, test_message& last,
                                            test_receive*& its) {
    for (int i = 0; i < most_before_run; ++i) {
      for (const int tag : tags) {
        last = next(tag);
        its = &receive(to, from, last);
        world.hold_messages(process_of(from), process_of(to));
        test_send& sent = send(from, to, last);
        if (last_packet_says(process_of(from), pure::core::wire_kind::run_begins)) return testing::AssertionSuccess();
        world.hold_messages(process_of(from), process_of(to), false);
        if (testing::AssertionResult got = gets(*its, last); !got) return got;
        if (!completes(sent)) return testing::AssertionFailure() << "the send does not complete";
        if (testing::AssertionResult done = answer(from, to); !done) return done;
      }
    }
    return testing::AssertionFailure() << "no run begins";
  }
  /// Whether the last packet that has left the process has such an entry.
  [[nodiscard]] bool last_packet_says(int process, pure::core::wire_kind kind) {
    const loopback_world::sent_message last = world.last_message(process);
    if (last.tag != pure::core::envelope_cache::none) return false;
    pure::core::wire_reader entries(last.bytes.data(), last.bytes.size());
    bool says_it = false;
    while (entries.next([&](const auto& what, const std::byte*) { says_it |= what.tail.kind == kind; })) {
    }
    return says_it;
  }

  loopback_world world;

 private:
  static constexpr int most_before_run = 40;

  void add_process(const pure::core::settings& values, int ranks,
                   std::vector<pure::core::gateway::early_packet> early) {
    using namespace pure::core;
    const int process = static_cast<int>(gateways_.size());
    gateways_.push_back(std::make_unique<gateway>(rank_placement::of("block", ranks, world.processes()),
                                                  world.end(process), std::move(early)));
    const std::size_t here = gateways_.back()->placement().ranks_of(process).size();
    jobs_.push_back(std::make_unique<job>(values, std::vector<wait_policy>(here), failure_action::throw_to_caller,
                                          attach_services, 0, std::vector<rank_place>{}, gateways_.back().get()));
  }

  int seed_ = 0;
  std::deque<test_send> sends_;
  std::deque<test_receive> receives_;
  std::vector<std::unique_ptr<pure::core::gateway>> gateways_;
  std::vector<std::unique_ptr<pure::core::job>> jobs_;
};

}  // namespace test_support
