// The functions of libpure behind pure::request and pure::persistent_request. Not for programs.
#pragma once

#include <exception>
#include <optional>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/library.hpp>
#include <pure/export.hpp>
#include <pure/status.hpp>

namespace pure::detail {

extern "C" {
PURE_API failure* pure_cxx_start_request(core::communicator* on, pure_call_site site, request_handle request);
PURE_API failure* pure_cxx_check_startable(core::communicator* on, pure_call_site site, request_handle request);
PURE_API failure* pure_cxx_is_active(core::communicator* on, pure_call_site site, request_handle request,
                                     bool* is_active);
PURE_API failure* pure_cxx_wait(core::communicator* on, pure_call_site site, request_handle* request, status* outcome);
PURE_API failure* pure_cxx_test(core::communicator* on, pure_call_site site, request_handle request,
                                bool* makes_progress, bool* is_complete);
PURE_API failure* pure_cxx_wait_any(core::communicator* on, pure_call_site site, const request_handle* requests,
                                    int count, int* found);
PURE_API failure* pure_cxx_cancel(core::communicator* on, pure_call_site site, request_handle request);
/// `is_complete`: `outcome` is set.
PURE_API failure* pure_cxx_look_at(core::communicator* on, pure_call_site site, request_handle request, status* outcome,
                                   bool* is_complete);
PURE_API void pure_cxx_end_request(core::communicator* on, request_handle* request, bool is_unwinding) noexcept;
}

/// Starts a persistent request, or throws as if to. `on` may be null where the request is.
inline void start_request(core::communicator* on, pure_call_site site, request_handle request) {
  check(pure_cxx_start_request(on, site, request));
}
inline void check_startable(core::communicator* on, pure_call_site site, request_handle request) {
  check(pure_cxx_check_startable(on, site, request));
}
/// False for null and for an inactive persistent request.
inline bool is_active(core::communicator& on, pure_call_site site, request_handle request) {
  bool is_active = false;
  check(pure_cxx_is_active(&on, site, request, &is_active));
  return is_active;
}

/// Completion. `requests` are handles of one rank, each null or live; completed ones become null, also where they are
/// complete by an error, but persistent ones inactive. test() makes progress if it is told to and finds the request not
/// complete, and says so by false.
inline status wait(core::communicator& on, pure_call_site site, request_handle& request) {
  status outcome;
  check(pure_cxx_wait(&on, site, &request, &outcome));
  return outcome;
}
inline bool test(core::communicator& on, pure_call_site site, request_handle request, bool& makes_progress) {
  bool is_complete = false;
  check(pure_cxx_test(&on, site, request, &makes_progress, &is_complete));
  return is_complete;
}
inline int wait_any(core::communicator& on, pure_call_site site, const request_handle* requests, int count) {
  int found = 0;
  check(pure_cxx_wait_any(&on, site, requests, count, &found));
  return found;
}
inline void cancel(core::communicator& on, pure_call_site site, request_handle request) {
  check(pure_cxx_cancel(&on, site, request));
}
inline std::optional<status> look_at(core::communicator& on, pure_call_site site, request_handle request) {
  status outcome;
  bool is_complete = false;
  check(pure_cxx_look_at(&on, site, request, &outcome, &is_complete));
  return is_complete ? std::optional(outcome) : std::nullopt;
}
/// For a destructor: ends the operation without throwing; blocks for a send or a collective, withdraws a receive.
inline void end_request(core::communicator& on, request_handle& request) noexcept {
  pure_cxx_end_request(&on, &request, std::uncaught_exceptions() > 0);
}

}  // namespace pure::detail
