// The collectives of mpi.h: what objects/collective_door.hpp asks of a door, and the three forms of a call. Own thread
// of the rank only.
#pragma once

#include <cstdint>

#include "api/mpi/door.hpp"
#include "api/mpi/types.hpp"
#include "objects/collective_forms.hpp"

namespace pure::core::mpi {

[[nodiscard]] const collective_door& collectives() noexcept;

/// Nearly all data is of predefined types, which need no look.
[[nodiscard]] inline given_type given(type_handle type) noexcept {
  const predefined_type* const known = find_predefined(type);
  if (known == nullptr) return {{0, 0}, type.value};
  return {{known->row_bytes, static_cast<std::uint32_t>(known->base)}, type.value};
}

/// `describe`: as of core::make_collective.
template <class Describe>
void make_collective(const call& by, communicator& on, const collective_form& how, const Describe& describe) {
  core::make_collective(collectives(), on, by, how, [&](const collective_call& its) {
    if (how.is != collective_form::kind::blocking) check_pointer(by, how.request, constants::err_arg, "request");
    return describe(its);
  });
}

template <class Describe>
void make_among_neighbours(const call& by, communicator& on, const collective_form& how, const Describe& describe) {
  if (how.is != collective_form::kind::blocking) check_pointer(by, how.request, constants::err_arg, "request");
  core::make_among_neighbours(collectives(), on, by, how, describe);
}

}  // namespace pure::core::mpi
