// Ten thousand requests in flight between two ranks, of mixed tags, sizes and modes, completed in every way and in
// other orders than they were started in; and receives from any source beside a sender that never pauses.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/oracle/dice.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::world;

constexpr int done_tag = 0x7ffffff;

/// One message of the test, known to both ranks.
struct planned {
  int tag;
  std::size_t bytes;
  int mode;          // standard, synchronous, buffered, persistent
  int value;         // of its first bytes, if there are four
  bool is_named;     // the receive names its source
  int place_of_tag;  // how many messages of this tag came before
};

class plan {
 public:
  plan(int count, std::uint64_t seed) : dice_(seed) {
    std::array<int, tags> before{};
    for (int i = 0; i < count; ++i) {
      const int tag = dice_.below(tags);
      const std::size_t bytes = dice_.chance(1)    ? 30'000
                                : dice_.chance(20) ? dice_.below<std::size_t>(3000)
                                                   : dice_.below<std::size_t>(65);
      all.push_back({tag, bytes, dice_.below(4), i, dice_.chance(80), before[static_cast<std::size_t>(tag)]++});
    }
  }
  /// The order of the receives: shuffled, but those of one tag in the order of sending, so that sizes fit.
  std::vector<int> order_of_receives() {
    std::vector<int> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    dice_.shuffle(order);
    std::array<std::vector<int>, tags> of_tag;
    for (std::size_t i = 0; i < all.size(); ++i) of_tag[tag_of(static_cast<int>(i))].push_back(static_cast<int>(i));
    std::array<std::size_t, tags> next{};
    for (int& each : order) each = of_tag[tag_of(each)][next[tag_of(each)]++];
    return order;
  }

  std::vector<planned> all;

 private:
  static constexpr int tags = 500;
  [[nodiscard]] std::size_t tag_of(int i) const {
    return static_cast<std::size_t>(all[static_cast<std::size_t>(i)].tag);
  }
  oracle::dice dice_;
};

std::int64_t size_of(const std::vector<char>& data) { return static_cast<std::int64_t>(data.size()); }

std::vector<char> data_of(const planned& m) {
  std::vector<char> data(m.bytes, static_cast<char>(m.value));
  if (m.bytes >= sizeof m.value) std::memcpy(data.data(), &m.value, sizeof m.value);
  return data;
}

enum class form { wait_all, wait_any, wait_some, test_all, test_any, test_some, in_another_order };

/// Completes all; calls ended(index, status) once for each.
template <class Ended>
void complete(std::vector<pure_request>& all, form how, oracle::dice& dice, Ended ended) {
  const auto count = static_cast<int>(all.size());
  std::vector<pure_status> statuses(all.size());
  std::vector<int> indices(all.size());
  int left = count, found = 0, flag = 0;
  switch (how) {
    case form::wait_all:
    case form::test_all:
      if (how == form::wait_all) pure_waitall(count, all.data(), statuses.data());
      while (how == form::test_all && flag == 0) pure_testall(count, all.data(), &flag, statuses.data());
      for (int i = 0; i < count; ++i) ended(i, statuses[static_cast<std::size_t>(i)]);
      break;
    case form::wait_any:
      for (; left > 0; --left) {
        pure_waitany(count, all.data(), &found, statuses.data());
        ended(found, statuses[0]);
      }
      break;
    case form::test_any:
      while (left > 0) {
        pure_testany(count, all.data(), &found, &flag, statuses.data());
        if (flag == 0) continue;
        ended(found, statuses[0]);
        --left;
      }
      break;
    case form::wait_some:
    case form::test_some:
      for (; left > 0; left -= found) {
        const auto call = how == form::wait_some ? pure_waitsome : pure_testsome;
        call(count, all.data(), &found, indices.data(), statuses.data(), pure_call_site());
        for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) ended(indices[i], statuses[i]);
      }
      break;
    case form::in_another_order: {
      std::iota(indices.begin(), indices.end(), 0);
      dice.shuffle(indices);
      for (const int i : indices) {
        pure_wait(&all[static_cast<std::size_t>(i)], statuses.data());
        ended(i, statuses[0]);
      }
      break;
    }
  }
}

