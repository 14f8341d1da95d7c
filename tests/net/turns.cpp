// Blocking messages that answer each other, large ones too: turns FIRST_SEED ROUNDS
//
// From some length on, these come without envelopes (src/gateway/run_receiver.hpp): a run of them begins after some
// that are alike, and ends with any other one, but for short ones of other communicators. A round has a size, and ranks
// in pairs, of different processes where they can be, which send messages of that size to and fro, or both at once.
// Between them come smaller, longer and cancelled messages, some with another tag, collective operations, and messages
// in a communicator of the pair; and they are received in every way: late, by probes, from any source, with more room
// than they need.
#include <pure.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <fmt/core.h>

#include "net/pairs.hpp"

namespace {

using namespace net_pairs;

constexpr int usual_tag = 3, other_tag = 4, cancelled_tag = 5;

/// The turns of a pair in a round, by one of the two. `both_`: the same dice in both.
class round_of_pair {
 public:
  /// `aside`: a communicator of the two.
  round_of_pair(std::uint64_t seed, int me, int partner, int pair, pure_comm aside)
      : me_(me),
        partner_(partner),
        aside_(aside),
        both_(mix(seed) + static_cast<std::uint64_t>(pair)),
        own_(mix(seed + 7) ^ static_cast<std::uint64_t>(me)) {
    usual_ = both_.pick<std::size_t>({520, 700, 1000, 1030, 2000, 2600, 5000, 5000, 20'000, 40'000, 120'000, 140'000});
    is_calm_ = both_.chance(40);
  }

  void run() {
    for (int turns = both_.below(60); turns > 0; --turns) {
      is_interrupted_ = both_.chance(is_calm_ ? 2 : 10);
      if (is_interrupted_) interrupt();
      if (both_.chance(30)) something_aside();
      if (both_.chance(20)) some_in_a_row();
      const message to_and_fro[2] = {next(), next()};
      const bool is_first = (me_ < partner_) != both_.chance(is_calm_ ? 1 : 5);
      const message &mine = to_and_fro[is_first ? 0 : 1], &theirs = to_and_fro[is_first ? 1 : 0];
      if (both_.chance(is_calm_ ? 3 : 20)) {
        exchange(mine, theirs);
      } else if (is_first) {
        send(mine);
        receive(theirs);
      } else {
        receive(theirs);
        send(mine);
      }
    }
    while (!owed_aside_.empty()) receive_aside();
    for (sent_aside& each : sent_aside_) pure_wait(&each.request);
  }

 private:
  struct sent_aside {
    words data;
    pure_request request;
  };

