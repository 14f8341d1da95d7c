#include "api/equip.hpp"

#include <memory>

#include "api/c_door.hpp"
#include "coll/collective_service.hpp"
#include "comm/communicator_table.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "task/task_service.hpp"

namespace pure::core {

void equip(rank_context& self) {
  self.attach(service_slot::tasks, std::make_unique<task_service>(self));
  if (self.owner().is_helper(self)) {
    self.attach(service_slot::c_door, std::make_unique<c_door_state>(self));  // for errors of calls in its chunks
    return;
  }
  self.attach(service_slot::messages, std::make_unique<match_engine>(self));
  self.attach(service_slot::requests, std::make_unique<requests>(self));
  self.attach(service_slot::communicators, std::make_unique<communicator_table>(self));
  self.attach(service_slot::collectives, std::make_unique<collective_service>(self));
  self.attach(service_slot::c_door, std::make_unique<c_door_state>(self));
}

}  // namespace pure::core
