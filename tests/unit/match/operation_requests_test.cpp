// Requests of operations of the layers above, persistent ones among them; sends that are freed before they are
// complete.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/settings.hpp"
#include "match/pending_operation.hpp"
#include "match/requests.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

/// What a fake operation does, and what has been done to it.
struct script {
  bool is_complete = false;
  int polls_until_complete = -1;  // if not negative: counts down
  std::optional<Error> failure = {};
  bool is_active = false;
  int starts = 0;
  int deactivations = 0;
  bool is_destroyed = false;
};

class fake_operation final : public pending_operation {
 public:
  fake_operation(script& to, bool is_persistent) : script_(to), is_persistent_(is_persistent) {
    script_.is_active = !is_persistent;
  }
  ~fake_operation() override { script_.is_destroyed = true; }

  bool poll() noexcept override {
    if (script_.polls_until_complete == 0) script_.is_complete = true;
    if (script_.polls_until_complete > 0) --script_.polls_until_complete;
    return !script_.is_active || script_.is_complete;
  }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override { return {by, "the test"}; }
  [[nodiscard]] const Error* failure() const noexcept override { return script_.failure ? &*script_.failure : nullptr; }
  [[nodiscard]] bool is_persistent() const noexcept override { return is_persistent_; }
  [[nodiscard]] bool is_active() const noexcept override { return script_.is_active; }
  void start(const call&) override {
    ++script_.starts;
    script_.is_active = true;
    script_.is_complete = false;
    script_.failure.reset();
  }
  void deactivate() noexcept override {
    ++script_.deactivations;
    script_.is_active = false;
  }

 private:
  script& script_;
  const bool is_persistent_;
};

class operation_requests_test : public testing::Test {
 protected:
  /// A script that outlives the operations: the job destroys those that are left.
  script& keep(script given = {}) { return scripts_.emplace_back(std::move(given)); }

  requests& of(int rank) { return requests::of(job_.at(rank)); }

  handle adopt(script& to, bool is_persistent = false) {
    return of(0).adopt(made_by_, std::make_unique<fake_operation>(to, is_persistent));
  }

