// The collectives of pure.h: its words for objects/collective_call.hpp, and the three forms of a call. Own thread of
// the rank only.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <pure/detail/collectives.hpp>

#include "api/c/door.hpp"
#include "api/c/operators.hpp"
#include "api/c/types.hpp"
#include "coll/collective.hpp"
#include "coll/refused_calls.hpp"
#include "objects/collective_call.hpp"

namespace pure::core {

/// What pure.h says in the arguments of a collective.
struct c_words {
  using datatype_name = pure_datatype;
  using operator_name = pure_op;
  static constexpr pure_datatype any_type = PURE_BYTE;
  static constexpr collective_argument_names names{.in_place = "PURE_IN_PLACE",
                                                   .send_counts = "send_counts",
                                                   .send_displs = "send_displs",
                                                   .send_types = "send_types",
                                                   .recv_counts = "recv_counts",
                                                   .recv_displs = "recv_displs",
                                                   .recv_types = "recv_types",
                                                   .displs = "displs",
                                                   .type = "type",
                                                   .send_type = "send_type",
                                                   .recv_type = "recv_type"};

  static bool is_in_place(const void* buffer) noexcept { return buffer == PURE_IN_PLACE; }
  static std::size_t size_of(pure_datatype type) noexcept { return size_of_type(type); }
  static std::size_t element_bytes_of(const communicator& on, const call& by, pure_datatype type) {
    return core::element_bytes_of(on, by, type);
  }
  [[noreturn]] static void throw_bad_type(const communicator& on, const call& by, pure_datatype type,
                                          const std::string& argument) {
    core::throw_bad_type(on, by, type, argument);
  }
  static std::uint32_t identity_of(pure_datatype type) noexcept { return static_cast<std::uint32_t>(type); }
  // The function itself: what a wrapper returns would be copied into the arguments, not made there.
  static constexpr detail::reduction (&reduction_of)(const communicator&, const call&, pure_op,
                                                     pure_datatype) = core::reduction_of;
};

extern template class collective_call<c_words>;
using c_collective = collective_call<c_words>;

// ---- the three forms: `describe` is a member of c_collective, called with `arguments` --------------------------

template <auto describe, class... Arguments>
int run(const char* operation, pure_call_site site, pure_comm comm, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    run_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                     return (c_collective(on, by).*describe)(arguments...);
                   }));
  });
}

template <auto describe, class... Arguments>
int start(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    *request = name_of(start_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                                          require(on, by, request, "request");
                                          return (c_collective(on, by).*describe)(arguments...);
                                        })));
  });
}

template <auto describe, class... Arguments>
int prepare(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    *request = name_of(make_persistent_collective(on, by, counting_refusals(on, by, refused_form::persistent, [&] {
                                                    require(on, by, request, "request");
                                                    return (c_collective(on, by).*describe)(arguments...);
                                                  })));
  });
}

}  // namespace pure::core
