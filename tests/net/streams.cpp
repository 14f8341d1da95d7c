// Large and small messages between all ranks, in random order under few tags, which are received in every way:
// streams FIRST_SEED ROUNDS
//
// The oracle's programs seldom send large messages again and again with one tag. This one does, so that receives expect
// the next one before its envelope is there (src/gateway/foreseen_receives.hpp), and then get it, or a small or
// synchronous one, or a longer one, or are cancelled.
//
// Where messages answer each other, and sends take long, they come without envelopes, until another one is between
// (gateway/run_receiver.hpp).
//
// In a round every rank sends a list of messages to every other one, in order, and receives what comes to it. What a
// receive that names its sender gets is known when it is posted: the first message of that sender that matches and that
// no receive has got (MPI 4.1, 3.5). The last receives of a round take what is left from any source, and are checked
// for each sender's order.
#include <pure.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include <fmt/core.h>

#include "support/oracle/dice.hpp"

namespace {

using oracle::dice;
using oracle::mix;

constexpr std::size_t room = 150'000;  // words of the largest message

[[noreturn]] void fail(const std::string& text) {
  fmt::print(stderr, "rank {}: {}\n", pure_rank(), text);
  std::exit(1);
}
void check(bool is_so, const std::string& text) {
  if (!is_so) fail(text);
}

enum class kind { standard, synchronous, strided };

struct message {
  int from = 0, to = 0, tag = 0;
  kind how = kind::standard;
  std::size_t words = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] std::int64_t word(std::size_t i) const noexcept {
    return static_cast<std::int64_t>((seed + i) * 0x9e3779b97f4a7c15U);
  }
};

/// Whether in this round all send much and receive late: then more is under way than a network tests in one call.
bool is_crowded(std::uint64_t round_seed) { return mix(round_seed + 1) % 8 == 0; }

/// Whether in this round a message is sent when the one before has been answered.
bool takes_turns(std::uint64_t round_seed) { return mix(round_seed + 2) % 3 == 0; }

