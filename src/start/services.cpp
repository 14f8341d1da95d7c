#include "start/services.hpp"

#include <memory>
#include <utility>

#include "aggregation/aggregation_table.hpp"
#include "coll/collective_service.hpp"
#include "comm/communicator_table.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "task/task_service.hpp"
#include "window/window_table.hpp"

namespace pure::core {

namespace {

constinit const door_state* first_door = nullptr;  // written before main

}  // namespace

door_state::door_state(service_slot slot, maker make) noexcept
    : slot_(slot), make_(make), next_(std::exchange(first_door, this)) {}

void attach_services(rank_context& self) {
  self.attach(service_slot::tasks, std::make_unique<task_service>(self));
  // Helpers, too: for errors of calls in chunks that they run.
  for (const door_state* door = first_door; door != nullptr; door = door->next_)
    self.attach(door->slot_, door->make_(self));
  if (self.owner().is_helper(self)) return;
  self.attach(service_slot::messages, std::make_unique<match_engine>(self));
  self.attach(service_slot::requests, std::make_unique<requests>(self));
  self.attach(service_slot::communicators, std::make_unique<communicator_table>(self));
  self.attach(service_slot::collectives, std::make_unique<collective_service>(self));
  self.attach(service_slot::windows, std::make_unique<window_table>(self));
  self.attach(service_slot::aggregations, std::make_unique<aggregation_table>(self));
}

}  // namespace pure::core
