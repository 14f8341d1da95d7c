// The round trips of pingpong, same_core and those that send or receive in another way. Rank i talks to rank i + size /
// 2; all pairs do so at the same time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bench.hpp"

namespace bench {

inline int partner() { return (rank() + size() / 2) % size(); }
inline bool starts() { return rank() < size() / 2; }

/// The two buffers of a rank that sends from one and receives into the other. The first word counts the trips, so that
/// a lost, old or reordered message is seen; the rest is compared at the end.
class ping_pong_buffers {
 public:
  explicit ping_pong_buffers(std::size_t bytes) : out_(bytes), in_(bytes) { out_.fill(rank() * 1000); }

  /// out_by(data, bytes, to, tag) sends, in_by(data, bytes, from, tag) receives.
  template <class OutBy, class InBy>
  void go(long trips, OutBy out_by, InBy in_by) {
    const int peer = partner();
    const bool first = starts();
    const std::size_t bytes = out_.bytes();
    for (long i = 0; i < trips; ++i) {
      out_[0] = i;
      if (first) {
        out_by(out_.data(), bytes, peer, 0);
        in_by(in_.data(), bytes, peer, 0);
      } else {
        in_by(in_.data(), bytes, peer, 0);
        out_by(out_.data(), bytes, peer, 0);
      }
      check(in_[0] == i, "ping-pong", bytes, i, in_[0]);
    }
  }
  void verify() const { in_.verify(partner() * 1000, 1); }

 private:
  buffer out_, in_;
};

/// The buffer of a rank that sends back what it has received from where it lies. Before each send, the first, the
/// middle and the last word are increased, and the receiver checks them.
class dirty_ping_pong_buffer {
 public:
  explicit dirty_ping_pong_buffer(std::size_t bytes)
      : data_(bytes), marked_{0, data_.size() / 2, data_.size() - 1}, marks_(std::min<std::size_t>(data_.size(), 3)) {}

  /// As ping_pong_buffers::go().
  template <class OutBy, class InBy>
  void go(long trips, OutBy out_by, InBy in_by) {
    const int peer = partner();
    const bool first = starts();
    const std::size_t bytes = data_.bytes();
    for (long i = 0; i < trips; ++i) {
      if (first) {
        increase();
        out_by(data_.data(), bytes, peer, 0);
        in_by(data_.data(), bytes, peer, 0);
        expect_increased();
      } else {
        in_by(data_.data(), bytes, peer, 0);
        expect_increased();
        increase();
        out_by(data_.data(), bytes, peer, 0);
      }
    }
  }
  void verify() {
    for (std::size_t m = 0; m < marks_; ++m) data_[marked_[m]] -= sent_;
    data_.verify(0);
    sent_ = 0;
  }

 private:
  void increase() {
    for (std::size_t m = 0; m < marks_; ++m) ++data_[marked_[m]];
    ++sent_;
  }
  void expect_increased() {
    ++sent_;
    for (std::size_t m = 0; m < marks_; ++m) {
      const long expected = static_cast<long>(marked_[m]) + sent_;
      check(data_[marked_[m]] == expected, "marked word", data_.bytes(), expected, data_[marked_[m]]);
    }
  }

  buffer data_;
  std::size_t marked_[3];
  std::size_t marks_;  // one word has one
  long sent_ = 0;      // by both together: what each marked word has grown
};

/// One case: half a round trip.
template <class OutBy, class InBy>
void measure_ping_pong(session& s, const std::string& name, std::size_t bytes, OutBy out_by, InBy in_by) {
  ping_pong_buffers between(bytes);
  s.measure(
      name, bytes, [&](long trips) { between.go(trips, out_by, in_by); }, us_per(2));
  between.verify();
}
inline void measure_ping_pong(session& s, std::size_t bytes) {
  measure_ping_pong(
      s, size_name(bytes), bytes, [](auto... all) { send(all...); }, [](auto... all) { recv(all...); });
}

/// One case where what is received is sent back from there.
inline void measure_dirty_ping_pong(session& s, std::size_t bytes) {
  dirty_ping_pong_buffer between(bytes);
  const auto body = [&](long trips) {
    between.go(
        trips, [](auto... all) { send(all...); }, [](auto... all) { recv(all...); });
  };
  s.measure(size_name(bytes), bytes, body, us_per(2));
  between.verify();
}

}  // namespace bench
