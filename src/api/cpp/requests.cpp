// The library side of pure::request and pure::persistent_request (pure/detail/requests.hpp).
#include <pure/detail/requests.hpp>

#include <span>

#include "api/cpp/door.hpp"
#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

namespace pure::detail {

using core::call;
using core::communicator;
using core::handle;

failure* pure_cxx_wait(communicator* on, pure_call_site site, request_handle* request, status* outcome) {
  return on_communicator(on, "wait", site, [&](communicator& own, const call& by) {
    handle one{*request};
    own.requests().wait(by, one);
    own.requests().finish_or_throw(by, one, [&](const core::status& result) {
      *request = one.value;
      *outcome = public_status(result);
    });
  });
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

failure* pure_cxx_start_request(communicator* on, pure_call_site site, request_handle request) {
  return at_boundary([&] {
    const call by{"start", site};
    requests_of(on, by).start(by, {request});
  });
}

failure* pure_cxx_check_startable(communicator* on, pure_call_site site, request_handle request) {
  return at_boundary([&] {
    const call by{"start_all", site};
    requests_of(on, by).stored().check_startable(by, {request});
  });
}

failure* pure_cxx_is_active(communicator* on, pure_call_site site, request_handle request, bool* is_active) {
  return on_communicator(on, "is_active", site, [&](communicator& own, const call& by) {
    own.requests().check(by, {request});
    *is_active = own.requests().is_active({request});
  });
}

failure* pure_cxx_test(communicator* on, pure_call_site site, request_handle request, bool* makes_progress,
                       bool* is_complete) {
  return on_communicator(on, "test", site, [&](communicator& own, const call& by) {
    own.requests().check(by, {request});
    *is_complete = own.requests().test({request}, *makes_progress);
  });
}

failure* pure_cxx_wait_any(communicator* on, pure_call_site site, const request_handle* requests, int count,
                           int* found) {
  return on_communicator(on, "wait_any", site, [&](communicator& own, const call& by) {
    static_assert(sizeof(handle) == sizeof(request_handle));
    const std::span<const handle> all(reinterpret_cast<const handle*>(requests), static_cast<std::size_t>(count));
    own.requests().check_several(by, all);
    *found = own.requests().wait_any(by, all);
  });
}

failure* pure_cxx_cancel(communicator* on, pure_call_site site, request_handle request) {
  return on_communicator(on, "cancel", site,
                         [&](communicator& own, const call& by) { own.requests().cancel(by, {request}); });
}

failure* pure_cxx_look_at(communicator* on, pure_call_site site, request_handle request, status* outcome,
                          bool* is_complete) {
  return on_communicator(on, "status", site, [&](communicator& own, const call& by) {
    own.requests().check(by, {request});
    *is_complete = own.requests().test({request});
    if (*is_complete) *outcome = public_status(own.requests().outcome_of({request}));
  });
}

void pure_cxx_end_request(communicator* on, request_handle* request, bool is_unwinding) noexcept {
  if (core::self() != &on->owner()) return;  // it has left its rank, and cannot be ended at all
  core::job& all = on->owner().owner();
  if (all.ending()) {  // others may read the buffer until they, too, have learnt that the job failed
    all.stop_together(on->owner());
    return;
  }
  handle one{*request};
  *request = 0;
  const call by{is_unwinding ? "~request (while an exception unwinds the rank)" : "~request", {}};
  try {
    if (on->requests().abandon(one)) return;
    on->requests().wait(by, one);
    on->requests().abandon(one);      // complete now
  } catch (const core::job_ended&) {  // the job failed meanwhile: the rank's next call says so again
  }
}

}  // namespace pure::detail
