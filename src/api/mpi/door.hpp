// What the functions of mpi.h share: from handles to objects, and from exceptions to error classes.
//
// entries_CHAPTER.cpp, which generate.py writes, has the functions themselves. Each checks what the kinds of its
// parameters say, and calls its body, which is in this folder, inside mpi_call(). What is another thing in each ABI, as
// handles, statuses and constants, bodies know by names of their own: object_names.hpp, message_status.hpp,
// constants.hpp. Counts are 64 bits wide for both forms of a function. One thread of the rank at a time, but for what
// MPI 5.0, 11.4.1, lets be called before and after.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <pure/error.hpp>
#include <pure/export.hpp>

#include "api/mpi/arguments.hpp"
#include "api/mpi/constants.hpp"
#include "api/mpi/message_status.hpp"
#include "api/mpi/mpi_h.hpp"
#include "api/mpi/object_names.hpp"
#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_table.hpp"
#include "comm/group.hpp"
#include "comm/mpi_name.hpp"
#include "match/requests.hpp"
#include "objects/boundary.hpp"
#include "objects/info_object.hpp"
#include "runtime/rank.hpp"
#include "window/window.hpp"

namespace pure::core::mpi {

/// The object whose error handler gets the errors of a call (MPI 5.0, 9.3). What concerns none is an error of
/// MPI_COMM_SELF.
struct raised_on {
  enum class sort : std::uint8_t { communicator, window, file };

  raised_on(comm_handle comm) noexcept  // NOLINT: implicit on purpose
      : what(sort::communicator), handle(comm.value) {}
  raised_on(win_handle win) noexcept  // NOLINT: likewise
      : what(sort::window), handle(win.value) {}
  raised_on(file_handle file) noexcept  // NOLINT: likewise
      : what(sort::file), handle(file.value) {}

  sort what;
  std::uintptr_t handle;
};

/// What a function is to free, which gets the errors of the call.
inline raised_on object_at(const comm_handle* comm) noexcept { return comm == nullptr ? constants::comm_null : *comm; }
inline raised_on object_at(const win_handle* win) noexcept { return win == nullptr ? constants::win_null : *win; }

/// An error whose class no errc has, or a code of the program's own.
class classed_error : public Error {
 public:
  classed_error(int error_class, const Error& error) : Error(error), error_class_(error_class) {}
  [[nodiscard]] int error_class() const noexcept { return error_class_; }

 private:
  int error_class_;
};
[[noreturn]] void throw_error(const call& by, int error_class, const std::string& text);

/// An error of a request that the call `by` completes: of the communicator of the request.
class request_error : public Error {
 public:
  request_error(comm_handle comm, const Error& error) : Error(error), comm_(comm) {}
  [[nodiscard]] comm_handle comm() const noexcept { return comm_; }

