// What the functions of pure.h share: from handles to objects, and from exceptions to error codes.
#pragma once

#include <pure.h>

#include <cxxabi.h>

#include <cstdint>
#include <string>

#include <pure/error.hpp>

#include "api/c/attributes.hpp"
#include "api/c/info.hpp"
#include "api/c/operators.hpp"
#include "api/c/types.hpp"
#include "base/call.hpp"
#include "base/datatype.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "match/requests.hpp"
#include "runtime/rank_service.hpp"
#include "task/calling_rank.hpp"

namespace pure::core {

/// What pure.h keeps for each rank: its error handling, its operators, types, info objects, and attributes.
struct c_door_state final : rank_service<c_door_state, 7> {
  explicit c_door_state(const rank_context& owner)
      : operators(owner.number()), types(owner.number()), infos(owner.number()) {}

  pure_errhandler handler = PURE_ERRORS_ARE_FATAL;
  std::string last_error;
  operator_table operators;
  type_table types;
  info_table infos;
  attribute_table<pure_win, pure_win_copy_attr_function, pure_win_delete_attr_function> of_windows;

  [[nodiscard]] bool advances() const noexcept override { return false; }
};

/// Inside a catch clause: applies the rank's error handler. Returns the code, ends the job, or throws again.
int handle_error(const Error& error);

/// The same for what is no Error. What has no memory, or asks for more than there can be, is one of kind no_memory. The
/// end of the job passes. Anything else has come out of a function of the program that the call has called: the job
/// ends with it.
int handle_other_exception(const char* operation);

/// Inside a catch clause: an exception has come out of a function of the program that a call has called, and others may
/// wait for what it did not do. The job ends with it.
[[noreturn]] void end_job_by_callback(const char* operation);

/// Runs a function of the program: whatever it throws ends the job.
template <class Function>
auto run_callback(const char* operation, Function&& function) {
  try {
    return function();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    end_job_by_callback(operation);
  }
}

/// Runs one call of pure.h: no exception leaves it, but for those that a failed job, pthread_exit and
/// PURE_ERRORS_ARE_FATAL inside pure::run need. Costs nothing if it does not throw. `operation`: its name.
template <class Body>
int c_door(const char* operation, Body&& body) {
  try {
    body();
    return PURE_SUCCESS;
  } catch (const Error& error) {
    return handle_error(error);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return handle_other_exception(operation);
  }
}
/// By the function of pure.h itself.
template <class Body>
int c_door(Body&& body, const char* operation = __builtin_FUNCTION()) {
  return c_door(operation, body);
}

[[noreturn]] void throw_bad_communicator(const rank_context& self, const call& by, pure_comm comm);
[[noreturn]] void throw_bad_type(const communicator& comm, const call& by, pure_datatype type);
/// Of a call that takes several types; argument: "send_types[2]".
[[noreturn]] void throw_bad_type(const communicator& comm, const call& by, pure_datatype type,
                                 const std::string& argument);
/// Of `count` elements: negative, or too many.
[[noreturn]] void throw_bad_count(const communicator& comm, const call& by, std::int64_t count,
                                  std::size_t element_bytes);

inline communicator& world_of(const call& by) { return communicator_table::of(rank_of(by)).world(); }

inline communicator& communicator_of(const call& by, pure_comm comm) {
  rank_context& rank = rank_of(by);
  communicator* const found = communicator_table::of(rank).find(comm);
  if (found == nullptr) [[unlikely]]
    throw_bad_communicator(rank, by, comm);
  return *found;
}

[[noreturn]] void throw_null(const communicator& comm, const call& by, const char* name);

/// Refuses a null pointer to a result.
inline void require(const communicator& comm, const call& by, const void* result, const char* name) {
  if (result == nullptr) [[unlikely]]
    throw_null(comm, by, name);
}

/// The size of one element. Throws type.
inline std::size_t element_bytes_of(const communicator& comm, const call& by, pure_datatype type) {
  const std::size_t size = size_of_type(type);
  if (size == 0) [[unlikely]]
    throw_bad_type(comm, by, type);
  return size;
}

/// The size of `count` elements. Throws count.
inline std::size_t bytes_of(const communicator& comm, const call& by, std::int64_t count, std::size_t element_bytes) {
  std::ptrdiff_t bytes = 0;  // no object is larger
  if (count < 0 || __builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(element_bytes), &bytes)) [[unlikely]]
    throw_bad_count(comm, by, count, element_bytes);
  return static_cast<std::size_t>(bytes);
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