  /// The text of the request error that `wrong` throws.
  template <class Function>
  std::string complaint(Function wrong) {
    try {
      wrong();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::request);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  static void expect_words(const std::string& text, const std::vector<const char*>& words) {
    for (const char* const word : words)
      EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
  }

  static void expect_empty(const status& outcome) {
    EXPECT_EQ(outcome.source, any_source);
    EXPECT_EQ(outcome.tag, any_tag);
    EXPECT_EQ(outcome.bytes, 0U);
  }

  std::deque<script> scripts_;
  const call by_{"some_call", pure_call_site::current()};
  const call made_by_{"pure_thing_init", pure_call_site::current()};
  /// The operations here complete by being polled: nobody would wake a rank that has parked.
  static constexpr wait_policy never_parks{.spin_ns = 3'600'000'000'000};
  job job_{settings{}, std::vector<wait_policy>(2, never_parks), failure_action::throw_to_caller, attach_services};
};

TEST_F(operation_requests_test, one_that_is_not_persistent_ends_when_it_is_finished) {
  script& is = keep();
  handle request = adopt(is);
  EXPECT_EQ(request.kind(), handle_kind::operation);
  EXPECT_TRUE(of(0).is_active(request));
  EXPECT_FALSE(of(0).poll(request));
  EXPECT_FALSE(of(0).check_and_poll(by_, request));
  EXPECT_FALSE(of(0).test(request));
  EXPECT_FALSE(of(0).abandon(request)) << "other ranks need it";
  EXPECT_FALSE(request.is_null());

  is.is_complete = true;
  EXPECT_TRUE(of(0).poll(request));
  EXPECT_TRUE(of(0).check_and_poll(by_, request));
  const handle copy = request;
  expect_empty(of(0).finish(request));
  EXPECT_TRUE(request.is_null());
  EXPECT_TRUE(is.is_destroyed);
  EXPECT_EQ(is.deactivations, 1);
  expect_words(complaint([&] { of(0).check(by_, copy); }), {"completed or freed already"});
}

TEST_F(operation_requests_test, waits_poll_until_it_is_complete) {
  script& is = keep({.polls_until_complete = 10});
  script& other = keep({.polls_until_complete = 1000});
  std::array both{adopt(is), adopt(other)};
  of(0).wait_all(by_, both);
  EXPECT_TRUE(is.is_complete && other.is_complete);
  for (handle& each : both) of(0).finish(each);

  script& slow = keep();
  script& fast = keep({.polls_until_complete = 20});
  std::array two{adopt(slow), adopt(fast)};
  EXPECT_EQ(of(0).wait_any(by_, two), 1);
  slow.is_complete = true;
}

TEST_F(operation_requests_test, a_persistent_one_becomes_inactive_and_is_started_again) {
  script& is = keep();
  handle request = adopt(is, true);
  const handle first = request;
  for (int round = 1; round <= 3; ++round) {
    EXPECT_FALSE(of(0).is_active(request));
    EXPECT_TRUE(of(0).poll(request)) << "inactive counts as complete";
    expect_empty(of(0).finish(request));
    EXPECT_EQ(is.deactivations, round - 1) << "inactive ones are not ended again";

    of(0).start(by_, request);
    EXPECT_EQ(is.starts, round);
    EXPECT_TRUE(of(0).is_active(request));
    EXPECT_FALSE(of(0).poll(request));
    is.is_complete = true;
    of(0).wait_all(by_, {&request, 1});
    of(0).finish(request);
    EXPECT_EQ(request, first);
    EXPECT_EQ(is.deactivations, round);
  }
  of(0).free_request(by_, request);
  EXPECT_TRUE(request.is_null());
  EXPECT_TRUE(is.is_destroyed);
  expect_words(complaint([&] { of(0).start(by_, first); }), {"some_call: rank 0", "completed or freed already"});
}

TEST_F(operation_requests_test, calls_for_one_of_several_pass_over_inactive_ones) {
  script& is = keep();
  script& late = keep();
  std::array three{handle{}, adopt(is, true), adopt(late, true)};
  EXPECT_EQ(of(0).wait_any(by_, three), -1);
  of(0).start(by_, three[2]);
  late.polls_until_complete = 5;
  EXPECT_EQ(of(0).wait_any(by_, three), 2);
}

TEST_F(operation_requests_test, failures_are_errors_of_whoever_completes_it) {
  script& is = keep({.is_complete = true, .failure = Error(errc::mismatch, "ranks 0 and 1 differ")});
  handle request = adopt(is);
  const status outcome = of(0).finish(request);
  EXPECT_EQ(outcome.error, errc::mismatch);
  expect_empty(outcome);

  script& persistent = keep();
  handle again = adopt(persistent, true);
  of(0).start(by_, again);
  persistent.is_complete = true;
  persistent.failure = is.failure;
  int taken = 0;
  try {
    of(0).finish_or_throw(by_, again, [&](const status& result) { taken += result.error == errc::mismatch ? 1 : 0; });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), errc::mismatch);
    EXPECT_STREQ(error.what(), "ranks 0 and 1 differ");
  }
  EXPECT_EQ(taken, 1);
  EXPECT_FALSE(of(0).is_active(again));
  EXPECT_EQ(of(0).finish(again).error, errc::success) << "a failure is reported once";
}

TEST_F(operation_requests_test, abandon_ends_what_is_complete_or_inactive) {
  script& inactive = keep();
  script& complete = keep();
  script& done = keep({.is_complete = true});
  handle first = adopt(inactive, true), second = adopt(complete, true), third = adopt(done);
  of(0).start(by_, second);
  EXPECT_FALSE(of(0).abandon(second));
  complete.is_complete = true;
  for (handle* const each : {&first, &second, &third}) {
    EXPECT_TRUE(of(0).abandon(*each));
    EXPECT_TRUE(each->is_null());
  }
  EXPECT_TRUE(inactive.is_destroyed && complete.is_destroyed && done.is_destroyed);
}