void send_all(const plan& of, form how, oracle::dice& dice) {
  std::vector<std::vector<char>> data;
  for (const planned& m : of.all) data.push_back(data_of(m));
  std::vector<pure_request> requests(of.all.size());
  pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    static constexpr decltype(&pure_isend_msg) calls[] = {pure_isend_msg, pure_issend_msg, pure_ibsend_msg,
                                                          pure_send_init};
    calls[of.all[i].mode](data[i].data(), size_of(data[i]), PURE_BYTE, 1, of.all[i].tag, world, &requests[i],
                          pure_call_site());
    if (of.all[i].mode == 3) pure_start(&requests[i]);
  }
  std::vector<int> times(data.size());
  complete(requests, how, dice, [&](int i, const pure_status&) {
    ++times[static_cast<std::size_t>(i)];
    std::fill(data[static_cast<std::size_t>(i)].begin(), data[static_cast<std::size_t>(i)].end(), '!');
  });
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(times.size()));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i] != PURE_REQUEST_NULL, of.all[i].mode == 3) << "a persistent request stays";
    if (requests[i] != PURE_REQUEST_NULL) pure_request_free(&requests[i]);
  }
  void* automatic = nullptr;
  std::int64_t bytes = 0;
  pure_buffer_detach(&automatic, &bytes);
}

void receive_all(plan& of, form how, oracle::dice& dice) {
  const std::vector<int> order = of.order_of_receives();
  const std::size_t n = order.size();
  std::vector<std::vector<char>> in(n);
  std::vector<pure_request> requests(n), never(n / 10);
  int nothing = -1;
  const auto message = [&](int i) -> const planned& {
    return of.all[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const planned& m = message(static_cast<int>(i));
    in[i].assign(m.bytes, '?');
    pure_irecv_msg(in[i].data(), size_of(in[i]), PURE_BYTE, m.is_named ? 0 : PURE_ANY_SOURCE, m.tag, world,
                   &requests[i]);
    if (i % 10 == 0 && i / 10 < never.size()) {  // among them, receives that nothing matches
      pure_irecv_msg(&nothing, 1, PURE_INT, i % 20 == 0 ? 0 : PURE_ANY_SOURCE, done_tag - 1, world, &never[i / 10]);
    }
  }
  pure_send_msg(&nothing, 1, PURE_INT, 0, done_tag, world);  // all are posted
  std::vector<int> times(n);
  complete(requests, how, dice, [&](int i, const pure_status& status) {
    ++times[static_cast<std::size_t>(i)];
    ASSERT_EQ(status.source, 0);
    ASSERT_EQ(status.tag, message(i).tag);
    ASSERT_EQ(status.bytes, static_cast<std::int64_t>(message(i).bytes));
    ASSERT_TRUE(in[static_cast<std::size_t>(i)] == data_of(message(i)));
  });
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(n));

  dice.shuffle(never);
  for (pure_request& each : never) pure_cancel(&each);
  std::vector<pure_status> statuses(never.size());
  pure_waitall(static_cast<int>(never.size()), never.data(), statuses.data());
  EXPECT_TRUE(std::all_of(statuses.begin(), statuses.end(), [](const pure_status& s) { return s.cancelled == 1; }));
  EXPECT_EQ(nothing, -1);
}

