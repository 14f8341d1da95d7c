// Sends that are cancelled after they have left: cancels TIMES
//
// Each rank of the first half of them has a partner in the second.
//
// Beside others: it sends messages that nobody receives yet, and then cancels sends that can be; all others come.
//
// Behind messages without envelopes (src/gateway/run_receiver.hpp): they first send messages of one kind in turn, until
// these travel so. Then it sends one more, behind it a message that can be cancelled, and cancels that.
//
//   no receive for it          it must be cancelled, and never comes
//   a receive posted before    it comes as it was, or it is cancelled and the receive still waits
#include <pure.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace {

constexpr int tag_of_run = 3, tag_behind = 4, tag_of_outcome = 5;
constexpr std::size_t words_of_run = 1500;
constexpr int turns_before = 14;

[[noreturn]] void fail(const std::string& text) {
  fmt::print(stderr, "rank {}: {}\n", pure_rank(), text);
  std::exit(1);
}

using words = std::vector<std::int64_t>;

words filled(std::size_t count, std::int64_t key) {
  words made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = key * 1'000'000 + static_cast<std::int64_t>(i);
  return made;
}
void check(const words& got, std::int64_t key) {
  const words expected = filled(got.size(), key);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != expected[i]) fail(fmt::format("word {} of message {} is {}, not {}", i, key, got[i], expected[i]));
  }
}
std::int64_t count_of(const words& all) { return static_cast<std::int64_t>(all.size()); }

void send(const words& what, int to) {
  pure_send_msg(what.data(), count_of(what), PURE_INT64_T, to, tag_of_run, PURE_COMM_WORLD);
}
void receive(int from, std::int64_t key) {
  words got(words_of_run);
  pure_recv_msg(got.data(), count_of(got), PURE_INT64_T, from, tag_of_run, PURE_COMM_WORLD);
  check(got, key);
}

/// A message that no receive matches may be complete before it is taken back, for its bytes may have gone: then it is
/// there, whole, and otherwise not (MPI 5.0, 3.8.4).
void receive_whole(std::size_t length, std::int64_t key, int from, int tag) {
  words got(length);
  pure_recv_msg(got.data(), count_of(got), PURE_INT64_T, from, tag, PURE_COMM_WORLD);
  check(got, key);
}
void expect_none(int from, int tag) {
  int has_come = 0;
  pure_iprobe(from, tag, PURE_COMM_WORLD, &has_come, PURE_STATUS_IGNORE);
  if (has_come != 0) fail("a message that was cancelled, or received, has come");
}

