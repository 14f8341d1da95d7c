// Messages of all processes to all others, planned by numbers that both ends compute, packed and sent as ranks'
// messages will be; everything that arrives is checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/aligned_bytes.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/wire.hpp"
#include "network/network.hpp"

namespace net_test {

using namespace pure::core;

inline constexpr std::size_t piece_bytes = 100'000;  // small, so that payloads of several pieces are common
inline constexpr int messages_to_each = 400;
inline constexpr int tags_in_use = 37;  // few, so that they are used again

inline network* net = nullptr;

[[noreturn]] inline void wrong(const std::string& text) {
  fmt::print(stderr, "process {}: {}\n", net != nullptr ? net->peers().process : -1, text);
  if (net != nullptr) net->abort(1);
  std::_Exit(1);
}

inline void check(bool is_right, const std::string& what) {
  if (!is_right) wrong("WRONG: " + what);
}

inline void network_failed(void*, const char* text) {
  fmt::print(stderr, "the network failed: {}\n", text);
  if (net == nullptr) std::_Exit(9);
  net->abort(9);
}

/// The n-th message of one process to another.
struct planned {
  planned(int from, int to, int n) {
    std::mt19937 dice(static_cast<unsigned>(from * 1'000'003 + to * 10'007 + n));
    is_large = dice() % 4 == 0;
    const std::size_t largest = wire::largest_payload(net->peers().message_bytes);
    constexpr std::array<std::size_t, 8> lengths = {
        0, 1, piece_bytes - 1, piece_bytes, piece_bytes + 1, 3 * piece_bytes, 20'000, 5'000};
    if (is_large)
      bytes = lengths[dice() % lengths.size()];
    else
      bytes = dice() % 8 == 0 ? largest - dice() % 3 : dice() % 200;
    ends_message = dice() % 3 == 0;
    seed = static_cast<unsigned char>(dice());
  }
  [[nodiscard]] std::byte at(std::size_t i) const { return static_cast<std::byte>(seed + i * 7 + i / 251); }
  [[nodiscard]] bool is_in(const std::byte* data) const {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (data[i] != at(i)) return false;
    }
    return true;
  }
  void write(std::byte* data) const {
    for (std::size_t i = 0; i < bytes; ++i) data[i] = at(i);
  }

  bool is_large, ends_message;
  std::size_t bytes;
  unsigned char seed;
};

/// Sends and receives all that is planned. Whoever calls work() has the turn.
class exchange final : public network_events {
 public:
  exchange()
      : me_(net->peers().process),
        sent_(others()),
        received_(others()),
        payloads_sent_(others()),
        left_(others()),
        arrived_(others()) {}

  void work() {
    for (int to = 0; to < net->peers().processes; ++to) {
      if (to != me_ && flying_ < 200) send_next(to);
    }
    net->poll(*this);
  }
  [[nodiscard]] bool is_done() const {
    const auto all = [&](const std::vector<int>& counts) {
      return std::all_of(counts.begin(), counts.end(), [](int count) { return count == messages_to_each; });
    };
    return flying_ == 0 && all(sent_) && all(received_);
  }

  void message_arrived(int from, int tag, const std::byte* data, std::size_t bytes) override {
    check(reinterpret_cast<std::uintptr_t>(data) % 16 == 0, "a message is not aligned");
    const int expected_tag = tag_of(arrived_[static_cast<std::size_t>(from)]++);
    check(tag == expected_tag, fmt::format("tag {} of a message, and not {}", tag, expected_tag));
    if (is_empty(expected_tag)) return check(bytes == 0, "a message of no bytes");
    wire_reader reader(data, bytes);
    const auto take = [&]<class Entry>(const Entry& what, const std::byte* payload) {
      if constexpr (requires { message_entry::of(what); }) message_is_here(from, message_entry::of(what), payload);
    };
    while (reader.next(take)) {
    }
    check(reader.is_whole(), "the end of a message");
  }
  void operation_done(network_operation& done) override { landed(*static_cast<flight*>(done.owner)); }

 private:
  struct flight {
    network_operation operation = {};
    planned what;
    aligned_bytes memory;
    bool is_receive = false;
  };

