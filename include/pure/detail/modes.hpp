// The functions of libpure behind the rest of point-to-point: send modes, persistent requests, probes, buffers, and
// objects that are serialized. Not for programs.
#pragma once

#include <cstddef>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/library.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/export.hpp>
#include <pure/status.hpp>

namespace pure::core {
class send_buffer;
}

namespace pure::detail {

extern "C" {
PURE_API failure* pure_cxx_send_in_mode(core::communicator* on, pure_call_site site, send_mode mode, const void* data,
                                        std::size_t bytes, int dest, int tag);
PURE_API failure* pure_cxx_start_send_in_mode(core::communicator* on, pure_call_site site, send_mode mode,
                                              const void* data, std::size_t bytes, int dest, int tag,
                                              request_handle* started);
PURE_API failure* pure_cxx_make_persistent_send(core::communicator* on, pure_call_site site, send_mode mode,
                                                const placed_message* what, int dest, int tag, request_handle* made);
PURE_API failure* pure_cxx_make_persistent_receive(core::communicator* on, pure_call_site site,
                                                   const placed_message* where, int source, int tag,
                                                   request_handle* made);
PURE_API failure* pure_cxx_start_send_receive(core::communicator* on, pure_call_site site, const placed_message* what,
                                              int dest, int send_tag, const placed_message* where, int source,
                                              int receive_tag, request_handle* started);
PURE_API failure* pure_cxx_send_receive_replace(core::communicator* on, pure_call_site site,
                                                const placed_message* there, int dest, int send_tag, int source,
                                                int receive_tag, status* outcome);
PURE_API failure* pure_cxx_start_send_receive_replace(core::communicator* on, pure_call_site site,
                                                      const placed_message* there, int dest, int send_tag, int source,
                                                      int receive_tag, request_handle* started);

PURE_API failure* pure_cxx_probe(core::communicator* on, pure_call_site site, int source, int tag, status* found);
/// `is_there`: `found` tells what.
PURE_API failure* pure_cxx_probe_now(core::communicator* on, pure_call_site site, int source, int tag, status* found,
                                     bool* is_there);
/// `taken`: a message; 0 if `may_block` is false and there is none.
PURE_API failure* pure_cxx_matched_probe(core::communicator* on, pure_call_site site, int source, int tag,
                                         bool may_block, status* found, request_handle* taken);
PURE_API failure* pure_cxx_receive_message(core::communicator* on, pure_call_site site, request_handle* message,
                                           const receive_place* place, status* outcome);
PURE_API failure* pure_cxx_start_receive_message(core::communicator* on, pure_call_site site, request_handle* message,
                                                 const receive_place* place, request_handle* started);

PURE_API failure* pure_cxx_attach_send_buffer(core::communicator* on, pure_call_site site, std::size_t bytes,
                                              bool only_this_comm, core::send_buffer** attached);
PURE_API failure* pure_cxx_flush_send_buffer(core::communicator* on, pure_call_site site, core::send_buffer* which);
PURE_API failure* pure_cxx_start_flush_send_buffer(core::communicator* on, pure_call_site site,
                                                   core::send_buffer* which, request_handle* started);
PURE_API void pure_cxx_detach_send_buffer(core::communicator* on, core::send_buffer* which) noexcept;

// Types by their names, as typeid has them.
PURE_API failure* pure_cxx_not_this_object(core::communicator* on, pure_call_site site, const char* operation,
                                           const status* outcome, const char* sent, const char* wanted);
PURE_API failure* pure_cxx_broken_object(core::communicator* on, pure_call_site site, const char* operation,
                                         const status* outcome, const char* wanted, const char* problem);
}

inline void send_in_mode(core::communicator& on, pure_call_site site, send_mode mode, const void* data,
                         std::size_t bytes, int dest, int tag) {
  check(pure_cxx_send_in_mode(&on, site, mode, data, bytes, dest, tag));
}
inline request_handle start_send_in_mode(core::communicator& on, pure_call_site site, send_mode mode, const void* data,
                                         std::size_t bytes, int dest, int tag) {
  request_handle started = 0;
  check(pure_cxx_start_send_in_mode(&on, site, mode, data, bytes, dest, tag, &started));
  return started;
}
inline request_handle make_persistent_send(core::communicator& on, pure_call_site site, send_mode mode,
                                           const placed_message& what, int dest, int tag) {
  request_handle made = 0;
  check(pure_cxx_make_persistent_send(&on, site, mode, &what, dest, tag, &made));
  return made;
}
inline request_handle make_persistent_receive(core::communicator& on, pure_call_site site, const placed_message& where,
                                              int source, int tag) {
  request_handle made = 0;
  check(pure_cxx_make_persistent_receive(&on, site, &where, source, tag, &made));
  return made;
}
inline request_handle start_send_receive(core::communicator& on, pure_call_site site, const placed_message& what,
                                         int dest, int send_tag, const placed_message& where, int source,
                                         int receive_tag) {
  request_handle started = 0;
  check(pure_cxx_start_send_receive(&on, site, &what, dest, send_tag, &where, source, receive_tag, &started));
  return started;
}
inline status send_receive_replace(core::communicator& on, pure_call_site site, const placed_message& there, int dest,
                                   int send_tag, int source, int receive_tag) {
  status outcome;
  check(pure_cxx_send_receive_replace(&on, site, &there, dest, send_tag, source, receive_tag, &outcome));
  return outcome;
}
inline request_handle start_send_receive_replace(core::communicator& on, pure_call_site site,
                                                 const placed_message& there, int dest, int send_tag, int source,
                                                 int receive_tag) {
  request_handle started = 0;
  check(pure_cxx_start_send_receive_replace(&on, site, &there, dest, send_tag, source, receive_tag, &started));
  return started;
}

inline status probe(core::communicator& on, pure_call_site site, int source, int tag) {
  status found;
  check(pure_cxx_probe(&on, site, source, tag, &found));
  return found;
}
inline bool probe_now(core::communicator& on, pure_call_site site, int source, int tag, status& found) {
  bool is_there = false;
  check(pure_cxx_probe_now(&on, site, source, tag, &found, &is_there));
  return is_there;
}
/// A message; 0 if `may_block` is false and there is none.
inline request_handle matched_probe(core::communicator& on, pure_call_site site, int source, int tag, bool may_block,
                                    status& found) {
  request_handle taken = 0;
  check(pure_cxx_matched_probe(&on, site, source, tag, may_block, &found, &taken));
  return taken;
}
inline status receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                              const receive_place& place) {
  status outcome;
  check(pure_cxx_receive_message(&on, site, &message, &place, &outcome));
  return outcome;
}
inline request_handle start_receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                                            const receive_place& place) {
  request_handle started = 0;
  check(pure_cxx_start_receive_message(&on, site, &message, &place, &started));
  return started;
}