/// The others are too long for a small ring. An envelope has one number: of theirs it is a tag, of a large one's its
/// send.
void beside_others(bool is_first, int partner) {
  constexpr int messages = 6, large = 20;
  constexpr std::size_t length = 600;
  std::vector<words> others;
  std::vector<pure_request> sends(messages);
  std::vector<int> is_cancelled(large);
  pure_barrier(PURE_COMM_WORLD);
  if (is_first) {
    for (int tag = 0; tag < messages; ++tag) {
      const words& what = others.emplace_back(filled(length, tag));
      pure_isend_msg(what.data(), count_of(what), PURE_INT64_T, partner, tag, PURE_COMM_WORLD,
                     &sends[static_cast<std::size_t>(tag)]);
    }
    for (int i = 0; i < large; ++i) {
      const words what = filled(10'000, i);
      pure_request sent;
      pure_isend_msg(what.data(), count_of(what), PURE_INT64_T, partner, messages, PURE_COMM_WORLD, &sent);
      pure_cancel(&sent);
      pure_status status;
      pure_wait(&sent, &status);
      is_cancelled[static_cast<std::size_t>(i)] = status.cancelled != 0 ? 1 : 0;
    }
    pure_send_msg(is_cancelled.data(), large, PURE_INT32_T, partner, messages + 1, PURE_COMM_WORLD);
  } else {
    pure_recv_msg(is_cancelled.data(), large, PURE_INT32_T, partner, messages + 1, PURE_COMM_WORLD);
    for (int i = 0; i < large; ++i) {
      if (is_cancelled[static_cast<std::size_t>(i)] == 0) receive_whole(10'000, i, partner, messages);
    }
    expect_none(partner, messages);
  }
  pure_barrier(PURE_COMM_WORLD);
  for (int tag = 0; tag < messages && !is_first; ++tag) {
    words got(length);
    pure_recv_msg(got.data(), count_of(got), PURE_INT64_T, partner, tag, PURE_COMM_WORLD);
    check(got, tag);
  }
  pure_waitall(messages, sends.data());
}

/// Which message can be cancelled.
struct variant {
  bool is_synchronous;
  std::size_t words;
  bool has_receive;
};

bool send_and_cancel(const variant& how, int partner, std::int64_t key) {
  const words last = filled(words_of_run, key), behind = filled(how.words, key + 1);
  pure_request of_run, of_behind;
  pure_isend_msg(last.data(), count_of(last), PURE_INT64_T, partner, tag_of_run, PURE_COMM_WORLD, &of_run);
  const auto start = how.is_synchronous ? &pure_issend_msg : &pure_isend_msg;
  start(behind.data(), count_of(behind), PURE_INT64_T, partner, tag_behind, PURE_COMM_WORLD, &of_behind, {});
  pure_cancel(&of_behind);
  pure_status status;
  pure_wait(&of_behind, &status);
  const int is_cancelled = status.cancelled != 0 ? 1 : 0;
  if (!how.has_receive && how.is_synchronous && is_cancelled == 0)
    fail("a synchronous message that no receive matches was not cancelled");
  pure_send_msg(&is_cancelled, 1, PURE_INT32_T, partner, tag_of_outcome, PURE_COMM_WORLD);
  pure_wait(&of_run);  // which may need its receive
  return is_cancelled != 0;
}

void receive_what_comes(const variant& how, int partner, std::int64_t key) {
  words got(how.words);
  pure_request posted = PURE_REQUEST_NULL;
  if (how.has_receive) {
    pure_irecv_msg(got.data(), count_of(got), PURE_INT64_T, partner, tag_behind, PURE_COMM_WORLD, &posted);
  }
  pure_barrier(PURE_COMM_WORLD);
  int is_cancelled = 0;
  pure_recv_msg(&is_cancelled, 1, PURE_INT32_T, partner, tag_of_outcome, PURE_COMM_WORLD);
  receive(partner, key);
  if (!how.has_receive && is_cancelled == 0) receive_whole(how.words, key + 1, partner, tag_behind);
  expect_none(partner, tag_behind);
  if (how.has_receive && is_cancelled != 0) pure_cancel(&posted);
  pure_status status;
  pure_wait(&posted, &status);
  if (!how.has_receive) return;
  if ((status.cancelled != 0) != (is_cancelled != 0)) fail("a message was cancelled and received, or neither");
  if (is_cancelled == 0) check(got, key + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int rank = pure_rank(), half = pure_size() / 2;
  if (argc != 2 || pure_size() % 2 != 0) {
    if (rank == 0) fmt::print(stderr, "usage: purerun -n EVEN -N 2 {} TIMES\n", argv[0]);
    return 2;
  }
  const bool is_first = rank < half;
  const int partner = (rank + half) % pure_size();
  int cancelled = 0;
  beside_others(is_first, partner);
  for (int time = 0; time < std::atoi(argv[1]); ++time) {
    for (const variant& how : {variant{true, 2, false}, variant{false, 9000, false}, variant{true, 9000, false},
                               variant{true, 2, true}, variant{false, 9000, true}, variant{true, 9000, true}}) {
      for (std::int64_t turn = 0; turn < turns_before; ++turn) {
        if (is_first) send(filled(words_of_run, turn), partner);
        receive(partner, turn);
        if (!is_first) send(filled(words_of_run, turn), partner);
      }
      if (is_first) {
        pure_barrier(PURE_COMM_WORLD);  // the receives are posted
        if (send_and_cancel(how, partner, turns_before)) ++cancelled;
      } else {
        receive_what_comes(how, partner, turns_before);
      }
    }
  }
  int all = 0;
  pure_reduce(&cancelled, &all, 1, PURE_INT32_T, PURE_SUM, 0, PURE_COMM_WORLD);
  if (rank == 0) fmt::print("{} cancelled: right\n", all);
  return 0;
}
