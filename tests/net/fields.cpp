// Exchanges of several messages at a time, as of the fields of a grid: fields FIRST_SEED ROUNDS
//
// Where they come in the same order in each exchange, they come without envelopes, in a run of several streams
// (src/gateway/run_receiver.hpp), which ends where one is missing, is longer or shorter, comes twice or out of order,
// or another message is between. A round has ranks in pairs, of different processes where they can be, and the fields
// of each: their tags and lengths. In an exchange both ranks of a pair send a message of each field, and receive the
// other's, with receives that are posted in any order, early or late, some of them for any tag or any source, and some
// are withdrawn; some messages are received some exchanges later.
//
// What a receive gets is known when it is posted: the first message of its sender that matches and that no receive has
// got (MPI 4.1, 3.5).
#include <pure.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <fmt/core.h>

#include "net/pairs.hpp"

namespace {

using namespace net_pairs;

constexpr int first_tag = 10, extra_tag = 8, cancelled_tag = 9;

/// The exchanges of a pair in a round, by one of the two. `both_`: the same dice in both.
class round_of_pair {
 public:
  /// `aside`: a communicator of the two.
  round_of_pair(std::uint64_t seed, int me, int partner, int pair, pure_comm aside)
      : me_(me),
        partner_(partner),
        aside_(aside),
        both_(mix(seed) + static_cast<std::uint64_t>(pair)),
        own_(mix(seed + 7) ^ static_cast<std::uint64_t>(me)) {
    const int fields = both_.chance(5) ? 18 : 2 + both_.below(6);
    const std::size_t usual = both_.pick<std::size_t>({1100, 1300, 2000, 2600, 2600, 5000, 20'000, 40'000});
    const bool are_same = both_.chance(60);
    for (int i = 0; i < fields; ++i) {
      const auto own = both_.pick<std::size_t>({1100, 1500, 2000, 5000, 20'000, 120'000, 140'000});
      fields_.push_back({.tag = first_tag + i, .length = are_same ? usual : own});
    }
    both_.shuffle(fields_);
    is_calm_ = both_.chance(50);
  }

  void run() {
    for (int exchanges = both_.below(60); exchanges > 0; --exchanges) {
      if (both_.chance(20)) something_aside();
      if (both_.chance(4)) fields_[both_.below(fields_.size())].length = both_.pick<std::size_t>({1200, 2200, 30'000});
      const bool is_low = me_ < partner_;
      const auto low = messages(), high = messages();
      if (both_.chance(is_calm_ ? 2 : 6)) {
        const message cancelled{.tag = cancelled_tag, .length = 20'000, .key = both_.next()};
        // Before the others: a receive for any tag, of a message that follows it, might get it.
        cancel_one(both_.chance(50) == is_low, partner_, aside_, cancelled);
      }
      exchange(is_low ? low : high, is_low ? high : low);
    }
    for (const message& each : std::vector(owed_.begin(), owed_.end())) receive(each);
    finish();
    for (sending& each : late_) pure_wait(&each.request);
  }

 private:
  struct sending {
    words data;
    pure_request request;
  };
  struct receiving {
    message expected;
    words data;
    pure_request request;
  };
  struct planned {
    message what;
    bool is_late = false;  // it may be received some exchanges later
  };

  /// What one of the two sends in the next exchange, in that order.
  std::vector<planned> messages() {
    const int surprises = is_calm_ ? 1 : 8;  // of a hundred
    std::vector<planned> all;
    for (const message& each : fields_) {
      if (both_.chance(surprises)) continue;
      planned next{.what = {.tag = each.tag, .length = each.length, .key = both_.next()}};
      if (both_.chance(surprises)) next.what.length = both_.pick<std::size_t>({0, 1, 900, each.length / 2, 150'000});
      next.is_late = both_.chance(surprises);
      all.push_back(next);
      if (both_.chance(surprises)) all.push_back({.what = {each.tag, each.length, both_.next()}});
      if (both_.chance(surprises)) all.push_back({.what = {extra_tag, both_.below<std::size_t>(400), both_.next()}});
    }
    if (both_.chance(2 * surprises)) both_.shuffle(all);
    return all;
  }

  void exchange(const std::vector<planned>& mine, const std::vector<planned>& theirs) {
    for (const planned& each : theirs) owed_.push_back(each.what);
    const bool is_late = own_.chance(is_calm_ ? 5 : 25);
    if (is_late) send_all(mine);
    if (own_.chance(is_calm_ ? 4 : 15)) compute_for(std::chrono::microseconds(own_.below(600)));
    std::vector<message> in_my_order;
    for (const planned& each : theirs) {
      if (!each.is_late) in_my_order.push_back(each.what);
    }
    if (own_.chance(is_calm_ ? 5 : 40)) own_.shuffle(in_my_order);
    for (const message& each : in_my_order) receive(each);
    if (own_.chance(is_calm_ ? 2 : 10)) withdraw_one();
    if (!is_late) send_all(mine);
    finish();
  }

  void send_all(const std::vector<planned>& all) {
    for (const planned& each : all) {
      sending& next = (each.is_late ? late_ : sends_).emplace_back(sending{each.what.filled(), {}});
      pure_isend_msg(next.data.data(), count_of(next.data), PURE_INT64_T, partner_, each.what.tag, PURE_COMM_WORLD,
                     &next.request);
    }
  }

  /// Posts receives until one of them is for this message, for there may be some before it.
  void receive(const message& wanted) {
    const auto is_it = [&](const message& each) { return each.key == wanted.key; };
    while (std::any_of(owed_.begin(), owed_.end(), is_it)) {
      const bool is_of_any_tag = own_.chance(is_calm_ ? 1 : 8);
      const int tag = is_of_any_tag ? PURE_ANY_TAG : wanted.tag;
      const auto its = first_with(tag);
      receiving& next = receives_.emplace_back();
      next.expected = *its;
      owed_.erase(its);
      next.data.resize(next.expected.length + (own_.chance(20) ? own_.below<std::size_t>(160'000) : 0));
      const int source = own_.chance(is_calm_ ? 1 : 4) ? PURE_ANY_SOURCE : partner_;
      if (own_.chance(2)) {
        int is_there = 0;
        pure_iprobe(source, tag, PURE_COMM_WORLD, &is_there, PURE_STATUS_IGNORE);
      }
      pure_irecv_msg(next.data.data(), count_of(next.data), PURE_INT64_T, source, tag, PURE_COMM_WORLD, &next.request);
    }
  }

  /// The first message that a receive with this tag gets.
  std::deque<message>::iterator first_with(int tag) {
    return std::find_if(owed_.begin(), owed_.end(), [tag](const message& each) { return tag < 0 || each.tag == tag; });
  }

  /// A receive that nobody needs, of a field: it may have got a message before it is back.
  void withdraw_one() {
    const auto its = first_with(some_tag());
    if (its == owed_.end()) return;
    receiving& next = receives_.emplace_back();
    next.expected = *its;
    next.data.resize(150'000);
    pure_irecv_msg(next.data.data(), count_of(next.data), PURE_INT64_T, partner_, next.expected.tag, PURE_COMM_WORLD,
                   &next.request);
    pure_cancel(&next.request);
    pure_status status{};
    pure_wait(&next.request, &status);
    if (status.cancelled == 0) {
      check(status, partner_, next.expected, "received in spite of its cancel");
      check(next.data, next.expected);
      owed_.erase(its);
    }
    receives_.pop_back();
  }
  int some_tag() { return own_.pick(fields_).tag; }

  void finish() {
    if (own_.chance(30)) {
      for (int tests = own_.below(20); tests > 0 && !receives_.empty(); --tests) {
        int is_done = 0;
        pure_status status{};
        receiving& next = receives_[own_.below(receives_.size())];
        pure_test(&next.request, &is_done, &status);
        if (is_done == 0) continue;
        judge(next, status);
        std::swap(next, receives_.back());
        receives_.pop_back();
      }
    }
    for (receiving& each : receives_) {
      pure_status status{};
      pure_wait(&each.request, &status);
      judge(each, status);
    }
    receives_.clear();
    for (sending& each : sends_) pure_wait(&each.request);
    sends_.clear();
  }
  void judge(const receiving& got, const pure_status& status) const {
    check(status, partner_, got.expected, "received");
    check(got.data, got.expected);
  }

  /// In the communicator of the pair: a barrier, a sum, or a message.
  void something_aside() {
    const int which = both_.below(3);
    const int other = me_ < partner_ ? 1 : 0;
    if (which == 0) pure_barrier(aside_);
    if (which == 1) {
      const std::int64_t mine = me_;
      std::int64_t sum = 0;
      pure_allreduce(&mine, &sum, 1, PURE_INT64_T, PURE_SUM, aside_);
      if (sum != me_ + partner_) fail(fmt::format("the sum is {}", sum));
    }
    if (which == 2) {
      const message what{.tag = first_tag, .length = both_.pick<std::size_t>({1, 100, 620, 3000}), .key = both_.next()};
      const words out = what.filled();
      words in(what.length);
      pure_sendrecv_msg(out.data(), count_of(out), PURE_INT64_T, other, what.tag, in.data(), count_of(in), PURE_INT64_T,
                        other, what.tag, aside_, PURE_STATUS_IGNORE);
      check(in, what);
    }
  }

  int me_, partner_;
  pure_comm aside_;
  dice both_, own_;
  std::vector<message> fields_;
  std::deque<message> owed_;          // of the partner, in its order; no receive is for them yet
  std::deque<sending> sends_, late_;  // those of this exchange, and those that may be received later
  std::deque<receiving> receives_;
  bool is_calm_ = false;  // few surprises
};

}  // namespace

int main(int argc, char** argv) { return run_rounds<round_of_pair>("fields", argc, argv); }