TEST_F(operation_requests_test, wrong_starts_are_explained) {
  script& is = keep();
  script& once = keep();
  int in = 0;
  handle persistent = adopt(is, true), started = adopt(once);
  handle receive = of(0).start_receive(by_, {&in, sizeof in, nullptr}, 0, 1, 3);
  of(0).start(by_, persistent);
  expect_words(
      complaint([&] { of(0).start(by_, persistent); }),
      {"some_call: rank 0: ", "pure_thing_init at ", "operation_requests_test.cpp:", "is active", "complete it"});
  for (const handle each : {started, receive, finished_send, finished_receive}) {
    expect_words(complaint([&] { of(0).start(by_, each); }), {"not persistent", "_init"});
  }
  expect_words(complaint([&] { of(0).start(by_, {}); }), {"null request"});
  expect_words(complaint([&] { of(1).start(by_, persistent); }), {"belongs to rank 0"});
  const handle odd = handle::make(handle_kind::message, 0, persistent.generation(), persistent.index());
  for (const handle each : {odd, handle::make(handle_kind::operation, 0, 1, 1'000'000)}) {
    complaint([&] { of(0).check(by_, each); });
    complaint([&] { of(0).check_and_poll(by_, each); });
  }
  of(0).abandon(receive);
}

TEST_F(operation_requests_test, wrong_frees_are_explained) {
  script& is = keep();
  script& once = keep({.is_complete = true});
  handle persistent = adopt(is, true), started = adopt(once);
  of(0).start(by_, persistent);
  is.is_complete = true;  // but nobody has been told
  for (handle* const each : {&persistent, &started}) {
    expect_words(complaint([&] { of(0).free_request(by_, *each); }), {"pure_thing_init at", "is active"});
    EXPECT_FALSE(each->is_null());
  }
  handle null;
  expect_words(complaint([&] { of(0).free_request(by_, null); }), {"null request"});
}

TEST_F(operation_requests_test, a_freed_send_goes_on_by_itself) {
  const int small = 7;
  handle sent = of(0).start_send(by_, 1, {0, 0, 3}, &small, sizeof small);
  of(0).free_request(by_, sent);
  EXPECT_TRUE(sent.is_null());

  const std::vector<char> out(50'000, 'q');
  std::vector<char> in(50'000);
  int first = 0;
  handle large = of(0).start_send(by_, 1, {0, 0, 4}, out.data(), out.size());
  const handle copy = large;
  of(0).free_request(by_, large);
  EXPECT_TRUE(large.is_null());
  EXPECT_FALSE(of(0).advance()) << "nobody has received it";

  handle received = of(1).start_receive(by_, {&first, sizeof first, nullptr}, 0, 0, 3);
  EXPECT_TRUE(of(1).poll(received));
  of(1).finish(received);
  received = of(1).start_receive(by_, {in.data(), in.size(), nullptr}, 0, 0, 4);
  EXPECT_TRUE(of(1).poll(received));
  of(1).finish(received);
  EXPECT_EQ(first, 7);
  EXPECT_EQ(in, out);
  EXPECT_TRUE(of(0).advance());
  EXPECT_FALSE(of(0).advance());
  expect_words(complaint([&] { of(0).check(by_, copy); }), {"completed or freed already"});
}

TEST_F(operation_requests_test, a_freed_receive_goes_on_by_itself) {
  int first = 0, second = 0;
  handle receive = of(1).start_receive(by_, {&first, sizeof first, nullptr}, 0, 0, 3);
  handle other = of(1).start_receive(by_, {&second, sizeof second, nullptr}, 0, 0, 4);
  const handle copy = receive;
  handle other_copy = other;
  of(1).free_request(by_, receive);
  of(1).free_request(by_, other);
  EXPECT_TRUE(receive.is_null());
  EXPECT_FALSE(of(1).advance()) << "nothing has come";

  for (const int tag : {3, 4}) {
    handle sent = of(0).start_send(by_, 1, {0, 0, tag}, &tag, sizeof tag);
    EXPECT_TRUE(of(0).poll(sent));
    of(0).finish(sent);
  }
  EXPECT_TRUE(of(1).poll(other_copy));  // a copy of the handle completes it first
  EXPECT_EQ(of(1).finish(other_copy).tag, 4);
  EXPECT_TRUE(of(1).advance());
  EXPECT_FALSE(of(1).advance());
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 4);
  expect_words(complaint([&] { of(1).check(by_, copy); }), {"completed or freed already"});
}

}  // namespace
}  // namespace pure::core
