// The parts of a rank's requests, each without the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include <pure/error.hpp>

#include "match/fixed_requests.hpp"
#include "match/freed_requests.hpp"
#include "match/matched_receives.hpp"
#include "match/short_path.hpp"
#include "match/stored_requests.hpp"
#include "runtime/job.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {
namespace request_parts {  // apart from the helpers of other files, which are compiled together with these

constexpr call by_test{"a test", {}};

handle name_of(std::uint32_t index) { return handle::make(handle_kind::send, 0, 1, index); }

TEST(freed_requests, a_look_is_at_some_in_turn_and_all_have_their_turn) {
  constexpr std::uint32_t many = 100;
  freed_requests freed;
  for (std::uint32_t i = 0; i < many; ++i) freed.add(name_of(i));
  std::map<std::uint32_t, int> looks;
  const auto count = [&](handle each) {
    ++looks[each.index()];
    return false;
  };
  EXPECT_FALSE(freed.look(32, count));
  EXPECT_EQ(looks.size(), 32U);
  for (int i = 0; i < 3; ++i) freed.look(many, count);
  EXPECT_EQ(looks.size(), many);
  EXPECT_TRUE(std::all_of(looks.begin(), looks.end(), [](const auto& each) { return each.second >= 3; }));
}

TEST(freed_requests, what_has_ended_is_gone_and_nothing_else) {
  freed_requests freed;
  for (std::uint32_t i = 0; i < 7; ++i) freed.add(name_of(i));
  EXPECT_TRUE(freed.look(7, [](handle each) { return each.index() % 2 == 0; }));
  EXPECT_EQ(freed.all().size(), 3U);
  EXPECT_TRUE(std::none_of(freed.all().begin(), freed.all().end(), [](handle each) { return each.index() % 2 == 0; }));
  EXPECT_FALSE(freed.look(7, [](handle) { return false; }));
  EXPECT_TRUE(freed.look(7, [](handle) { return true; }));
  EXPECT_TRUE(freed.all().empty());
  EXPECT_FALSE(freed.look(7, [](handle) { return true; }));
}

TEST(fixed_requests, only_a_receive_has_been_from_nobody) {
  EXPECT_EQ(outcome_of_fixed(finished_receive).source, proc_null);
  EXPECT_EQ(outcome_of_fixed(finished_send).source, status{}.source);
  EXPECT_EQ(outcome_of_fixed(handle{}).source, status{}.source);
}

class request_parts_test : public testing::Test {
 protected:
  static settings values() {
    settings made;
    made.eager_limit_bytes = 256;
    made.ring_bytes = 4096;
    return made;
  }
  [[nodiscard]] rank_context& self() { return job_.at(0); }
  [[nodiscard]] match_engine& engine() { return match_engine::of(self()); }
  [[nodiscard]] message_halves halves() { return {engine().sender(), engine().receiver(), nullptr}; }

  job job_{values(), std::vector<wait_policy>(1), failure_action::throw_to_caller, attach_services};
  request_tables tables_{0};
  send_buffers buffers_{engine()};
  stored_requests stored_{self(), halves(), tables_, buffers_};
  matched_receives matched_{self(), halves(), tables_};
};

TEST_F(request_parts_test, a_persistent_one_is_started_when_it_is_inactive) {
  const handle name = stored_.make_send_to_nobody(by_test);
  stored_.start(by_test, name);
  EXPECT_TRUE(tables_.find<send_entry>(name)->is_active());
  EXPECT_THROW(stored_.start(by_test, name), Error);
  EXPECT_THROW(stored_.check_startable(by_test, name), Error);
  tables_.find<send_entry>(name)->deactivate();
  stored_.check_startable(by_test, name);
  EXPECT_THROW(stored_.start(by_test, finished_send), Error);
  EXPECT_THROW(stored_.start(by_test, handle{}), Error);
}

TEST_F(request_parts_test, one_whose_start_throws_stays_inactive) {
  const int value = 1;
  const placed_message what{const_cast<int*>(&value), sizeof value, {}};
  const handle name = stored_.make_send(by_test, send_mode::buffered, 0, {0, 0, 1}, what);
  while (engine().sender().try_send_now(0, {0, 0, 2}, &value, sizeof value)) {  // until the ring is full
  }
  EXPECT_THROW(stored_.start(by_test, name), Error) << "no buffer is attached";
  EXPECT_FALSE(tables_.find<send_entry>(name)->is_active());
}

TEST_F(request_parts_test, a_matched_message_is_received_once) {
  int value = 5, got = 0;
  ASSERT_TRUE(engine().sender().try_send_now(0, {0, 0, 1}, &value, sizeof value));
  unexpected_message* const taken = engine().receiver().take(0, 0, 1);
  ASSERT_NE(taken, nullptr);
  handle name = matched_.keep(*taken);
  const handle copy = name;
  EXPECT_EQ(matched_.unreceived().size(), 1U);
  EXPECT_EQ(matched_.receive(by_test, name, {&got, sizeof got, nullptr}).tag, 1);
  EXPECT_EQ(got, 5);
  EXPECT_TRUE(name.is_null());
  EXPECT_TRUE(matched_.unreceived().empty());
  handle again = copy;
  EXPECT_THROW(matched_.receive(by_test, again, {&got, sizeof got, nullptr}), Error);
}

TEST_F(request_parts_test, numbers_of_visits_are_never_the_marks_of_the_table) {
  const std::uint32_t first = tables_.next_visit();
  EXPECT_GE(first, handle_table<receive_entry>::first_visit);
  EXPECT_NE(tables_.next_visit(), first);
}

}  // namespace request_parts
}  // namespace
}  // namespace pure::core
