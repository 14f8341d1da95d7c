// Requests by handle: the table of entries, and what tells a live handle from every other number.
#include "match/requests.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "api/equip.hpp"
#include "base/settings.hpp"
#include "match/handle_table.hpp"
#include "runtime/job.hpp"

namespace pure::core {
namespace {

struct counted {
  static inline int alive = 0;
  int value = 0;
  counted() { ++alive; }
  ~counted() { --alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
};

TEST(handle_table, names_are_unique_and_found) {
  handle_table<counted> table(request_kind::send, 3);
  std::set<std::uint64_t> names;
  std::vector<handle> live;
  for (int i = 0; i < 1000; ++i) {
    const auto made = table.make();
    made.entry.value = i;
    EXPECT_TRUE(names.insert(made.name.value).second);
    EXPECT_EQ(made.name.kind(), request_kind::send);
    EXPECT_EQ(made.name.rank(), 3U);
    live.push_back(made.name);
  }
  EXPECT_EQ(table.live(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NE(table.find(live[static_cast<std::size_t>(i)]), nullptr);
    EXPECT_EQ(table.find(live[static_cast<std::size_t>(i)])->value, i) << "entries never move";
  }
}

TEST(handle_table, freed_names_are_dead_for_long) {
  handle_table<counted> table(request_kind::receive, 0);
  const handle first = table.make().name;
  table.free(first);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.live(), 0U);
  // The entry is used again and again, each time under another name, and never under the null name or a small number.
  for (int i = 0; i < 100'000; ++i) {
    const handle next = table.make().name;
    ASSERT_EQ(next.index(), first.index());
    ASSERT_NE(next, first);
    ASSERT_NE(next.generation(), 0U);
    table.free(next);
  }
}

TEST(handle_table, generations_wrap_past_zero) {
  handle_table<counted> table(request_kind::receive, 0);
  std::uint32_t last = 0;
  bool wrapped = false;
  for (std::uint32_t i = 0; i <= (1U << handle::generation_bits); ++i) {
    const handle next = table.make().name;
    ASSERT_NE(next.generation(), 0U);
    ASSERT_FALSE(next.is_null());
    wrapped |= next.generation() < last;
    last = next.generation();
    table.free(next);
  }
  EXPECT_TRUE(wrapped);
}

TEST(handle_table, entries_are_made_and_destroyed_once) {
  {
    handle_table<counted> table(request_kind::receive, 0);
    std::vector<handle> names;
    for (int i = 0; i < 200; ++i) names.push_back(table.make().name);
    EXPECT_EQ(counted::alive, 200);
    for (int i = 0; i < 200; i += 2) table.free(names[static_cast<std::size_t>(i)]);
    EXPECT_EQ(counted::alive, 100);
  }
  EXPECT_EQ(counted::alive, 0) << "also those that were live when the table ended";
}

TEST(handle_table, names_of_nothing) {
  handle_table<counted> table(request_kind::receive, 0);
  (void)table.make();
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{12345},
                                    std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_EQ(table.find({value}), nullptr) << value;
  }
}

class requests_test : public testing::Test {
 protected:
  requests& of(int rank) { return requests::of(job_.at(rank)); }
  match_engine& engine(int rank) { return match_engine::of(job_.at(rank)); }

  handle receive(int rank, void* to, std::size_t bytes, int from, int tag) {
    return of(rank).start_receive(by_, {to, bytes, nullptr}, 0, from, tag);
  }

  /// The text of the error that `request` is for `rank`; empty if it is none.
  std::string complaint(int rank, handle request) {
    try {
      of(rank).check(by_, request);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::request);
      return error.what();
    }
  }

