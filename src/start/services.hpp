// What every worker gets: the services of the upper layers, in the order in which they need each other, and what the
// doors keep for it.
#pragma once

#include <memory>

#include "runtime/rank.hpp"
#include "runtime/service.hpp"

namespace pure::core {

/// Attaches all services. Called by the thread that makes the job, for each worker.
void attach_services(rank_context& self);

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
