// The exchanges of net_exchange and net_in_turn, as at the borders of a grid: receives are posted, sends are started,
// all are waited for.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "ping_pong.hpp"

namespace bench {

/// The buffers of a rank for so many messages each way, of different tags. The first word of each counts the exchanges;
/// the rest is compared at the end.
class exchange_buffers {
 public:
  static constexpr int most_messages = 6;

  explicit exchange_buffers(std::size_t bytes, int messages = 1) : bytes_(bytes), messages_(messages) {
    for (int k = 0; k < messages; ++k) {
      in_[k] = std::make_unique<buffer>(bytes);
      out_[k] = std::make_unique<buffer>(bytes);
      out_[k]->fill(key(rank(), k));
    }
  }

  /// in_by(data, bytes, from, tag) and out_by(data, bytes, to, tag) start one and return its request; all are then
  /// waited for by wait_for(count, requests).
  template <class InBy, class OutBy, class WaitFor>
  void go(long exchanges, InBy in_by, OutBy out_by, WaitFor wait_for) {
    std::array<decltype(in_by(nullptr, bytes_, 0, 0)), 2 * most_messages> requests;
    const int peer = partner();
    for (long i = 0; i < exchanges; ++i) {
      for (int k = 0; k < messages_; ++k) requests[k] = in_by(in_[k]->data(), bytes_, peer, k);
      for (int k = 0; k < messages_; ++k) {
        (*out_[k])[0] = i;
        requests[messages_ + k] = out_by(out_[k]->data(), bytes_, peer, k);
      }
      wait_for(2 * messages_, requests.data());
      for (int k = 0; k < messages_; ++k) check((*in_[k])[0] == i, "number of the exchange", bytes_, i, (*in_[k])[0]);
    }
  }
  void verify() const {
    for (int k = 0; k < messages_; ++k) in_[k]->verify(key(partner(), k), 1);
  }

 private:
  static long key(int rank, int message) { return rank * 1000L + message * 100; }

  const std::size_t bytes_;
  const int messages_;
  std::array<std::unique_ptr<buffer>, most_messages> in_, out_;
};

}  // namespace bench
