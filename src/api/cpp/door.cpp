// The library side of the typed interface (pure/comm.hpp, pure/request.hpp, pure/run.hpp).
#include <fmt/core.h>

#include <exception>
#include <span>

#include <pure/detail/library.hpp>
#include <pure/error.hpp>

#include "api/cpp/door.hpp"
#include "base/settings.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/last_output.hpp"
#include "start/launch.hpp"
#include "start/processes.hpp"
#include "start/services.hpp"
#include "task/task_service.hpp"

namespace pure::detail {

using core::call;
using core::communicator;
using core::handle;

void throw_not_usable(const communicator& on, const call& by) {
  if (core::self() == &on.owner()) {
    core::throw_bad_argument(on, by, errc::comm,
                             "the communicator has been freed already, by another copy of its comm");
  }
  if (core::is_forked_from_worker()) core::throw_bad_argument(on, by, errc::state, core::forked_child_text());
  if (core::rank_in_chunk() != nullptr)
    core::throw_bad_argument(on, by, errc::state, core::why_no_calls(*core::rank_in_chunk()));
  const core::rank_context* const caller = core::self();
  const std::string who = caller == nullptr ? "a thread that is no rank" : fmt::format("rank {}", caller->number());
  core::throw_bad_argument(on, by, errc::state,
                           fmt::format("its comm was used by {}: a comm belongs to its rank's own thread", who));
}

void send(communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest, int tag) {
  const call by{"send", site};
  check_owner(on, by);
  core::send(on, by, data, bytes, dest, tag);
}

void send_moved(communicator& on, pure_call_site site, const moved_operations& operations, void* object, int dest,
                int tag) {
  core::moved_value value(operations, object);  // first: whatever happens, the object has an owner
  const call by{"send", site};
  check_owner(on, by);
  core::send_moved(on, by, std::move(value), dest, tag);
}

status receive(communicator& on, pure_call_site site, const receive_place& place, int source, int tag) {
  const call by{"recv", site};
  check_owner(on, by);
  status outcome;
  core::receive(on, by, place, source, tag, [&](const core::status& result) { outcome = public_status(result); });
  return outcome;
}

status send_receive(communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest, int send_tag,
                    const receive_place& place, int source, int receive_tag) {
  const call by{"sendrecv", site};
  check_owner(on, by);
  return public_status(core::send_receive(on, by, data, bytes, dest, send_tag, place, source, receive_tag));
}

request_handle start_send(communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest,
                          int tag) {
  const call by{"isend", site};
  check_owner(on, by);
  return core::start_send(on, by, data, bytes, dest, tag).value;
}

request_handle start_send_moved(communicator& on, pure_call_site site, const moved_operations& operations, void* object,
                                int dest, int tag) {
  core::moved_value value(operations, object);
  const call by{"isend", site};
  check_owner(on, by);
  return core::start_send_moved(on, by, std::move(value), dest, tag).value;
}

request_handle start_receive(communicator& on, pure_call_site site, const receive_place& place, int source, int tag) {
  const call by{"irecv_into", site};
  check_owner(on, by);
  return core::start_receive(on, by, place, source, tag).value;
}

void throw_short_message(communicator& on, pure_call_site site, const status& outcome, std::size_t wanted_bytes) {
  core::throw_bad_argument(
      on, {"recv", site}, errc::type,
      fmt::format("the message from rank {}, tag {}, has {} bytes, but the value asked for has {}; "
                  "use the sender's type",
                  outcome.source(), outcome.tag(), outcome.bytes(), wanted_bytes));
}

status wait(communicator& on, pure_call_site site, request_handle& request) {
  const call by{"wait", site};
  check_owner(on, by);
  handle one{request};
  on.requests().wait(by, one);
  status outcome;
  on.requests().finish_or_throw(by, one, [&](const core::status& result) {
    request = one.value;
    outcome = public_status(result);
  });
  return outcome;
}

namespace {

core::requests& requests_of(communicator* on, const call& by) {
  if (on == nullptr) {
    core::throw_wrong_call(by, errc::request,
                           "the persistent_request names no operation: it was moved from, or never made");
  }
  check_owner(*on, by);
  return on->requests();
}

}  // namespace

void start_request(communicator* on, pure_call_site site, request_handle request) {
  const call by{"start", site};
  requests_of(on, by).start(by, {request});
}

void check_startable(communicator* on, pure_call_site site, request_handle request) {
  const call by{"start_all", site};
  requests_of(on, by).stored().check_startable(by, {request});
}

bool is_active(communicator& on, pure_call_site site, request_handle request) {
  const call by{"is_active", site};
  check_owner(on, by);
  on.requests().check(by, {request});
  return on.requests().is_active({request});
}

bool test(communicator& on, pure_call_site site, request_handle request, bool& makes_progress) {
  const call by{"test", site};
  check_owner(on, by);
  on.requests().check(by, {request});
  return on.requests().test({request}, makes_progress);
}

int wait_any(communicator& on, pure_call_site site, const request_handle* requests, int count) {
  const call by{"wait_any", site};
  check_owner(on, by);
  static_assert(sizeof(handle) == sizeof(request_handle));
  const std::span<const handle> all(reinterpret_cast<const handle*>(requests), static_cast<std::size_t>(count));
  on.requests().check_several(by, all);
  return on.requests().wait_any(by, all);
}

void end_request(communicator& on, request_handle& request) noexcept {
  if (core::self() != &on.owner()) return;  // it has left its rank, and cannot be ended at all
  if (on.owner().owner().ending()) {  // others may read the buffer until they, too, have learnt that the job failed
    on.owner().owner().stop_together(on.owner());
    return;
  }
  handle one{request};
  request = 0;
  const call by{std::uncaught_exceptions() > 0 ? "~request (while an exception unwinds the rank)" : "~request", {}};
  try {
    if (on.requests().abandon(one)) return;
    on.requests().wait(by, one);
    on.requests().abandon(one);       // complete now
  } catch (const core::job_ended&) {  // the job failed meanwhile: the rank's next call says so again
  }
}

int rank_of(const communicator& on) noexcept { return on.rank(); }

communicator& world_of(communicator& on) noexcept { return core::communicator_table::of(on.owner()).world(); }

int size_of(const communicator& on) noexcept { return on.size(); }

namespace {

core::outcome run_plan(int ranks, rank_body body, void* context) {
  const core::launch_plan plan{.values = core::read_settings(), .ranks = ranks};
  return core::run_ranks_of_all_processes(plan, core::attach_services, [=](core::rank_context& self) {
    return body(context, core::communicator_table::of(self).world());
  });
}

int status_or_throw(const core::outcome& end) {
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
  return end.status;
}

}  // namespace

int run_ranks(int ranks, rank_body body, void* context) {
  if (ranks < 1) throw Error(errc::argument, fmt::format("pure::run: {} ranks: a job has at least one", ranks));
  return status_or_throw(run_plan(ranks, body, context));
}

int run_settings_ranks(rank_body body, void* context) { return status_or_throw(run_plan(0, body, context)); }

int run_ranks_of_main(int, char**, rank_body body, void* context) {
  try {
    const core::outcome end = run_plan(0, body, context);
    if (!end.failure_text.empty()) core::print_message(end.failure_text);
    return end.status;
  } catch (const Error& impossible) {
    core::print_message(impossible.what());
    return 1;
  }
}

}  // namespace pure::detail
