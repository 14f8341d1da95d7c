// The functions of libpure behind messages: the most frequent ones, and those that are laid out. Not for programs.
#pragma once

#include <cstddef>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/library.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/export.hpp>
#include <pure/status.hpp>

namespace pure::detail {

extern "C" {
PURE_API failure* pure_cxx_send(core::communicator* on, pure_call_site site, const void* data, std::size_t bytes,
                                int dest, int tag);
PURE_API failure* pure_cxx_send_moved(core::communicator* on, pure_call_site site, const moved_operations* operations,
                                      void* object, int dest, int tag);
PURE_API failure* pure_cxx_receive(core::communicator* on, pure_call_site site, const receive_place* place, int source,
                                   int tag, status* outcome);
PURE_API failure* pure_cxx_send_receive(core::communicator* on, pure_call_site site, const void* data,
                                        std::size_t bytes, int dest, int send_tag, const receive_place* place,
                                        int source, int receive_tag, status* outcome);
PURE_API failure* pure_cxx_start_send(core::communicator* on, pure_call_site site, const void* data, std::size_t bytes,
                                      int dest, int tag, request_handle* started);
PURE_API failure* pure_cxx_start_send_moved(core::communicator* on, pure_call_site site,
                                            const moved_operations* operations, void* object, int dest, int tag,
                                            request_handle* started);
PURE_API failure* pure_cxx_start_receive(core::communicator* on, pure_call_site site, const receive_place* place,
                                         int source, int tag, request_handle* started);
/// Ends a recv<T> of a value whose message was shorter.
PURE_API failure* pure_cxx_short_message(core::communicator* on, pure_call_site site, const status* outcome,
                                         std::size_t wanted_bytes);

// Messages that are laid out (src/api/cpp/layouts.cpp).
PURE_API failure* pure_cxx_send_laid_out(core::communicator* on, pure_call_site site, send_mode mode,
                                         const placed_message* what, int dest, int tag);
PURE_API failure* pure_cxx_start_send_laid_out(core::communicator* on, pure_call_site site, send_mode mode,
                                               const placed_message* what, int dest, int tag, request_handle* started);
PURE_API failure* pure_cxx_receive_laid_out(core::communicator* on, pure_call_site site, const placed_message* where,
                                            int source, int tag, status* outcome);
PURE_API failure* pure_cxx_start_receive_laid_out(core::communicator* on, pure_call_site site,
                                                  const placed_message* where, int source, int tag,
                                                  request_handle* started);
PURE_API failure* pure_cxx_send_receive_laid_out(core::communicator* on, pure_call_site site,
                                                 const placed_message* what, int dest, int send_tag,
                                                 const placed_message* where, int source, int receive_tag,
                                                 status* outcome);
PURE_API failure* pure_cxx_receive_message_laid_out(core::communicator* on, pure_call_site site,
                                                    request_handle* message, const placed_message* where,
                                                    status* outcome);
PURE_API failure* pure_cxx_start_receive_message_laid_out(core::communicator* on, pure_call_site site,
                                                          request_handle* message, const placed_message* where,
                                                          request_handle* started);
}

inline void send(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest, int tag) {
  check(pure_cxx_send(&on, site, data, bytes, dest, tag));
}
inline void send_moved(core::communicator& on, pure_call_site site, const moved_operations& operations, void* object,
                       int dest, int tag) {
  check(pure_cxx_send_moved(&on, site, &operations, object, dest, tag));
}
inline status receive(core::communicator& on, pure_call_site site, const receive_place& place, int source, int tag) {
  status outcome;
  check(pure_cxx_receive(&on, site, &place, source, tag, &outcome));
  return outcome;
}
inline status send_receive(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest,
                           int send_tag, const receive_place& place, int source, int receive_tag) {
  status outcome;
  check(pure_cxx_send_receive(&on, site, data, bytes, dest, send_tag, &place, source, receive_tag, &outcome));
  return outcome;
}
inline request_handle start_send(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes,
                                 int dest, int tag) {
  request_handle started = 0;
  check(pure_cxx_start_send(&on, site, data, bytes, dest, tag, &started));
  return started;
}
inline request_handle start_send_moved(core::communicator& on, pure_call_site site, const moved_operations& operations,
                                       void* object, int dest, int tag) {
  request_handle started = 0;
  check(pure_cxx_start_send_moved(&on, site, &operations, object, dest, tag, &started));
  return started;
}
inline request_handle start_receive(core::communicator& on, pure_call_site site, const receive_place& place, int source,
                                    int tag) {
  request_handle started = 0;
  check(pure_cxx_start_receive(&on, site, &place, source, tag, &started));
  return started;
}
[[noreturn]] inline void throw_short_message(core::communicator& on, pure_call_site site, const status& outcome,
                                             std::size_t wanted_bytes) {
  throw_failure(pure_cxx_short_message(&on, site, &outcome, wanted_bytes));
}

inline void send_laid_out(core::communicator& on, pure_call_site site, send_mode mode, const placed_message& what,
                          int dest, int tag) {
  check(pure_cxx_send_laid_out(&on, site, mode, &what, dest, tag));
}
inline request_handle start_send_laid_out(core::communicator& on, pure_call_site site, send_mode mode,
                                          const placed_message& what, int dest, int tag) {
  request_handle started = 0;
  check(pure_cxx_start_send_laid_out(&on, site, mode, &what, dest, tag, &started));
  return started;
}
inline status receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& where, int source,
                               int tag) {
  status outcome;
  check(pure_cxx_receive_laid_out(&on, site, &where, source, tag, &outcome));
  return outcome;
}
inline request_handle start_receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& where,
                                             int source, int tag) {
  request_handle started = 0;
  check(pure_cxx_start_receive_laid_out(&on, site, &where, source, tag, &started));
  return started;
}
inline status send_receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& what, int dest,
                                    int send_tag, const placed_message& where, int source, int receive_tag) {
  status outcome;
  check(pure_cxx_send_receive_laid_out(&on, site, &what, dest, send_tag, &where, source, receive_tag, &outcome));
  return outcome;
}
inline status receive_message_laid_out(core::communicator& on, pure_call_site site, request_handle& message,
                                       const placed_message& where) {
  status outcome;
  check(pure_cxx_receive_message_laid_out(&on, site, &message, &where, &outcome));
  return outcome;
}
inline request_handle start_receive_message_laid_out(core::communicator& on, pure_call_site site,
                                                     request_handle& message, const placed_message& where) {
  request_handle started = 0;
  check(pure_cxx_start_receive_message_laid_out(&on, site, &message, &where, &started));
  return started;
}

}  // namespace pure::detail