  const call by_{"some_call", pure_call_site::current()};
  job job_{settings{}, std::vector<patience>(2), failure_action::throw_to_caller, equip};
};

TEST_F(requests_test, a_small_send_is_finished_from_the_start) {
  const int value = 7;
  const handle sent = of(0).start_send(by_, 1, {0, 0, 3}, &value, sizeof value);
  EXPECT_EQ(sent, requests::finished_send);
  EXPECT_TRUE(of(0).poll(sent));
  EXPECT_EQ(complaint(0, sent), "");

  int in = 0;
  handle received = receive(1, &in, sizeof in, 0, 3);
  EXPECT_TRUE(of(1).poll(received));
  const status got = of(1).finish(received);
  EXPECT_TRUE(received.is_null());
  EXPECT_EQ(got.source, 0);
  EXPECT_EQ(got.tag, 3);
  EXPECT_EQ(got.bytes, sizeof in);
  EXPECT_EQ(in, 7);
}

TEST_F(requests_test, a_large_send_is_finished_when_it_is_received) {
  const std::vector<char> out(50'000, 'q');
  std::vector<char> in(50'000);
  handle sent = of(0).start_send(by_, 1, {0, 0, 3}, out.data(), out.size());
  EXPECT_FALSE(of(0).poll(sent));
  EXPECT_FALSE(of(0).abandon(sent)) << "the receiver may be reading";
  handle received = receive(1, in.data(), in.size(), any_source, any_tag);
  EXPECT_TRUE(of(1).poll(received));
  of(1).finish(received);
  EXPECT_TRUE(of(0).poll(sent));
  of(0).finish(sent);
  EXPECT_TRUE(sent.is_null());
  EXPECT_EQ(in, out);
}

TEST_F(requests_test, an_abandoned_receive_leaves_its_message_to_the_next) {
  int first = -1, second = -1;
  handle abandoned = receive(1, &first, sizeof first, 0, 3);
  const handle copy = abandoned;
  EXPECT_TRUE(of(1).abandon(abandoned));
  EXPECT_TRUE(abandoned.is_null());
  EXPECT_NE(complaint(1, copy), "");
  const int value = 9;
  of(0).start_send(by_, 1, {0, 0, 3}, &value, sizeof value);
  const handle received = receive(1, &second, sizeof second, 0, 3);
  EXPECT_TRUE(of(1).poll(received));
  EXPECT_EQ(first, -1);
  EXPECT_EQ(second, 9);
}

TEST_F(requests_test, wrong_handles_are_explained) {
  int in = 0;
  handle mine = receive(1, &in, sizeof in, 0, 3);
  EXPECT_EQ(complaint(1, mine), "");
  EXPECT_EQ(complaint(1, {}), "") << "null is right everywhere";
  EXPECT_EQ(complaint(1, requests::finished_receive), "");
  EXPECT_NE(complaint(0, mine).find("some_call: rank 0: the request belongs to rank 1"), std::string::npos);
  const handle copy = mine;
  of(1).abandon(mine);
  EXPECT_NE(complaint(1, copy).find("completed or freed already"), std::string::npos);
  EXPECT_NE(complaint(1, {77}).find("0x4d is not a request"), std::string::npos);
  EXPECT_NE(complaint(1, handle::make(request_kind::send, 1, 1, 1'000'000)), "") << "an index that was never made";
  EXPECT_NE(complaint(1, handle::make(request_kind::send, 500, 1, 0)).find("not a request"), std::string::npos)
      << "a rank that does not exist";
  EXPECT_NE(complaint(1, copy).find("requests_test.cpp:"), std::string::npos) << "the place of the call";
}

TEST_F(requests_test, null_and_finished_handles_need_no_entry) {
  handle null;
  EXPECT_TRUE(of(0).poll(null));
  EXPECT_EQ(of(0).finish(null).source, any_source);
  handle from_nobody = requests::finished_receive;
  EXPECT_TRUE(of(0).poll(from_nobody));
  EXPECT_EQ(of(0).finish(from_nobody).source, proc_null);
  EXPECT_TRUE(from_nobody.is_null());
}

TEST_F(requests_test, failures_are_thrown_with_the_numbers) {
  const std::array<int, 3> out{1, 2, 3};
  of(0).start_send(by_, 1, {0, 0, 3}, out.data(), sizeof out);
  int in = 0;
  handle received = receive(1, &in, sizeof in, 0, 3);
  ASSERT_TRUE(of(1).poll(received));
  const status got = of(1).finish(received);
  EXPECT_EQ(got.error, errc::truncate);
  EXPECT_EQ(got.sent_bytes, sizeof out);
  EXPECT_EQ(got.bytes, sizeof in);
  try {
    of(1).throw_if_failed(by_, got);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* const word : {"some_call", "rank 1", "12 bytes", "rank 0", "tag 3", "4 bytes"}) {
      EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace pure::core
