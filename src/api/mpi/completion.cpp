// Requests: wait and test in all forms, looks, cancel, start, free (MPI 5.0, 3.7, 3.8.4 and 3.9); and what a status
// says.
#include <fmt/core.h>

#include <exception>
#include <optional>
#include <span>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/types.hpp"
#include "comm/communicator_table.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

/// The communicator whose handler gets the error of a complete request; null: that of MPI_COMM_SELF.
comm_handle comm_of(const communicator& world, handle request) {
  const std::optional<std::uint32_t> context = world.requests().context_of(request);
  const communicator* const found = context ? communicator_table::of(world.owner()).find_context(*context) : nullptr;
  return found == nullptr ? constants::comm_null : name_of(*found);
}

/// Completes one request into `to`; a failure is thrown, as one of its communicator. Null and an inactive request give
/// the empty status.
void complete(const communicator& world, const call& by, handle& request, message_status* to) {
  if (to != nullptr && !world.requests().is_active(request)) return fill_empty(to);
  // What the handlers of all communicators do alike need not be known.
  const bool is_asked = !door_state::of(world.owner()).of_communicators.empty();
  const comm_handle comm = is_asked ? comm_of(world, request) : constants::comm_null;
  try {
    world.requests().finish_or_throw(by, request, [&](const status& result) { fill(to, result); });
  } catch (const Error& error) {
    throw request_error(comm, error);
  }
}

/// Completes several: a failure is noted in its status, and one error stands for all (MPI 5.0, 3.7.5).
class several {
 public:
  several(const communicator& world, const call& by) noexcept : world_(world), by_(by) {}

  void complete(handle& request, message_status* to) {
    const bool is_first = first_failure_.error == errc::success;
    const bool is_asked = is_first && !door_state::of(world_.owner()).of_communicators.empty();
    const comm_handle comm = is_asked ? comm_of(world_, request) : constants::comm_null;
    world_.requests().finish(
        request,
        [&](const status& result, const Error* failure) {
          fill(to, result);
          if (to != nullptr) to->error = class_of(result.error);
          if (result.error == errc::success || !is_first) return;
          first_failure_ = result;
          comm_ = comm;
          if (failure != nullptr) of_operation_ = std::make_exception_ptr(*failure);
        },
        by_);
  }
  void throw_if_any_failed() const {
    if (first_failure_.error == errc::success) return;
    try {
      if (of_operation_ != nullptr) std::rethrow_exception(of_operation_);
      world_.requests().throw_if_failed(by_, first_failure_);
    } catch (const Error& error) {
      throw request_error(comm_, Error(errc::in_status, error.what(), error.site()));
    }
  }

 private:
  const communicator& world_;
  const call& by_;
  status first_failure_;
  comm_handle comm_ = constants::comm_null;
  std::exception_ptr of_operation_;  // the error of the first failure, if it is not a receive's
};

message_status* at(message_status* statuses, std::size_t i) noexcept {
  return statuses == nullptr ? nullptr : statuses + i;
}

/// Completes every request that is complete. `count`: how many, or MPI_UNDEFINED if none was active; it is set even if
/// some failed (MPI 5.0, 3.7.5).
void complete_some(const communicator& world, const call& by, std::span<handle> all, int* count, int indices[],
                   message_status* statuses) {
  several done(world, by);
  *count = 0;
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!world.requests().is_active(all[i])) continue;
    any = true;
    if (!world.requests().poll(all[i])) continue;
    done.complete(all[i], at(statuses, static_cast<std::size_t>(*count)));
    indices[(*count)++] = static_cast<int>(i);
  }
  if (!any) *count = constants::undefined;
  done.throw_if_any_failed();
}

void complete_all(const communicator& world, const call& by, std::span<handle> all, message_status* statuses) {
  several done(world, by);
  for (std::size_t i = 0; i < all.size(); ++i) done.complete(all[i], at(statuses, i));
  done.throw_if_any_failed();
}

}  // namespace

// ---- wait ----

void bodies::Wait(const call& by, handle* request, message_status* status) {
  const communicator& world = world_of(by);
  world.requests().wait(by, *request);
  complete(world, by, *request, status);
}

void bodies::Waitall(const call& by, std::span<handle> array_of_requests, message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  world.requests().wait_all(by, array_of_requests);
  complete_all(world, by, array_of_requests, array_of_statuses);
}

