// What the functions of mpi.h share: from handles to objects, and from exceptions to error classes.
//
// entries_CHAPTER.cpp, which generate.py writes, has the functions themselves. Each checks what the kinds of its
// parameters say, and calls its body, which is in this folder, inside mpi_call(). Counts are 64 bits wide for both
// forms of a function. Own thread of the rank only, but for what MPI 5.0, 11.4.1, lets be called before and after.
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include <pure/error.hpp>

#include "api/mpi/mpi_h.hpp"
#include "base/call.hpp"
#include "base/datatype.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_table.hpp"
#include "match/requests.hpp"
#include "match/status.hpp"
#include "objects/boundary.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core::mpi {

/// What this door keeps for each worker: the error handlers of communicators (MPI 5.0, 9.3), which are fatal ones
/// where nothing else was set.
struct door_state final : rank_service<door_state, 9> {
  std::unordered_map<std::uint64_t, MPI_Errhandler> handlers;  // by the core's handle of the communicator
  error_state errors;                                          // of the call that fails

  [[nodiscard]] bool advances() const noexcept override { return false; }
};

/// An error whose class no errc has.
class classed_error : public Error {
 public:
  classed_error(int error_class, const Error& error) : Error(error), error_class_(error_class) {}
  [[nodiscard]] int error_class() const noexcept { return error_class_; }

 private:
  int error_class_;
};
[[noreturn]] void throw_error(const call& by, int error_class, const std::string& text);

/// Handles below are predefined, or none (MPI 5.0, 20.2).
inline constexpr std::uintptr_t predefined_limit = 4096;

/// The core's handle of a communicator; 0 of MPI_COMM_NULL.
inline std::uint64_t core_handle(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_WORLD) return communicator_table::world_handle;
  if (comm == MPI_COMM_SELF) return communicator_table::self_handle;
  const auto value = reinterpret_cast<std::uintptr_t>(comm);
  return value < predefined_limit ? 0 : value;
}

/// Inside a catch clause: the error class that the call returns, if the handler of `comm` lets it return. An error that
/// concerns no communicator is one of MPI_COMM_SELF (MPI 5.0, 9.3).
int settle(const char* operation, MPI_Comm comm);

/// Runs one call. `comm`: whose handler gets its errors.
template <class Body>
int mpi_call(const char* operation, MPI_Comm comm, const void* return_address, Body&& body) {
  const call by{operation, site_of_call::returning_to(return_address)};
  try {
    body(by);
    return MPI_SUCCESS;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return settle(operation, comm);
  }
}

/// What a function does that is not there.
int refuse(const char* operation, MPI_Comm comm, const void* return_address);

// ---- from arguments to objects; all throw ----

/// The calling rank. Before MPI_Init and after MPI_Finalize there is none.
rank_context& rank_here(const call& by);
communicator& world_of(const call& by);
communicator& communicator_of(const call& by, MPI_Comm comm);

/// A predefined datatype.
struct element_type {
  pure_datatype code;  // the type of pure.h with the same elements
  std::size_t bytes;
};
element_type element_of(const call& by, MPI_Datatype type, const char* name);

// ---- the checks of the generated entries ----

void check_count(const call& by, std::int64_t count, const char* name);
void check_pointer(const call& by, const void* given, int error_class, const char* name);

// ---- results ----

/// Not MPI_ERROR: only calls that complete several requests set it (MPI 5.0, 3.2.5).
inline void fill(MPI_Status* to, const status& from) noexcept {
  if (to == MPI_STATUS_IGNORE) return;
  to->MPI_SOURCE = from.source;
  to->MPI_TAG = from.tag;
  to->MPI_internal[0] = from.cancelled ? 1 : 0;
  const auto bytes = static_cast<std::int64_t>(from.bytes);
  std::memcpy(&to->MPI_internal[1], &bytes, sizeof bytes);
}
inline std::int64_t bytes_in(const MPI_Status& status) noexcept {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[1], sizeof bytes);
  return bytes;
}

/// A request is the core's handle, but for null.
inline MPI_Request name_of(handle request) noexcept {
  return request.is_null() ? MPI_REQUEST_NULL : reinterpret_cast<MPI_Request>(request.value);  // NOLINT: a name
}
inline handle handle_of(MPI_Request request) noexcept {
  return {request == MPI_REQUEST_NULL ? 0 : reinterpret_cast<std::uintptr_t>(request)};
}

/// A count for a program that has ints (MPI 5.0, 3.2.5: MPI_UNDEFINED where it does not fit).
inline void give(int* to, std::int64_t count) noexcept {
  *to = count == static_cast<int>(count) ? static_cast<int>(count) : MPI_UNDEFINED;
}

}  // namespace pure::core::mpi