/// Of the rank, or of its messages on `on` only. 0 bytes: as much as there is memory.
inline core::send_buffer& attach_send_buffer(core::communicator& on, pure_call_site site, std::size_t bytes,
                                             bool only_this_comm) {
  core::send_buffer* attached = nullptr;
  check(pure_cxx_attach_send_buffer(&on, site, bytes, only_this_comm, &attached));
  return *attached;
}
inline void flush_send_buffer(core::communicator& on, pure_call_site site, core::send_buffer& which) {
  check(pure_cxx_flush_send_buffer(&on, site, &which));
}
inline request_handle start_flush_send_buffer(core::communicator& on, pure_call_site site, core::send_buffer& which) {
  request_handle started = 0;
  check(pure_cxx_start_flush_send_buffer(&on, site, &which, &started));
  return started;
}
inline void detach_send_buffer(core::communicator& on, core::send_buffer& which) noexcept {
  pure_cxx_detach_send_buffer(&on, &which);
}

/// Ends a receive of a serialized `wanted` that got something else: `sent`, null for plain data. Or that cannot be made
/// of its bytes, because of `problem`.
[[noreturn]] inline void throw_not_this_object(core::communicator& on, pure_call_site site, const char* operation,
                                               const status& outcome, const char* sent, const char* wanted) {
  throw_failure(pure_cxx_not_this_object(&on, site, operation, &outcome, sent, wanted));
}
[[noreturn]] inline void throw_broken_object(core::communicator& on, pure_call_site site, const char* operation,
                                             const status& outcome, const char* wanted, const char* problem) {
  throw_failure(pure_cxx_broken_object(&on, site, operation, &outcome, wanted, problem));
}

}  // namespace pure::detail