  message next() {
    message made{.tag = usual_tag, .length = usual_, .key = both_.next()};
    if (both_.chance(is_calm_ ? 1 : 5)) made.length = both_.pick<std::size_t>({0, 1, 900, 3000, usual_ / 2, 150'000});
    if (both_.chance(is_calm_ ? 1 : 4)) made.tag = other_tag;
    return made;
  }

  void send(const message& what) {
    const words all = what.filled();
    if (own_.chance(is_calm_ ? 20 : 8)) {
      pure_request sent;
      pure_isend_msg(all.data(), count_of(all), PURE_INT64_T, partner_, what.tag, PURE_COMM_WORLD, &sent);
      pure_wait(&sent);
    } else {
      pure_send_msg(all.data(), count_of(all), PURE_INT64_T, partner_, what.tag, PURE_COMM_WORLD);
    }
  }

  /// One of the pair sends a few messages, and gets no answer.
  void some_in_a_row() {
    const bool are_mine = both_.chance(50) == (me_ < partner_);
    for (int left = 2 + both_.below(2); left > 0; --left) {
      message what{.tag = both_.chance(50) ? usual_tag : other_tag, .length = usual_, .key = both_.next()};
      if (both_.chance(50)) what.length = both_.pick<std::size_t>({0, 1, 100, 600});
      if (are_mine) {
        send(what);
      } else {
        receive(what, own_.chance(50));
      }
    }
  }

  void receive(const message& what, bool takes_any_tag = false) {
    words all(what.length);
    const int way = own_.below(is_calm_ ? 400 : 40);
    if (way == 0) compute_for(std::chrono::microseconds(own_.below(3000)));
    if (way == 1 || way == 2) all.resize(what.length + static_cast<std::size_t>(own_.below(160'000)));
    if (way == 3 || way == 4) all.resize(150'000);
    const int source = way == 5 ? PURE_ANY_SOURCE : partner_;
    const bool is_any_tag = (way == 5 || way == 6 || takes_any_tag) &&
                            !is_interrupted_;  // which might match that message
    const int tag = is_any_tag ? PURE_ANY_TAG : what.tag;
    pure_status status{};
    if (way == 7) {
      pure_probe(source, tag, PURE_COMM_WORLD, &status);
      check(status, partner_, what, "probed");
    }
    if (way == 8) {
      int is_there = 0;
      for (int i = 0; i < 50 && is_there == 0; ++i) pure_iprobe(source, tag, PURE_COMM_WORLD, &is_there, &status);
      if (is_there != 0) check(status, partner_, what, "probed");
    }
    pure_recv_msg(all.data(), count_of(all), PURE_INT64_T, source, tag, PURE_COMM_WORLD, &status);
    check(status, partner_, what, "received");
    check(all, what);
  }

  void exchange(const message& mine, const message& theirs) {
    const words out = mine.filled();
    words in(theirs.length);
    pure_status status{};
    pure_sendrecv_msg(out.data(), count_of(out), PURE_INT64_T, partner_, mine.tag, in.data(), count_of(in),
                      PURE_INT64_T, partner_, theirs.tag, PURE_COMM_WORLD, &status);
    check(status, partner_, theirs, "exchanged");
    check(in, theirs);
  }

  /// A message that is taken back.
  void interrupt() {
    const bool is_mine = both_.chance(50) == (me_ < partner_);
    const message what{.tag = cancelled_tag, .length = 20'000, .key = both_.next()};
    cancel_one(is_mine, partner_, aside_, what);
  }

  /// In the communicator of the pair: a barrier, a sum, or a message, which may be received some turns later.
  void something_aside() {
    const int which = both_.below(3);
    if (which == 0) pure_barrier(aside_);
    if (which == 1) {
      const auto mine = static_cast<std::int64_t>(both_.below(1000)) + me_;
      std::int64_t sum = 0;
      pure_allreduce(&mine, &sum, 1, PURE_INT64_T, PURE_SUM, aside_);
      if (sum != 2 * mine - me_ + partner_) fail(fmt::format("the sum is {}", sum));
    }
    if (which == 2) {
      const bool is_mine = both_.chance(50) == (me_ < partner_);
      const message what{
          .tag = usual_tag, .length = both_.pick<std::size_t>({0, 1, 100, 620, 700, 3000}), .key = both_.next()};
      if (is_mine) {
        sent_aside& sent = sent_aside_.emplace_back(sent_aside{what.filled(), {}});
        pure_isend_msg(sent.data.data(), count_of(sent.data), PURE_INT64_T, me_ < partner_ ? 1 : 0, what.tag, aside_,
                       &sent.request);
      } else {
        owed_aside_.push_back(what);
      }
    }
    while (!owed_aside_.empty() && own_.chance(50)) receive_aside();
  }

  void receive_aside() {
    const message what = owed_aside_.front();
    owed_aside_.pop_front();
    words all(what.length);
    pure_recv_msg(all.data(), count_of(all), PURE_INT64_T, PURE_ANY_SOURCE, PURE_ANY_TAG, aside_);
    check(all, what);
  }

  int me_, partner_;
  pure_comm aside_;
  dice both_, own_;
  std::deque<message> owed_aside_;
  std::deque<sent_aside> sent_aside_;
  std::size_t usual_ = 0;
  bool is_calm_ = false;         // few surprises
  bool is_interrupted_ = false;  // in this turn
};

}  // namespace

int main(int argc, char** argv) { return run_rounds<round_of_pair>("turns", argc, argv); }