/// Of one rank to another in a round: the same in both.
std::deque<message> messages_of(std::uint64_t round_seed, int from, int to) {
  dice random(mix(round_seed) ^ static_cast<std::uint64_t>(from * 1000 + to));
  const bool is_steady = random.chance(70);  // as in most programs: one size, one tag
  const bool in_turns = takes_turns(round_seed);
  const std::size_t steady = in_turns ? random.pick<std::size_t>({1030, 1200, 2000, 2000, 5000, 20'000})
                                      : random.pick<std::size_t>({2600, 4000, 9000, 20'000, 20'000, 60'000});
  std::deque<message> all;
  const int most = is_crowded(round_seed) ? 150 : random.chance(20) ? 60 : 9;  // the tags come round after 16
  dice of_both(mix(round_seed) ^ static_cast<std::uint64_t>(from * to));
  for (int i = in_turns ? of_both.below(150) : random.below(most); i > 0; --i) {
    message next{.from = from, .to = to, .seed = random.next()};
    next.tag = is_steady ? 3 : random.below(3);
    next.words = is_steady && random.chance(97)
                     ? steady
                     : random.pick<std::size_t>({0, 1, 6, 300, 1100, 2000, 2200, 2600, 2601, 5000, 12'000, 40'000});
    if (random.chance(1)) next.words = room;
    if (random.chance(is_steady ? 1 : 8)) next.how = kind::synchronous;
    if (random.chance(in_turns ? 1 : 8)) next.how = kind::strided;
    all.push_back(next);
  }
  return all;
}

/// The two ends of a round, by one rank.
class round_of_rank {
 public:
  round_of_rank(std::uint64_t seed, int me, int ranks) : me_(me), random_(mix(seed) + static_cast<std::uint64_t>(me)) {
    for (int other = 0; other < ranks; ++other) {
      const bool is_other = other != me;
      to_send_.push_back(is_other ? messages_of(seed, me, other) : std::deque<message>());
      to_come_.push_back(is_other ? messages_of(seed, other, me) : std::deque<message>());
    }
    if (is_crowded(seed)) receives_of_100_ = 20;
    in_turns_ = takes_turns(seed);
    sent_ = got_ = std::vector<int>(static_cast<std::size_t>(ranks));
    for (const auto& each : to_come_) due_.push_back(static_cast<int>(each.size()));
    from_anywhere_ = !in_turns_ && random_.chance(30) ? random_.below(4) : 0;
  }
  round_of_rank(const round_of_rank&) = delete;

  void run() {
    while (left_of(to_send_) > 0 || left_of(to_come_) > from_anywhere_) {
      if (random_.chance(20)) pause();
      if (random_.chance(35)) send_in_turn();
      if (random_.chance(receives_of_100_) || left_of(to_send_) == 0) receive_one();
      if (random_.chance(8)) cancel_one();
      if (random_.chance(30)) look_after();
    }
    const int left = left_of(to_come_);
    for (int i = 0; i < left; ++i) post(PURE_ANY_SOURCE, random_.chance(50) ? PURE_ANY_TAG : 0, nullptr);
    // Receives with tag 0 may be too many: the others' turn comes after them.
    finish_any();
    for (sending& each : sends_) check(pure_wait(&each.request) == PURE_SUCCESS, "a send failed");
  }
  [[nodiscard]] long received() const noexcept { return received_; }

 private:
  struct sending {
    message what;
    std::vector<std::int64_t> data;
    pure_request request;
  };
  struct receiving {
    bool is_known = false;  // what it gets
    message expected;
    int source, tag;
    std::size_t capacity;
    std::vector<std::int64_t> data;
    pure_request request;
    bool is_done = false;
  };

  static int left_of(const std::vector<std::deque<message>>& all) {
    std::size_t left = 0;
    for (const auto& each : all) left += each.size();
    return static_cast<int>(left);
  }
  void pause() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random_.below(60));
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  /// A sender or receiver with messages left; -1: none.
  int somebody(const std::vector<std::deque<message>>& in) {
    std::vector<int> those;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].empty()) those.push_back(static_cast<int>(i));
    }
    return those.empty() ? -1 : random_.pick(those);
  }

  /// To somebody, if it is the turn.
  void send_in_turn() {
    const int to = somebody(to_send_);
    if (to < 0) return;
    const auto index = static_cast<std::size_t>(to);
    const bool is_my_turn = sent_[index] < got_[index] + (me_ < to ? 1 : 0) || got_[index] == due_[index];
    if (is_my_turn || !in_turns_) send_one(to);
  }
  void send_one(int to) {
    ++sent_[static_cast<std::size_t>(to)];
    auto& left = to_send_[static_cast<std::size_t>(to)];
    sending& next = sends_.emplace_back();
    next.what = left.front();
    left.pop_front();
    const std::size_t words = next.what.words, stride = next.what.how == kind::strided ? 2 : 1;
    next.data.resize(words * stride);
    for (std::size_t i = 0; i < words; ++i) next.data[i * stride] = next.what.word(i);
    const auto count = static_cast<std::int64_t>(words);
    if (next.what.how == kind::synchronous) {
      pure_issend_msg(next.data.data(), count, PURE_INT64_T, to, next.what.tag, PURE_COMM_WORLD, &next.request);
    } else if (next.what.how == kind::strided) {
      pure_datatype every_second;
      pure_type_vector(count, 1, 2, PURE_INT64_T, &every_second);
      pure_type_commit(&every_second);
      pure_isend_msg(next.data.data(), 1, every_second, to, next.what.tag, PURE_COMM_WORLD, &next.request);
      pure_type_free(&every_second);
    } else {
      const auto send = [&] {
        pure_isend_msg(next.data.data(), count, PURE_INT64_T, to, next.what.tag, PURE_COMM_WORLD, &next.request);
      };
      send();
      if (!random_.chance(4)) return;
      pure_cancel(&next.request);
      pure_status status;
      pure_wait(&next.request, &status);
      if (status.cancelled != 0) send();  // it comes once
    }
  }

  /// Before a call that blocks: its sender may wait for this rank.
  void send_all() {
    while (left_of(to_send_) > 0) send_one(somebody(to_send_));
  }

  /// The first message of `from` that a receive with this tag gets; the end if there is none.
  std::deque<message>::iterator first_with(int from, int tag) {
    auto& left = to_come_[static_cast<std::size_t>(from)];
    return std::find_if(left.begin(), left.end(), [tag](const message& each) { return tag < 0 || each.tag == tag; });
  }

  void receive_one() {
    if (left_of(to_come_) <= from_anywhere_) return;
    const int from = somebody(to_come_);
    auto& left = to_come_[static_cast<std::size_t>(from)];
    const int tag = random_.chance(15) ? PURE_ANY_TAG : left[random_.below(left.size())].tag;
    const auto got = first_with(from, tag);
    const message expected = *got;
    left.erase(got);
    const bool may_block = !in_turns_ || random_.chance(5);  // for which it sends all it has
    if (may_block && random_.chance(3)) {
      send_all();
      pure_status found;
      pure_probe(from, tag, PURE_COMM_WORLD, &found);
    }
    // From one sender, any source is the same.
    post(to_come_.size() == 2 && random_.chance(10) ? PURE_ANY_SOURCE : from, tag, &expected);
    if (may_block && random_.chance(10)) end(receives_.back());
  }

  /// A receive that may be cancelled before it matches: the last that is posted, so nobody else's message changes.
  void cancel_one() {
    if (left_of(to_come_) <= from_anywhere_) return;
    const int from = somebody(to_come_);
    const int tag = to_come_[static_cast<std::size_t>(from)].front().tag;
    const auto its = first_with(from, tag);
    const message expected = *its;
    post(from, tag, &expected);
    receiving& posted = receives_.back();
    if (random_.chance(50)) pause();
    pure_cancel(&posted.request);
    pure_status status;
    const int code = pure_wait(&posted.request, &status);
    posted.is_done = true;
    if (status.cancelled != 0) return;
    to_come_[static_cast<std::size_t>(from)].erase(its);
    judge(posted, expected, code, status);
  }

  void post(int source, int tag, const message* expected) {
    receiving& next = receives_.emplace_back();
    next.source = source;
    next.tag = tag;
    next.capacity = room;
    if (expected != nullptr) {
      next.is_known = true;
      next.expected = *expected;
      if (random_.chance(92)) next.capacity = std::max<std::size_t>(expected->words, 20'000);
      if (random_.chance(30)) next.capacity = expected->words;                            // just enough
      if (random_.chance(4) && expected->words > 0) next.capacity = expected->words - 1;  // too little
    }
    next.data.assign(next.capacity + 1, -1);
    pure_irecv_msg(next.data.data(), static_cast<std::int64_t>(next.capacity), PURE_INT64_T, source, tag,
                   PURE_COMM_WORLD, &next.request);
  }

  void look_after() {
    for (receiving& each : receives_) {
      if (each.is_done || random_.chance(50)) continue;
      int is_complete = 0;
      pure_status status;
      const int code = pure_test(&each.request, &is_complete, &status);
      if (is_complete == 0) continue;
      each.is_done = true;
      judge(each, each.expected, code, status);
    }
  }
  void end(receiving& which) {
    send_all();
    pure_status status;
    const int code = pure_wait(&which.request, &status);
    which.is_done = true;
    judge(which, which.expected, code, status);
  }

  void judge(const receiving& got, const message& expected, int code, const pure_status& status) {
    ++received_;
    ++got_[static_cast<std::size_t>(expected.from)];
    const std::string who = fmt::format("a message of rank {} with tag {}, {} words", expected.from, expected.tag,
                                        expected.words);
    check(status.source == expected.from && status.tag == expected.tag,
          fmt::format("{}: came from {} with tag {}", who, status.source, status.tag));
    const std::size_t fits = std::min(expected.words, got.capacity);
    check(code == (fits == expected.words ? PURE_SUCCESS : PURE_ERR_TRUNCATE), fmt::format("{}: code {}", who, code));
    check(status.bytes == static_cast<std::int64_t>(fits * 8), fmt::format("{}: {} bytes", who, status.bytes));
    for (std::size_t i = 0; i < fits; ++i) {
      if (got.data[i] != expected.word(i)) fail(fmt::format("{}: word {} is {:#x}", who, i, got.data[i]));
    }
    check(got.data[fits] == -1, who + ": there is something behind it");
  }

  /// What was posted for any source: those of one sender take its messages in order.
  void finish_any() {
    for (receiving& each : receives_) {
      if (each.is_done) continue;
      if (each.is_known) {
        end(each);
        continue;
      }
      if (each.tag != PURE_ANY_TAG) {  // there may be none with that tag
        pure_cancel(&each.request);
      }
      pure_status status;
      const int code = pure_wait(&each.request, &status);
      each.is_done = true;
      if (status.cancelled == 0) take(each, code, status);
    }
    while (left_of(to_come_) > 0) {
      post(PURE_ANY_SOURCE, PURE_ANY_TAG, nullptr);
      pure_status status;
      const int code = pure_wait(&receives_.back().request, &status);
      receives_.back().is_done = true;
      take(receives_.back(), code, status);
    }
  }
  void take(receiving& got, int code, const pure_status& status) {
    const auto its = first_with(status.source, status.tag);
    auto& left = to_come_[static_cast<std::size_t>(status.source)];
    check(its != left.end(), fmt::format("a message of rank {} with tag {} came twice", status.source, status.tag));
    const message expected = *its;
    left.erase(its);
    judge(got, expected, code, status);
  }

  const int me_;
  dice random_;
  int receives_of_100_ = 55;  // steps of a round, by chance
  int from_anywhere_ = 0;     // messages that are left to receives from any source
  long received_ = 0;
  bool in_turns_ = false;
  std::vector<int> sent_, got_, due_;                   // by rank
  std::vector<std::deque<message>> to_send_, to_come_;  // by rank
  std::deque<sending> sends_;
  std::deque<receiving> receives_;
};

/// Several receives of the same sender expect a large message, each of another tag, and small ones come for all of them
/// at once. The next one's receive is posted, too, and must not get the first.
void surprise(int partner) {
  constexpr int tags = 6;
  constexpr std::size_t large = 20'000, small = 3;
  std::vector<std::vector<std::int64_t>> got(2 * tags, std::vector<std::int64_t>(large));
  std::vector<std::int64_t> data(large);
  std::vector<pure_request> receives(2 * tags), sends(2 * tags);
  const auto transfer = [&](int index, std::size_t words) {
    pure_isend_msg(data.data() + index, static_cast<std::int64_t>(words), PURE_INT64_T, partner, index % tags,
                   PURE_COMM_WORLD, &sends[static_cast<std::size_t>(index)]);
  };
  const auto post = [&](int index) {
    pure_irecv_msg(got[static_cast<std::size_t>(index)].data(), static_cast<std::int64_t>(large), PURE_INT64_T, partner,
                   index % tags, PURE_COMM_WORLD, &receives[static_cast<std::size_t>(index)]);
  };
  for (std::size_t i = 0; i < large; ++i) data[i] = static_cast<std::int64_t>(i);
  for (int again = 0; again < 3; ++again) {  // so that large ones are expected
    for (int tag = 0; tag < tags; ++tag) post(tag);
    pure_barrier(PURE_COMM_WORLD);
    for (int tag = 0; tag < tags; ++tag) transfer(tag, large - tags);
    pure_waitall(tags, receives.data(), PURE_STATUSES_IGNORE);
    pure_waitall(tags, sends.data(), PURE_STATUSES_IGNORE);
  }
  for (int index = 0; index < 2 * tags; ++index) post(index);
  pure_barrier(PURE_COMM_WORLD);
  for (int index = 0; index < 2 * tags; ++index) transfer(index, small);
  for (int index = 0; index < 2 * tags; ++index) {
    const auto at = static_cast<std::size_t>(index);
    pure_status status;
    pure_wait(&receives[at], &status);
    check(status.bytes == small * sizeof(std::int64_t) && got[at][0] == index,
          fmt::format("a small message with tag {}: {} bytes, the first word {}", index % tags, status.bytes,
                      got[at][0]));
  }
  pure_waitall(2 * tags, sends.data(), PURE_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  const int rank = pure_rank();
  if (argc != 3) {
    if (rank == 0) fmt::print(stderr, "usage: {} FIRST_SEED ROUNDS\n", argv[0]);
    return 2;
  }
  pure_set_errhandler(PURE_ERRORS_RETURN);
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(argv[2], nullptr, 10);
  std::int64_t received = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    round_of_rank round(seed, rank, pure_size());
    round.run();
    received += round.received();
    pure_barrier(PURE_COMM_WORLD);  // what is received from anywhere is this round's
    if (seed % 4 == 0) surprise((rank + pure_size() / 2) % pure_size());
  }
  std::int64_t all = 0;
  pure_reduce(&received, &all, 1, PURE_INT64_T, PURE_SUM, 0, PURE_COMM_WORLD);
  if (rank == 0) fmt::print("{} messages: right\n", all);
  return 0;
}
