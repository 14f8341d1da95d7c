// A service that each rank has one of, in a slot of its own: how a layer finds its state of a rank.
#pragma once

#include "runtime/rank.hpp"
#include "runtime/service.hpp"

namespace pure::core {

/// `Service` derives from it. `number`: of its slot, which no other room's service has (start/services.cpp).
template <class Service, int number>
class rank_service : public service {
 public:
  static constexpr service_slot slot{number};

  /// The service of a rank which has one.
  static Service& of(const rank_context& owner) noexcept { return static_cast<Service&>(*owner.services().at(slot)); }
};

}  // namespace pure::core