 private:
  comm_handle comm_;
};

/// Thrown by a call that is to call a function of the program as error handler: when the call has nothing left to do,
/// so that what the function throws is the program's.
struct asked_handler {
  raised_on where;
  int code;
};

/// The class of an error of the core.
int class_of(errc code) noexcept;

/// Handles below are predefined, or none (MPI 5.0, 20.2).
inline constexpr std::uintptr_t predefined_limit = predefined_mpi_handles;
static_assert(constants::comm_null.value == mpi_comm_null && constants::comm_world.value == mpi_comm_world &&
              constants::comm_self.value == mpi_comm_self);

/// The core's handle of an object; 0 of what is predefined, or none.
template <class Handle>
std::uint64_t core_handle(Handle of) noexcept {
  const auto value = of.value;
  return value < predefined_limit ? 0 : value;
}
inline std::uint64_t core_handle(comm_handle comm) noexcept { return handle_of_mpi_comm(comm.value); }

/// And back.
template <class Handle>
Handle name_of_object(std::uint64_t core) noexcept {
  return {core};
}
inline comm_handle name_of(const communicator& of) noexcept { return {mpi_comm_of_handle(of.handle())}; }

/// Inside a catch clause: the code that the call returns, if the handler lets it return.
int settle(const char* operation, raised_on where);

/// The address in the program that the next call of this thread returns to, where Fortran's side or a door of another
/// binary interface makes it, which sets this before. Null: it returns there itself.
extern "C" PURE_API constinit thread_local const void* pure_core_caller;
inline const void* taken_caller(const void* return_address) noexcept {
  if (pure_core_caller == nullptr) [[likely]]
    return return_address;
  return std::exchange(pure_core_caller, nullptr);
}

/// Runs one call. `where`: whose handler gets its errors.
template <class Body>
int mpi_call(const char* operation, raised_on where, const void* return_address, Body&& body) {
  const call by{operation, site_of_call::returning_to(taken_caller(return_address))};
  try {
    body(by);
    return constants::success;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return settle(operation, where);
  }
}

/// What a function does that is not there.
int refuse(const char* operation, raised_on where, const void* return_address);

// ---- from arguments to objects; all throw ----

/// The first call of a thread that is not the rank's own: later ones find the rank as the rank's own thread does.
rank_context& rank_of_new_guest(const call& by);
[[noreturn]] void throw_no_communicator(const call& by, comm_handle comm);

/// The calling rank. Before MPI_Init and after MPI_Finalize there is none. Another thread of the program than that of
/// MPI_Init becomes a guest of its rank, if the program has asked for that.
inline rank_context& rank_here(const call& by) {
  rank_context* const rank = self();
  return rank != nullptr ? *rank : rank_of_new_guest(by);
}
/// The rank to which the calling thread belongs, for calls that touch nothing which changes: they may overlap others.
rank_context& rank_of_any_thread(const call& by);
/// Null: there is none.
rank_context* rank_or_null() noexcept;
communicator& world_of(const call& by);
inline communicator& communicator_of(const call& by, comm_handle comm) {
  communicator* const found = communicator_table::of(rank_here(by)).find(core_handle(comm));
  if (found == nullptr) [[unlikely]]
    throw_no_communicator(by, comm);
  return *found;
}
const group& group_of(const call& by, group_handle handle);
info_object& info_of(const call& by, info_handle info);
/// Null of MPI_INFO_NULL.
info_object* info_or_null(const call& by, info_handle info);
window& window_of(const call& by, win_handle win);

void give_group(const call& by, group made, group_handle* to);
void give_info(const call& by, info_object made, info_handle* to);
void free_info(const call& by, info_handle info);
/// An info object of this door, which belongs to the process and may be made before MPI_Init, has that handle.
[[nodiscard]] bool is_info_of_process(std::uint64_t name);
/// An info object that is there has that handle, of whatever door.
[[nodiscard]] bool is_info(const rank_context& rank, std::uint64_t name);

// ---- the checks of the generated entries ----

/// Of a collective that is prepared; all ranks learn of it, as of other arguments.
void check_info(const call& by, comm_handle comm, info_handle info);
[[noreturn]] void throw_bad_count(const call& by, std::int64_t count, const char* name);
[[noreturn]] void throw_null(const call& by, int error_class, const char* name);

inline void check_count(const call& by, std::int64_t count, const char* name) {
  if (count < 0) [[unlikely]]
    throw_bad_count(by, count, name);
}
inline void check_pointer(const call& by, const void* given, int error_class, const char* name) {
  if (given == nullptr) [[unlikely]]
    throw_null(by, error_class, name);
}

// ---- results ----

/// A text for the program, of at most `room` characters with its end.
void give_text(char* to, int* length, const std::string& text, std::size_t room) noexcept;

/// A count for a program that has ints (MPI 5.0, 3.2.5: MPI_UNDEFINED where it does not fit).
inline void give(int* to, std::int64_t count) noexcept {
  *to = count == static_cast<int>(count) ? static_cast<int>(count) : constants::undefined;
}
inline void give(std::int64_t* to, std::int64_t count) noexcept { *to = count; }
inline void give_pointer(void* to, void* value) noexcept { std::memcpy(to, &value, sizeof value); }

}  // namespace pure::core::mpi