  void message_is_here(int from, const message_entry& entry, const std::byte* payload) {
    const int n = received_[static_cast<std::size_t>(from)]++;
    const planned expected(from, me_, n);
    const bool is_expected = entry.from == from && entry.to == me_ &&
                             entry.record_number == static_cast<std::uint32_t>(n) && entry.bytes == expected.bytes &&
                             entry.who.source == from && entry.who.tag == n - 5;
    check(is_expected, fmt::format("message {} of process {} is another one", n, from));
    if (!expected.is_large) {
      check(expected.is_in(payload), fmt::format("the payload of message {} of process {}", n, from));
      return;
    }
    flight& coming = *new flight{.what = expected, .memory = make_aligned(expected.bytes + 1), .is_receive = true};
    coming.operation.owner = &coming;
    ++flying_;
    const int tag = static_cast<int>(entry.payload_tag);
    if (net->receive(coming.operation, from, tag, coming.memory.get(), expected.bytes)) landed(coming);
  }

  static std::vector<int> others() {
    std::vector<int> counts(static_cast<std::size_t>(net->peers().processes), 0);
    counts[static_cast<std::size_t>(net->peers().process)] = messages_to_each;  // none to itself
    return counts;
  }

  void landed(flight& done) {
    if (done.is_receive) {
      check(done.operation.bytes == done.what.bytes && !done.operation.cancelled, "the length of a payload");
      check(done.what.is_in(done.memory.get()), "the content of a payload");
    }
    --flying_;
    delete &done;
  }

  /// One network message with the next few of ours, and their payloads.
  void send_next(int to) {
    int& n = sent_[static_cast<std::size_t>(to)];
    if (n == messages_to_each) return;
    const std::size_t capacity = net->peers().message_bytes;
    flight& packed = *new flight{.what = planned(me_, to, n), .memory = make_aligned(capacity)};
    packed.operation.owner = &packed;
    wire_writer writer(packed.memory.get(), capacity);
    for (bool is_last = false; n < messages_to_each && !is_last; ++n) {
      const planned next(me_, to, n);
      is_last = next.ends_message;
      int& large = payloads_sent_[static_cast<std::size_t>(to)];
      const int tag = large % tags_in_use;
      message_entry entry;
      entry.bytes = next.bytes;
      entry.who = {.context = 3, .source = me_, .tag = n - 5};
      entry.to = to;
      entry.from = me_;
      entry.record_number = static_cast<std::uint32_t>(n);
      entry.is_large = next.is_large;
      entry.payload_tag = static_cast<std::uint32_t>(tag);
      std::byte* const room = entry.write(writer);
      if (room == nullptr) break;
      if (!next.is_large) {
        next.write(room);
        continue;
      }
      ++large;
      flight& payload = *new flight{.what = next, .memory = make_aligned(next.bytes + 1)};
      payload.operation.owner = &payload;
      next.write(payload.memory.get());
      ++flying_;
      if (net->send(payload.operation, to, tag, payload.memory.get(), next.bytes)) landed(payload);
    }
    int& number = left_[static_cast<std::size_t>(to)];
    if (is_empty(tag_of(number))) {
      flight& nothing = *new flight{.what = planned(me_, to, 0), .memory = nullptr};
      nothing.operation.owner = &nothing;
      ++flying_;
      if (net->send_message(nothing.operation, to, tag_of(number++), nullptr, 0)) landed(nothing);
    }
    ++flying_;
    if (net->send_message(packed.operation, to, tag_of(number++), packed.memory.get(), writer.finish())) landed(packed);
  }

  /// Of the network's messages to a process, by number: all sorts, up to the largest.
  static int tag_of(int number) { return number % 3 == 0 ? net->peers().largest_tag - number % 7 : number % 5; }
  /// Never two in a row.
  static bool is_empty(int tag) { return tag == 4; }

  const int me_;
  std::vector<int> sent_, received_, payloads_sent_;  // by process
  std::vector<int> left_, arrived_;                   // the network's messages
  int flying_ = 0;
};

}  // namespace net_test
