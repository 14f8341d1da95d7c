// For tests/errors/long_queues.sh and tests/net/long_queues.sh: COUNT messages between two ranks that all wait at once:
// receives that are posted before, messages that have come before, sends that wait for room or for their receives. They
// are taken in the order that searches longest, and each must be the right one. Prints "long queues: right".
#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using requests = std::vector<pure_request>;
using word = std::int64_t;

constexpr pure_comm world = PURE_COMM_WORLD;
constexpr int signal_tag = 30'000;
constexpr std::size_t large = 700;  // words

enum class kind { small, synchronous, large };

[[noreturn]] void fail(const char* what, word expected, word found) {
  std::fprintf(stderr, "rank %d: %s: expected %lld, found %lld\n", pure_rank(), what, static_cast<long long>(expected),
               static_cast<long long>(found));
  std::exit(1);
}
void check(const char* what, word expected, word found) {
  if (expected != found) fail(what, expected, found);
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Rank `from` tells the other one that it is there.
void signal(int from, pure_comm on) {
  char token = 0;
  if (pure_rank() == from) pure_send_msg(&token, 1, PURE_BYTE, 1 - from, signal_tag, on);
  if (pure_rank() != from) pure_recv_msg(&token, 1, PURE_BYTE, from, signal_tag, on, PURE_STATUS_IGNORE);
}

class test {
 public:
  test(int count, pure_comm second) : n_(count), second_(second) {}

  void run() {
    for (const kind each : {kind::small, kind::synchronous, kind::large}) {
      posted_in_reverse(each, 1);
      posted_in_reverse(each, PURE_ANY_SOURCE);
      unexpected_in_reverse(each, 1);
      unexpected_in_reverse(each, PURE_ANY_SOURCE);
      sends_are_cancelled(each);
      sends_are_tested(each);
    }
    any_tag_among_named_ones();
    any_tag_behind_another_communicator();
    probes();
    receives_are_cancelled();
    requests_are_freed();
    buffered();
  }

 private:
  [[nodiscard]] static std::size_t words_of(kind which) { return which == kind::large ? large : 1; }

  /// To rank 0: a message for each tag, its first word that. They complete when they are received.
  void start_all(kind which, requests& all) {
    data_.assign(at(n_) * words_of(which), 0);
    all.resize(at(n_));
    for (int i = 0; i < n_; ++i) {
      word* const its = &data_[at(i) * words_of(which)];
      *its = i;
      const auto words = static_cast<std::int64_t>(words_of(which));
      if (which == kind::synchronous) {
        pure_issend_msg(its, words, PURE_INT64_T, 0, i, world, &all[at(i)]);
      } else {
        pure_isend_msg(its, words, PURE_INT64_T, 0, i, world, &all[at(i)]);
      }
    }
  }
  void wait_for(requests& all) { pure_waitall(static_cast<int>(all.size()), all.data(), PURE_STATUSES_IGNORE); }
  word receive(kind which, int from, int tag, pure_comm on = world) {
    room_.assign(words_of(which), -1);
    pure_recv_msg(room_.data(), static_cast<std::int64_t>(room_.size()), PURE_INT64_T, from, tag, on,
                  PURE_STATUS_IGNORE);
    return room_.front();
  }
  void post(int i, int from, int tag, pure_comm on = world, std::size_t words = 1) {
    pure_irecv_msg(&data_[at(i) * words], static_cast<std::int64_t>(words), PURE_INT64_T, from, tag, on,
                   &posted_[at(i)]);
  }
  void make_room(std::size_t words = 1) {
    data_.assign(at(n_) * words, -1);
    posted_.assign(at(n_), PURE_REQUEST_NULL);
  }
  void send(word value, int tag, pure_comm on = world) { pure_send_msg(&value, 1, PURE_INT64_T, 0, tag, on); }

  void posted_in_reverse(kind which, int from) {
    if (pure_rank() == 1) {
      signal(0, world);
      requests all(at(n_));
      std::vector<word> data(at(n_) * words_of(which));
      for (int i = n_; i-- > 0;) {
        word* const its = &data[at(i) * words_of(which)];
        *its = i;
        const auto words = static_cast<std::int64_t>(words_of(which));
        const auto start = which == kind::synchronous ? pure_issend_msg : pure_isend_msg;
        start(its, words, PURE_INT64_T, 0, i, world, &all[at(i)], pure_call_site::current());
      }
      return wait_for(all);
    }
    make_room(words_of(which));
    for (int i = 0; i < n_; ++i) post(i, from, i, world, words_of(which));
    signal(0, world);
    wait_for(posted_);
    for (int i = 0; i < n_; ++i) check("posted", i, data_[at(i) * words_of(which)]);
  }

  void unexpected_in_reverse(kind which, int from) {
    requests all;
    if (pure_rank() == 1) start_all(which, all);
    signal(1, second_);
    if (pure_rank() == 1) return wait_for(all);
    for (int i = n_; i-- > 0;) check("unexpected", i, receive(which, from, i));
  }

  /// Of those that were not, each must come.
  void sends_are_cancelled(kind which) {
    std::vector<char> is_cancelled(at(n_), 0);
    requests all;
    if (pure_rank() == 1) {
      start_all(which, all);
      for (int i = n_; i-- > 0;) pure_cancel(&all[at(i)]);
      std::vector<pure_status> how(at(n_));
      // What has left completes only when it is received, if it cannot be taken back.
      if (which != kind::small) pure_waitall(n_, all.data(), how.data());
      signal(1, second_);
      if (which == kind::small) pure_waitall(n_, all.data(), how.data());
      for (int i = 0; i < n_; ++i) {
        int flag = 0;
        pure_test_cancelled(&how[at(i)], &flag);
        is_cancelled[at(i)] = static_cast<char>(flag);
      }
      pure_send_msg(is_cancelled.data(), n_, PURE_BYTE, 0, signal_tag, second_);
      return signal(0, second_);
    }
    signal(1, second_);
    pure_recv_msg(is_cancelled.data(), n_, PURE_BYTE, 1, signal_tag, second_, PURE_STATUS_IGNORE);
    for (int i = n_; i-- > 0;) {
      if (is_cancelled[at(i)] == 0) check("not cancelled", i, receive(which, 1, i));
    }
    int flag = 0;
    pure_iprobe(1, PURE_ANY_TAG, world, &flag, PURE_STATUS_IGNORE);
    check("messages left", 0, flag);
    signal(0, second_);  // that nothing else is sent before
  }

  void sends_are_tested(kind which) {
    requests all;
    if (pure_rank() == 1) {
      start_all(which, all);
      signal(1, second_);
      for (int left = n_; left > 0;) {
        left = 0;
        for (pure_request& each : all) {
          int is_complete = 0;
          pure_test(&each, &is_complete, PURE_STATUS_IGNORE);
          if (is_complete == 0) ++left;
          if (left > 8) break;
        }
      }
      return;
    }
    signal(1, second_);
    for (int i = 0; i < n_; ++i) check("tested", i, receive(which, 1, i));
  }

  void any_tag_among_named_ones() {
    if (pure_rank() == 1) {
      signal(0, world);
      for (int i = n_; i-- > 0;) send(i, i, i % 2 == 0 ? world : second_);
      return;
    }
    make_room();
    for (int i = 0; i < n_; ++i) {
      if (i % 2 == 0) post(i, i % 4 == 0 ? 1 : PURE_ANY_SOURCE, i);
      if (i % 2 != 0) post(i, i % 4 == 1 ? 1 : PURE_ANY_SOURCE, PURE_ANY_TAG, second_);
    }
    signal(0, world);
    wait_for(posted_);
    const int last_odd = n_ % 2 == 0 ? n_ - 1 : n_ - 2;
    for (int i = 0; i < n_; ++i) check("any tag", i % 2 == 0 ? i : last_odd + 1 - i, data_[at(i)]);
  }

  void any_tag_behind_another_communicator() {
    if (pure_rank() == 1) {
      for (int i = 0; i < n_; ++i) send(i, i % 7);
      for (int i = 0; i < n_; ++i) send(i, i % 5, second_);
    }
    signal(1, second_);
    if (pure_rank() == 1) return;
    for (int i = 0; i < n_; ++i) check("second communicator", i, receive(kind::small, 1, PURE_ANY_TAG, second_));
    for (int i = 0; i < n_; ++i) check("first communicator", i, receive(kind::small, PURE_ANY_SOURCE, PURE_ANY_TAG));
  }

  void probes() {
    if (pure_rank() == 1) {
      for (int i = 0; i < n_; ++i) send(i, i);
    }
    signal(1, second_);
    if (pure_rank() == 1) return;
    for (int i = n_; i-- > 0;) {
      if (i % 2 == 0) {
        int flag = 0;
        pure_status status{};
        pure_iprobe(i % 4 == 0 ? 1 : PURE_ANY_SOURCE, i, world, &flag, &status);
        check("probed", i, flag == 0 ? -1 : status.tag);
        continue;
      }
      pure_message taken;
      pure_mprobe(1, i, world, &taken, PURE_STATUS_IGNORE);
      word got = -1;
      pure_mrecv_msg(&got, 1, PURE_INT64_T, &taken, PURE_STATUS_IGNORE);
      check("matched probe", i, got);
    }
    for (int i = 0; i < n_; i += 2) check("left by probes", i, receive(kind::small, 1, PURE_ANY_TAG));
  }

  void receives_are_cancelled() {
    if (pure_rank() == 1) {
      signal(0, world);
      return send(7, 0);
    }
    make_room();
    for (int i = 0; i < n_; ++i) post(i, i % 2 == 0 ? 1 : PURE_ANY_SOURCE, i % 4 < 2 ? 0 : i);
    for (int i = n_; i-- > 1;) {
      pure_cancel(&posted_[at(i)]);
      pure_status status{};
      pure_wait(&posted_[at(i)], &status);
      check("cancelled receive", 1, status.cancelled);
    }
    signal(0, world);
    pure_wait(posted_.data(), PURE_STATUS_IGNORE);
    check("receive that was left", 7, data_[0]);
  }

  void requests_are_freed() {
    requests all;
    if (pure_rank() == 1) {
      start_all(kind::small, all);
      for (pure_request& each : all) {
        if (each != PURE_REQUEST_NULL) pure_request_free(&each);
      }
      signal(1, second_);
      signal(0, second_);  // posted
      for (int i = n_; i-- > 0;) send(i, i, second_);
      return signal(1, second_);
    }
    signal(1, second_);
    for (int i = n_; i-- > 0;) check("freed send", i, receive(kind::small, 1, i));
    make_room();
    for (int i = 0; i < n_; ++i) {
      post(i, 1, i, second_);
      pure_request_free(&posted_[at(i)]);
    }
    signal(0, second_);
    signal(1, second_);
    for (int i = 0; i < n_; ++i) check("freed receive", i, data_[at(i)]);
  }

  void buffered() {
    if (pure_rank() == 1) {
      pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
      for (int i = 0; i < n_; ++i) {
        const word value = i;
        pure_bsend_msg(&value, 1, PURE_INT64_T, 0, i, world);
      }
      signal(1, second_);
      void* memory = nullptr;
      std::int64_t bytes = 0;
      pure_buffer_detach(&memory, &bytes);
      return;
    }
    signal(1, second_);
    for (int i = n_; i-- > 0;) check("buffered", i, receive(kind::small, 1, i));
  }

  const int n_;
  const pure_comm second_;
  std::vector<word> data_, room_;
  requests posted_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || pure_size() != 2) return 2;
  pure_comm second;
  pure_comm_dup(world, &second);
  test(std::atoi(argv[1]), second).run();
  pure_barrier(world);
  pure_comm_free(&second);
  if (pure_rank() == 0) std::puts("long queues: right");
  return 0;
}
