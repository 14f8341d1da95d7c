// What every worker gets: the services of the rooms below, and what the doors keep for it.
//
// The order of the services is stated once, in services.cpp: a wait advances them in that order, which is also that in
// which they are closed, and the reverse of that in which they are destroyed. Which slot is whose, each room says of
// its own service (runtime/rank_service.hpp); that no two have the same is found when services.cpp is compiled, and for
// doors when the first worker is made.
#pragma once

#include <memory>
#include <span>

#include "runtime/rank.hpp"
#include "runtime/service.hpp"

namespace pure::core {

/// Attaches all services. Called by the thread that makes the job, for each worker. Throws std::logic_error if a door
/// has asked for a slot that is taken.
void attach_services(rank_context& self);

/// The slots of the rooms' services, in their order.
std::span<const service_slot> slots_of_rooms() noexcept;

/// A door (src/api) that keeps something for each worker: a static object of the door, which lies above this layer,
/// made before main.
class door_state {
 public:
  using maker = std::unique_ptr<service> (*)(const rank_context&);

  door_state(service_slot slot, maker make) noexcept;
  door_state(const door_state&) = delete;
  door_state& operator=(const door_state&) = delete;

 private:
  friend void attach_services(rank_context& self);

  const service_slot slot_;
  const maker make_;
  const door_state* const next_;
};

}  // namespace pure::core