TEST(many_requests, ten_thousand_in_flight) {
  constexpr form forms[] = {form::wait_all, form::wait_any,  form::wait_some,       form::test_all,
                            form::test_any, form::test_some, form::in_another_order};
  const std::uint64_t seed = test_support::first_seed();
  const int most = test_support::repetitions(10'000);
  for (std::size_t k = 0; k < std::size(forms); ++k) {
    const int count = forms[k] == form::wait_any || forms[k] == form::test_any ? most : most / 4 + 1;  // for the time
    pure::run(2, [&] {
      plan of(count, seed + k);
      oracle::dice dice(seed + k);
      if (pure_rank() == 0) {
        int posted = 0;
        // Every other time before the receives: they find ten thousand unexpected messages.
        if (k % 2 == 0) pure_recv_msg(&posted, 1, PURE_INT, 1, done_tag, world);
        send_all(of, forms[(k + 3) % std::size(forms)], dice);
        if (k % 2 == 1) pure_recv_msg(&posted, 1, PURE_INT, 1, done_tag, world);
      } else {
        receive_all(of, forms[k], dice);
      }
    });
    ASSERT_FALSE(testing::Test::HasFailure()) << "form " << k << ", PURETEST_SEED=" << seed;
  }
}

// ---- fairness ----

constexpr int ranks = 4, wanted = 50;

/// Ranks 2 and up send one message at a time and wait for its answer, beside rank 1, which keeps its ring full. A
/// message that is there is received in the next round over all senders.
template <class Receive>
void flood_beside_others(Receive receive) {
  std::atomic<int> sent[ranks] = {};  // how many messages are there for certain, or have been received
  std::array<int, ranks> longest{}, passed_over{}, got{};
  pure::run(ranks, [&] {
    const int me = pure_rank();
    int token = 0;
    if (me == 1) {
      for (int stop = 0; stop == 0;) {
        pure_send_msg(&token, 1, PURE_INT, 0, 0, world);
        pure_iprobe(0, 1, world, &stop);
      }
      pure_recv_msg(&token, 1, PURE_INT, 0, 1, world);
      pure_ssend_msg(&token, 1, PURE_INT, 0, 2, world);  // the last
    } else if (me > 1) {
      pure_recv_msg(&token, 1, PURE_INT, 0, 4, world);
      for (int i = 0; i < wanted; ++i) {
        pure_send_msg(&token, 1, PURE_INT, 0, 0, world);
        sent[me].store(i + 1, std::memory_order_release);  // release: after the message; pairs with the acquire below
        pure_recv_msg(&token, 1, PURE_INT, 0, 3, world);
      }
    } else {
      const auto others_are_done = [&] {
        return std::all_of(&got[2], &got[0] + ranks, [](int n) { return n == wanted; });
      };
      pure_recv_msg(&token, 1, PURE_INT, 1, 0, world);  // first of all: the flood is what would always be found first
      for (int r = 2; r < ranks; ++r) pure_send_msg(&token, 1, PURE_INT, r, 4, world);
      while (!others_are_done()) {
        std::array<bool, ranks> was_waiting{};
        for (std::size_t r = 2; r < ranks; ++r) was_waiting[r] = sent[r].load(std::memory_order_acquire) > got[r];
        const auto from = static_cast<std::size_t>(receive());
        ++got[from];
        for (std::size_t r = 2; r < ranks; ++r) {
          if (r == from) {
            passed_over[r] = 0;
          } else if (was_waiting[r]) {
            longest[r] = std::max(longest[r], ++passed_over[r]);
            if (longest[r] > 1000) throw std::runtime_error(fmt::format("rank {} starves", r));
          }
        }
        if (from == 1) continue;
        pure_send_msg(&token, 1, PURE_INT, static_cast<int>(from), 3, world);
      }
      pure_send_msg(&token, 1, PURE_INT, 1, 1, world);
      pure_status status;
      do {
        pure_recv_msg(&token, 1, PURE_INT, 1, PURE_ANY_TAG, world, &status);
      } while (status.tag != 2);
    }
  });
  EXPECT_GT(got[1], 0);
  for (std::size_t r = 2; r < ranks; ++r) EXPECT_LE(longest[r], 2 * ranks) << "rank " << r << " had to wait";
}

int receive_from_any() {
  int token = 0;
  pure_status status;
  pure_recv_msg(&token, 1, PURE_INT, PURE_ANY_SOURCE, 0, world, &status);
  return status.source;
}

TEST(fairness, receives_from_any_source) { flood_beside_others(receive_from_any); }

TEST(fairness, requests_from_any_source) {
  flood_beside_others([] {
    int token = 0;
    pure_request request;
    pure_status status;
    pure_irecv_msg(&token, 1, PURE_INT, PURE_ANY_SOURCE, 0, world, &request);
    pure_wait(&request, &status);
    return status.source;
  });
}

TEST(fairness, probes_from_any_source) {
  flood_beside_others([] {
    int token = 0;
    pure_status status;
    pure_probe(PURE_ANY_SOURCE, 0, world, &status);
    pure_recv_msg(&token, 1, PURE_INT, status.source, 0, world);
    return status.source;
  });
}

TEST(fairness, matched_probes_from_any_source) {
  flood_beside_others([] {
    int token = 0;
    pure_message message = PURE_MESSAGE_NULL;
    pure_status status;
    pure_mprobe(PURE_ANY_SOURCE, 0, world, &message, &status);
    pure_mrecv_msg(&token, 1, PURE_INT, &message);
    return status.source;
  });
}

}  // namespace