void bodies::Waitany(const call& by, std::span<handle> array_of_requests, int* indx, message_status* status) {
  const communicator& world = world_of(by);
  world.requests().check_several(by, array_of_requests);
  const int found = world.requests().wait_any(by, array_of_requests);
  *indx = found < 0 ? constants::undefined : found;
  if (found < 0) return fill_empty(status);
  complete(world, by, array_of_requests[static_cast<std::size_t>(found)], status);
}

void bodies::Waitsome(const call& by, std::span<handle> array_of_requests, int* outcount, int array_of_indices[],
                      message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  world.requests().check_several(by, array_of_requests);
  world.requests().wait_any(by, array_of_requests);
  complete_some(world, by, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

// ---- test ----

void bodies::Test(const call& by, handle* request, int* flag, message_status* status) {
  const communicator& world = world_of(by);
  world.requests().check(by, *request);
  *flag = world.requests().test(*request) ? 1 : 0;
  if (*flag == 1) complete(world, by, *request, status);
}

void bodies::Testall(const call& by, std::span<handle> array_of_requests, int* flag,
                     message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  world.requests().check_several(by, array_of_requests);
  *flag = 1;
  bool makes_progress = true;
  for (const handle each : array_of_requests) *flag &= world.requests().test(each, makes_progress) ? 1 : 0;
  if (*flag == 1) complete_all(world, by, array_of_requests, array_of_statuses);
}

void bodies::Testany(const call& by, std::span<handle> array_of_requests, int* indx, int* flag,
                     message_status* status) {
  const communicator& world = world_of(by);
  world.requests().check_several(by, array_of_requests);
  *indx = constants::undefined;
  bool any = false, makes_progress = true;
  for (std::size_t i = 0; i < array_of_requests.size() && *indx == constants::undefined; ++i) {
    if (!world.requests().is_active(array_of_requests[i])) continue;
    any = true;
    if (world.requests().test(array_of_requests[i], makes_progress)) *indx = static_cast<int>(i);
  }
  *flag = *indx != constants::undefined || !any ? 1 : 0;
  if (*indx != constants::undefined) {
    complete(world, by, array_of_requests[static_cast<std::size_t>(*indx)], status);
  } else if (*flag == 1) {
    fill_empty(status);
  }
}

void bodies::Testsome(const call& by, std::span<handle> array_of_requests, int* outcount, int array_of_indices[],
                      message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  world.requests().check_several(by, array_of_requests);
  world.requests().make_progress();
  complete_some(world, by, array_of_requests, outcount, array_of_indices, array_of_statuses);
}

// ---- looks, which leave the requests as they are ----

namespace {

void check_all(const communicator& world, const call& by, std::span<const handle> all) {
  for (const handle each : all) world.requests().check(by, each);
}

void fill_with_outcome(message_status* to, const communicator& world, handle request) {
  if (to == nullptr) return;
  if (!world.requests().is_active(request)) return fill_empty(to);
  fill(to, world.requests().outcome_of(request));
}

}  // namespace

void bodies::Request_get_status(const call& by, handle request, int* flag, message_status* status) {
  const communicator& world = world_of(by);
  world.requests().check(by, request);
  bool makes_progress = true;
  *flag = world.requests().look(request, makes_progress) ? 1 : 0;
  if (*flag == 1) fill_with_outcome(status, world, request);
}

void bodies::Request_get_status_any(const call& by, std::span<const handle> array_of_requests, int* indx, int* flag,
                                    message_status* status) {
  const communicator& world = world_of(by);
  check_all(world, by, array_of_requests);
  *indx = constants::undefined;
  bool any = false, makes_progress = true;
  for (std::size_t i = 0; i < array_of_requests.size() && *indx == constants::undefined; ++i) {
    if (!world.requests().is_active(array_of_requests[i])) continue;
    any = true;
    if (world.requests().look(array_of_requests[i], makes_progress)) *indx = static_cast<int>(i);
  }
  *flag = *indx != constants::undefined || !any ? 1 : 0;
  if (*indx != constants::undefined) {
    fill_with_outcome(status, world, array_of_requests[static_cast<std::size_t>(*indx)]);
  } else if (*flag == 1) {
    fill_empty(status);
  }
}

void bodies::Request_get_status_all(const call& by, std::span<const handle> array_of_requests, int* flag,
                                    message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  check_all(world, by, array_of_requests);
  *flag = 1;
  bool makes_progress = true;
  for (const handle each : array_of_requests) *flag &= world.requests().look(each, makes_progress) ? 1 : 0;
  if (*flag == 0) return;
  for (std::size_t i = 0; i < array_of_requests.size(); ++i)
    fill_with_outcome(at(array_of_statuses, i), world, array_of_requests[i]);
}

void bodies::Request_get_status_some(const call& by, std::span<const handle> array_of_requests, int* outcount,
                                     int array_of_indices[], message_status* array_of_statuses) {
  const communicator& world = world_of(by);
  check_all(world, by, array_of_requests);
  bool any = false, makes_progress = true;
  int complete = 0;
  for (std::size_t i = 0; i < array_of_requests.size(); ++i) {
    if (!world.requests().is_active(array_of_requests[i])) continue;
    any = true;
    if (!world.requests().look(array_of_requests[i], makes_progress)) continue;
    fill_with_outcome(at(array_of_statuses, static_cast<std::size_t>(complete)), world, array_of_requests[i]);
    array_of_indices[complete++] = static_cast<int>(i);
  }
  *outcount = any ? complete : constants::undefined;
}

// ---- start, cancel, free ----

void bodies::Start(const call& by, handle* request) { world_of(by).requests().start(by, *request); }

void bodies::Startall(const call& by, std::span<handle> array_of_requests) {
  requests& all = world_of(by).requests();
  all.check_several(by, array_of_requests);
  for (const handle each : array_of_requests) all.stored().check_startable(by, each);  // all, or none is started
  for (const handle each : array_of_requests) all.start(by, each);
}

void bodies::Request_free(const call& by, handle* request) { world_of(by).requests().free_request(by, *request); }

void bodies::Cancel(const call& by, handle* request) { world_of(by).requests().cancel(by, *request); }

void bodies::Test_cancelled(const call&, const message_status* status, int* flag) { *flag = status->cancelled; }

// ---- what a status says ----

void bodies::Get_count(const call& by, const message_status* status, type_handle datatype, MPI_Count* count) {
  const std::int64_t elements = elements_in(bytes_in(*status), type_of(by, datatype, "datatype"));
  *count = elements < 0 ? std::int64_t{constants::undefined} : elements;
}

void bodies::Get_elements(const call& by, const message_status* status, type_handle datatype, MPI_Count* count) {
  const type_signature& signature = *type_of(by, datatype, "datatype").signature;
  const std::int64_t elements = signature.elements_in(static_cast<std::size_t>(bytes_in(*status)));
  *count = elements < 0 ? std::int64_t{constants::undefined} : elements;
}
void bodies::Get_elements_x(const call& by, const message_status* status, type_handle datatype, MPI_Count* count) {
  Get_elements(by, status, datatype, count);
}

void bodies::Status_set_elements(const call& by, message_status* status, type_handle datatype, MPI_Count count) {
  check_count(by, count, "count");
  const std::int64_t bytes = type_of(by, datatype, "datatype").signature->bytes_of(static_cast<std::uint64_t>(count));
  if (bytes < 0) throw_wrong_call(by, errc::argument, fmt::format("the type has no {} elements", count));
  set_bytes(*status, bytes);
}
void bodies::Status_set_elements_x(const call& by, message_status* status, type_handle datatype, MPI_Count count) {
  Status_set_elements(by, status, datatype, count);
}
void bodies::Status_set_cancelled(const call&, message_status* status, int flag) {
  status->cancelled = flag != 0 ? 1 : 0;
}

void bodies::Status_get_source(const call&, const message_status* status, int* source) { *source = status->source; }
void bodies::Status_get_tag(const call&, const message_status* status, int* tag) { *tag = status->tag; }
void bodies::Status_get_error(const call&, const message_status* status, int* error) { *error = status->error; }
void bodies::Status_set_source(const call&, message_status* status, int source) { status->source = source; }
void bodies::Status_set_tag(const call&, message_status* status, int tag) { status->tag = tag; }
void bodies::Status_set_error(const call&, message_status* status, int error) { status->error = error; }

}  // namespace pure::core::mpi
