// What the functions of pure.h share: from handles to objects, and from exceptions to error codes.
#pragma once

#include <pure.h>

#include <cstdint>
#include <string>

#include <pure/error.hpp>

#include "base/basic_types.hpp"
#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "match/requests.hpp"
#include "objects/arguments.hpp"
#include "objects/boundary.hpp"
#include "objects/rank_objects.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/rank_service.hpp"
#include "task/calling_rank.hpp"

namespace pure::core {

/// What pure.h keeps for each worker: how it handles errors. What a rank makes is in its rank_objects.
struct c_door_state final : rank_service<c_door_state, 7> {
  error_state errors;

  [[nodiscard]] bool advances() const noexcept override { return false; }
};

/// The codes and errors of pure.h, for its boundary.
struct c_door_errors {
  static constexpr int success = PURE_SUCCESS;
  static int code_of(errc code) noexcept { return static_cast<int>(code); }  // the two lists are one: pure_h_errors.cpp
  static error_state& errors_of(const rank_context& worker) noexcept { return c_door_state::of(worker).errors; }
};

/// Runs one call of pure.h (objects/boundary.hpp). `operation`: its name.
template <class Body>
int c_door(const char* operation, Body&& body) {
  return boundary<c_door_errors>::call(operation, body);
}
/// By the function of pure.h itself.
template <class Body>
int c_door(Body&& body, const char* operation = __builtin_FUNCTION()) {
  return c_door(operation, body);
}

/// Runs body(by), `by`: the call of the function of pure.h at `site`.
template <class Body>
int c_call(const pure_call_site& site, Body&& body, const char* operation = __builtin_FUNCTION()) {
  const call by{operation, site};
  return c_door(operation, [&] { body(by); });
}

[[noreturn]] void throw_bad_communicator(const rank_context& self, const call& by, pure_comm comm);
[[noreturn]] void throw_bad_type(const communicator& comm, const call& by, pure_datatype type);
/// Of a call that takes several types; argument: "send_types[2]".
[[noreturn]] void throw_bad_type(const communicator& comm, const call& by, pure_datatype type,
                                 const std::string& argument);

inline communicator& world_of(const call& by) { return communicator_table::of(rank_of(by)).world(); }

inline communicator& communicator_of(const call& by, pure_comm comm) {
  rank_context& rank = rank_of(by);
  communicator* const found = communicator_table::of(rank).find(comm);
  if (found == nullptr) [[unlikely]]
    throw_bad_communicator(rank, by, comm);
  return *found;
}

/// Runs body(on, by), `on`: the communicator that the program names.
template <class Body>
int c_call(const pure_call_site& site, pure_comm comm, Body&& body, const char* operation = __builtin_FUNCTION()) {
  return c_call(
      site, [&](const call& by) { body(communicator_of(by, comm), by); }, operation);
}

/// The size of one element. Throws type.
inline std::size_t element_bytes_of(const communicator& comm, const call& by, pure_datatype type) {
  const std::size_t size = size_of_type(type);
  if (size == 0) [[unlikely]]
    throw_bad_type(comm, by, type);
  return size;
}

inline pure_request name_of(handle request) noexcept { return static_cast<pure_request>(request.value); }
inline handle handle_of(pure_request request) noexcept { return {static_cast<std::uint64_t>(request)}; }

inline void fill(pure_status* to, const status& from) noexcept {
  if (to == nullptr) return;
  to->source = from.source;
  to->tag = from.tag;
  to->error = static_cast<int>(from.error);
  to->cancelled = from.cancelled ? 1 : 0;
  to->bytes = static_cast<std::int64_t>(from.bytes);
}

}  // namespace pure::core
