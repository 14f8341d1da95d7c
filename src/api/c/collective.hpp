// The collectives of pure.h: what objects/collective_door.hpp asks of a door, and the three forms of a call. Own thread
// of the rank only.
#pragma once

#include <pure.h>

#include <cstdint>

#include "api/c/door.hpp"
#include "objects/collective_forms.hpp"

namespace pure::core {

[[nodiscard]] const collective_door& c_collectives() noexcept;

/// Nearly all data is of basic types, which need no look.
[[nodiscard]] inline given_type given(pure_datatype type) noexcept {
  return {{size_of_type(type), static_cast<std::uint32_t>(type)}, static_cast<std::uint64_t>(type)};
}
[[nodiscard]] inline std::uint64_t given(pure_op op) noexcept { return static_cast<std::uint64_t>(op); }

/// One form of a collective; `describe`: as of make_collective.
template <class Describe>
int c_collective(const char* operation, const pure_call_site& site, pure_comm comm, collective_form::kind how,
                 pure_request* request, const Describe& describe) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    handle made;
    make_collective(c_collectives(), on, by, {how, &made}, [&](const collective_call& its) {
      if (how != collective_form::kind::blocking) require(on, by, request, "request");
      return describe(its);
    });
    if (how != collective_form::kind::blocking) *request = name_of(made);
  });
}

/// One form of a collective among neighbours.
template <class Describe>
int c_among_neighbours(const char* operation, const pure_call_site& site, pure_comm comm, collective_form::kind how,
                       pure_request* request, const Describe& describe) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    if (how != collective_form::kind::blocking) require(on, by, request, "request");
    handle made;
    make_among_neighbours(c_collectives(), on, by, {how, &made}, describe);
    if (how != collective_form::kind::blocking) *request = name_of(made);
  });
}

}  // namespace pure::core

/// pure_NAME, pure_iNAME and pure_NAME_init. `form`: c_collective, c_among_neighbours; `described`: what it makes of
/// `its` call, and of the parameters, which follow.
#define PURE_THREE_FORMS(form, name, described, ...)                                                              \
  int pure_##name(__VA_ARGS__ __VA_OPT__(, ) pure_comm comm, pure_call_site site) {                               \
    return form("pure_" #name, site, comm, collective_form::kind::blocking, nullptr,                              \
                [&](auto& its) { return described; });                                                            \
  }                                                                                                               \
  int pure_i##name(__VA_ARGS__ __VA_OPT__(, ) pure_comm comm, pure_request* request, pure_call_site site) {       \
    return form("pure_i" #name, site, comm, collective_form::kind::started, request,                              \
                [&](auto& its) { return described; });                                                            \
  }                                                                                                               \
  int pure_##name##_init(__VA_ARGS__ __VA_OPT__(, ) pure_comm comm, pure_request* request, pure_call_site site) { \
    return form("pure_" #name "_init", site, comm, collective_form::kind::persistent, request,                    \
                [&](auto& its) { return described; });                                                            \
  }
