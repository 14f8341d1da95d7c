// The services that a worker gets: their order, their slots, and a door that asks for a slot which is taken.
#include "start/services.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "coll/collective_service.hpp"
#include "comm/communicator_table.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "objects/rank_objects.hpp"
#include "support/bare_job.hpp"
#include "task/task_service.hpp"
#include "window/window_table.hpp"

namespace pure::core {
namespace {

std::vector<int> numbers_of_rooms() {
  std::vector<int> numbers;
  for (const service_slot each : slots_of_rooms()) numbers.push_back(each.number());
  return numbers;
}

TEST(services, are_advanced_from_messages_to_what_uses_them) {
  const std::vector<int> expected{match_engine::slot.number(),       requests::slot.number(),
                                  communicator_table::slot.number(), collective_service::slot.number(),
                                  window_table::slot.number(),       aggregation_table::slot.number(),
                                  task_service::slot.number(),       rank_objects::slot.number()};
  EXPECT_EQ(numbers_of_rooms(), expected);
}

TEST(services, have_a_slot_each) {
  const std::vector<int> all = numbers_of_rooms();
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), all.size());
}

TEST(services, are_there_for_each_rank) {
  test_support::bare_job job(2, {}, test_support::impatient, attach_services);
  for (int rank = 0; rank < 2; ++rank) {
    for (const service_slot each : slots_of_rooms()) EXPECT_NE(job->at(rank).services().at(each), nullptr);
  }
}

/// In a child, where the door may stay for good.
void make_rank_with_a_second_owner_of(service_slot slot) {
  static const door_state greedy(slot, [](const rank_context&) { return std::make_unique<service>(); });
  try {
    const test_support::bare_job job(1, {}, test_support::impatient, attach_services);
  } catch (const std::logic_error& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(3);
  }
  std::_Exit(0);
}

TEST(services_death, a_door_that_asks_for_the_slot_of_a_room_is_refused_when_the_first_worker_is_made) {
  EXPECT_EXIT(make_rank_with_a_second_owner_of(requests::slot), testing::ExitedWithCode(3),
              "slot 1 .* asked for by pure::core::requests and pure::core::service");
}

}  // namespace
}  // namespace pure::core
