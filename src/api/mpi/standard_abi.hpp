// What entries of the standard ABI make of requests and statuses, and back: the core's, which lie where the program's
// do. Entries of another ABI have these names over handles and statuses of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/mpi/message_status.hpp"
#include "api/mpi/mpi_h.hpp"
#include "api/mpi/object_names.hpp"
#include "match/fixed_requests.hpp"

namespace pure::core::mpi {

// ---- statuses ----

static_assert(sizeof(message_status) == sizeof(MPI_Status) && alignof(message_status) == alignof(MPI_Status));
static_assert(offsetof(message_status, source) == offsetof(MPI_Status, MPI_SOURCE) &&
              offsetof(message_status, tag) == offsetof(MPI_Status, MPI_TAG) &&
              offsetof(message_status, error) == offsetof(MPI_Status, MPI_ERROR) &&
              offsetof(message_status, cancelled) == offsetof(MPI_Status, MPI_internal));
static_assert(MPI_STATUS_IGNORE == nullptr && MPI_STATUSES_IGNORE == nullptr && MPI_SUCCESS == 0);

/// Of one, or the first of several.
inline message_status* status_at(MPI_Status* status) noexcept { return reinterpret_cast<message_status*>(status); }
inline const message_status* status_at(const MPI_Status* status) noexcept {
  return reinterpret_cast<const message_status*>(status);
}

// ---- handles: as they are ----

template <class Handle>
struct core_name;
// clang-format off
template <> struct core_name<MPI_Comm> { using type = comm_handle; };
template <> struct core_name<MPI_Datatype> { using type = type_handle; };
template <> struct core_name<MPI_Errhandler> { using type = errhandler_handle; };
template <> struct core_name<MPI_File> { using type = file_handle; };
template <> struct core_name<MPI_Group> { using type = group_handle; };
template <> struct core_name<MPI_Info> { using type = info_handle; };
template <> struct core_name<MPI_Message> { using type = message_handle; };
template <> struct core_name<MPI_Op> { using type = op_handle; };
template <> struct core_name<MPI_Request> { using type = request_handle; };
template <> struct core_name<MPI_Session> { using type = session_handle; };
template <> struct core_name<MPI_Win> { using type = win_handle; };
// clang-format on

/// Of one that is given, or of the place of one, or of several.
template <class Abi>
typename core_name<Abi*>::type named(Abi* handle) noexcept {
  return {reinterpret_cast<std::uintptr_t>(handle)};
}
template <class Abi>
typename core_name<Abi*>::type* named(Abi** handles) noexcept {
  static_assert(sizeof(Abi*) == sizeof(typename core_name<Abi*>::type));
  return reinterpret_cast<typename core_name<Abi*>::type*>(handles);
}
template <class Abi>
const typename core_name<Abi*>::type* named(Abi* const* handles) noexcept {
  return reinterpret_cast<const typename core_name<Abi*>::type*>(handles);
}

template <class Handle>
Handle program_name(typename core_name<Handle>::type name) noexcept {
  return reinterpret_cast<Handle>(name.value);  // NOLINT: a name
}

// ---- requests ----

/// A request is the core's handle, but for null; and 0, which is none.
inline MPI_Request name_of(handle request) noexcept {
  if (request.is_null()) return MPI_REQUEST_NULL;
  return request == not_a_request ? MPI_Request{} : reinterpret_cast<MPI_Request>(request.value);  // NOLINT: a name
}
inline handle handle_of(MPI_Request request) noexcept {
  if (request == MPI_REQUEST_NULL) return {};
  return request == MPI_Request{} ? not_a_request : handle{reinterpret_cast<std::uintptr_t>(request)};
}

/// A request that a body makes: the program gets it if the body has not thrown.
class made_request {
 public:
  explicit made_request(MPI_Request* to) noexcept : to_(to) {}

  /// Null: the program says no place.
  [[nodiscard]] handle* at() noexcept { return to_ == nullptr ? nullptr : &made_; }
  void give() const noexcept { *to_ = name_of(made_); }

 private:
  MPI_Request* to_;
  handle made_;
};

/// A program's request, while a body works on it: what becomes of it the program gets in any case.
class given_request {
 public:
  explicit given_request(MPI_Request* request) noexcept : request_(request), now_(handle_of(*request)) {}
  given_request(const given_request&) = delete;
  given_request& operator=(const given_request&) = delete;
  ~given_request() { *request_ = name_of(now_); }
  [[nodiscard]] handle* at() noexcept { return &now_; }

 private:
  MPI_Request* request_;
  handle now_;
};

/// Several: the same array, but null is the core's.
class given_requests {
 public:
  given_requests(int count, MPI_Request all[]) noexcept : all_(all, static_cast<std::size_t>(count)) {
    static_assert(sizeof(handle) == sizeof(MPI_Request) && alignof(handle) == alignof(MPI_Request));
    for (MPI_Request& each : all_) each = reinterpret_cast<MPI_Request>(handle_of(each).value);  // NOLINT: a name
  }
  given_requests(const given_requests&) = delete;
  given_requests& operator=(const given_requests&) = delete;
  ~given_requests() {
    for (MPI_Request& each : all_) each = name_of(handle{reinterpret_cast<std::uintptr_t>(each)});
  }
  [[nodiscard]] std::span<handle> handles() const noexcept {
    return {reinterpret_cast<handle*>(all_.data()), all_.size()};
  }

 private:
  std::span<MPI_Request> all_;
};

/// Several that stay as they are, in an array that is not to be written.
class read_requests {
 public:
  read_requests(int count, const MPI_Request all[]) {
    const auto size = static_cast<std::size_t>(count);
    if (size > few_.size()) many_.resize(size);
    handles_ = {size > few_.size() ? many_.data() : few_.data(), size};
    for (std::size_t i = 0; i < size; ++i) handles_[i] = handle_of(all[i]);
  }
  read_requests(const read_requests&) = delete;
  read_requests& operator=(const read_requests&) = delete;
  [[nodiscard]] std::span<const handle> handles() const noexcept { return handles_; }

 private:
  std::array<handle, 16> few_;
  std::vector<handle> many_;
  std::span<handle> handles_;
};

}  // namespace pure::core::mpi
