// Requests by handle: how they end, and what tells a live handle from every other number.
#include "match/requests.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "base/settings.hpp"
#include "match/handle_table.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

class requests_test : public testing::Test {
 protected:
  requests& of(int rank) { return requests::of(job_.at(rank)); }

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
  job job_{settings{}, std::vector<wait_policy>(2), failure_action::throw_to_caller, attach_services};
};

TEST_F(requests_test, a_small_send_is_finished_from_the_start) {
  const int value = 7;
  const handle sent = of(0).start_send(by_, 1, {0, 0, 3}, &value, sizeof value);
  EXPECT_EQ(sent, finished_send);
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
  EXPECT_EQ(complaint(1, finished_receive), "");
  EXPECT_NE(complaint(0, mine).find("some_call: rank 0: the request belongs to rank 1"), std::string::npos);
  const handle copy = mine;
  of(1).abandon(mine);
  EXPECT_NE(complaint(1, copy).find("completed or freed already"), std::string::npos);
  EXPECT_NE(complaint(1, {77}).find("0x4d is not a request"), std::string::npos);
  EXPECT_NE(complaint(1, handle::make(handle_kind::send, 1, 1, 1'000'000)), "") << "an index that was never made";
  EXPECT_NE(complaint(1, handle::make(handle_kind::send, 500, 1, 0)).find("not a request"), std::string::npos)
      << "a rank that does not exist";
  EXPECT_NE(complaint(1, copy).find("requests_test.cpp:"), std::string::npos) << "the place of the call";
}

TEST_F(requests_test, null_and_finished_handles_need_no_entry) {
  handle null;
  EXPECT_TRUE(of(0).poll(null));
  EXPECT_EQ(of(0).finish(null).source, any_source);
  handle from_nobody = finished_receive;
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

TEST(checked_requests, the_buffer_of_a_cancelled_receive_is_the_programs_again) {
  settings values;
  values.check = true;
  job checked{values, std::vector<wait_policy>(1), failure_action::throw_to_caller, attach_services};
  requests& of = requests::of(checked.at(0));
  const call by{"some_call", pure_call_site::current()};
  int in = 0;
  handle first = of.start_receive(by, {&in, sizeof in, nullptr}, 0, 0, 3);
  EXPECT_THROW(of.start_receive(by, {&in, sizeof in, nullptr}, 0, 0, 4), Error) << "it is in use";
  of.cancel(by, first);
  handle second = of.start_receive(by, {&in, sizeof in, nullptr}, 0, 0, 4);
  for (handle* const each : {&first, &second}) EXPECT_TRUE(of.abandon(*each));
}

}  // namespace
}  // namespace pure::core
