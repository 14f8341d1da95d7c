#include "start/services.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "aggregation/aggregation_table.hpp"
#include "coll/collective_service.hpp"
#include "comm/communicator_table.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "objects/rank_objects.hpp"
#include "runtime/job.hpp"
#include "task/task_service.hpp"
#include "window/window_table.hpp"

namespace pure::core {

namespace {

constinit const door_state* first_door = nullptr;  // written before main

template <class Service>
void attach(rank_context& to) {
  to.services().attach(Service::slot, std::make_unique<Service>(to));
}

/// Services in their order, each of which may use those before it.
template <class... Services>
struct services_in_order {
  static constexpr std::array slots{Services::slot...};
  static constexpr bool are_distinct() {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (slots[i].number() == slots[j].number()) return false;
      }
    }
    return true;
  }
  static void attach_to(rank_context& each) { (attach<Services>(each), ...); }
};

// Messages first: what they bring may end operations of those that follow.
using services_of_ranks =
    services_in_order<match_engine, requests, communicator_table, collective_service, window_table, aggregation_table>;
using services_of_workers = services_in_order<task_service, rank_objects>;

template <class... First, class... Then>
services_in_order<First..., Then...> joined(services_in_order<First...>, services_in_order<Then...>);
using all_services = decltype(joined(services_of_ranks(), services_of_workers()));
static_assert(all_services::are_distinct(), "two rooms have given their services the same slot");

}  // namespace

std::span<const service_slot> slots_of_rooms() noexcept { return all_services::slots; }

door_state::door_state(service_slot slot, maker make) noexcept
    : slot_(slot), make_(make), next_(std::exchange(first_door, this)) {}

void attach_services(rank_context& self) {
  if (!self.owner().is_helper(self)) services_of_ranks::attach_to(self);
  services_of_workers::attach_to(self);
  // Helpers, too: for errors of calls in chunks that they run.
  for (const door_state* door = first_door; door != nullptr; door = door->next_)
    self.services().attach(door->slot_, door->make_(self));
}

}  // namespace pure::core
