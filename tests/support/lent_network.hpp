// An end of a network that somebody else owns, as an object of its own, and what it has been asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/clock.hpp"
#include "network/network.hpp"

namespace test_support {

class lent_network final : public pure::core::network {
 public:
  struct calls {
    int sends = 0, receives = 0, cancels = 0, polls = 0, arms = 0, disarms = 0, looks_at_starter = 0, ends = 0;
    int descriptor = -1;
    std::int64_t poll_ns = 0;  // how long one takes at least
  };
  lent_network(pure::core::network& from, calls& counted) : from_(from), counted_(counted) { peers_ = from.peers(); }

  bool send_message(pure::core::network_operation& op, int process, int tag, const void* data,
                    std::size_t bytes) override {
    ++counted_.sends;
    return from_.send_message(op, process, tag, data, bytes);
  }
  bool send(pure::core::network_operation& op, int process, int tag, const void* data, std::size_t bytes) override {
    ++counted_.sends;
    return from_.send(op, process, tag, data, bytes);
  }
  bool send_short(pure::core::network_operation& op, int process, int tag, const void* data,
                  std::size_t bytes) override {
    ++counted_.sends;
    return from_.send_short(op, process, tag, data, bytes);
  }
  bool receive(pure::core::network_operation& op, int process, int tag, void* data, std::size_t bytes) override {
    ++counted_.receives;
    return from_.receive(op, process, tag, data, bytes);
  }
  bool cancel(pure::core::network_operation& op) override {
    ++counted_.cancels;
    return from_.cancel(op);
  }
  bool poll(pure::core::network_events& events) override {
    ++counted_.polls;
    const std::int64_t end_ns = counted_.poll_ns == 0 ? 0 : pure::core::now_ns() + counted_.poll_ns;
    while (pure::core::now_ns() < end_ns) {
    }
    return from_.poll(events);
  }
  [[nodiscard]] int wake_descriptor() const noexcept override { return counted_.descriptor; }
  void arm() noexcept override { ++counted_.arms; }
  void disarm() noexcept override { ++counted_.disarms; }
  void look_at_starter() noexcept override { ++counted_.looks_at_starter; }
  [[noreturn]] void abort(int status) noexcept override { std::_Exit(status); }
  void finalize(int) override { ++counted_.ends; }

 private:
  pure::core::network& from_;
  calls& counted_;
};

}  // namespace test_support
