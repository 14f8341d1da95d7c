// The functions behind messages, for data in a row and for data that is laid out. Not for programs.
#pragma once

#include <pure/buffer.hpp>
#include <pure/detail/library.hpp>
#include <pure/detail/modes.hpp>
#include <pure/detail/point_to_point.hpp>
#include <pure/layout.hpp>

namespace pure::detail {

inline void send(core::communicator& on, pure_call_site site, const const_bytes& what, int dest, int tag) {
  send(on, site, what.data, what.size, dest, tag);
}
inline void send(core::communicator& on, pure_call_site site, const placed_message& what, int dest, int tag) {
  send_laid_out(on, site, send_mode::standard, what, dest, tag);
}

inline void send_in_mode(core::communicator& on, pure_call_site site, send_mode mode, const const_bytes& what, int dest,
                         int tag) {
  send_in_mode(on, site, mode, what.data, what.size, dest, tag);
}
inline void send_in_mode(core::communicator& on, pure_call_site site, send_mode mode, const placed_message& what,
                         int dest, int tag) {
  send_laid_out(on, site, mode, what, dest, tag);
}

inline request_handle start_send(core::communicator& on, pure_call_site site, const const_bytes& what, int dest,
                                 int tag) {
  return start_send(on, site, what.data, what.size, dest, tag);
}
inline request_handle start_send(core::communicator& on, pure_call_site site, const placed_message& what, int dest,
                                 int tag) {
  return start_send_laid_out(on, site, send_mode::standard, what, dest, tag);
}

inline request_handle start_send_in_mode(core::communicator& on, pure_call_site site, send_mode mode,
                                         const const_bytes& what, int dest, int tag) {
  return start_send_in_mode(on, site, mode, what.data, what.size, dest, tag);
}
inline request_handle start_send_in_mode(core::communicator& on, pure_call_site site, send_mode mode,
                                         const placed_message& what, int dest, int tag) {
  return start_send_laid_out(on, site, mode, what, dest, tag);
}

inline status receive(core::communicator& on, pure_call_site site, const mutable_bytes& where, int source, int tag) {
  return receive(on, site, receive_place{where.data, where.size}, source, tag);
}
inline status receive(core::communicator& on, pure_call_site site, const placed_message& where, int source, int tag) {
  return receive_laid_out(on, site, where, source, tag);
}

inline request_handle start_receive(core::communicator& on, pure_call_site site, const mutable_bytes& where, int source,
                                    int tag) {
  return start_receive(on, site, receive_place{where.data, where.size}, source, tag);
}
inline request_handle start_receive(core::communicator& on, pure_call_site site, const placed_message& where,
                                    int source, int tag) {
  return start_receive_laid_out(on, site, where, source, tag);
}

template <class Out, class In>
status send_receive(core::communicator& on, pure_call_site site, Out&& what, int dest, int send_tag, In&& where,
                    int source, int receive_tag) {
  if constexpr (std::is_same_v<Out, const_bytes> && std::is_same_v<In, mutable_bytes>) {
    return send_receive(on, site, what.data, what.size, dest, send_tag, {where.data, where.size}, source, receive_tag);
  } else {
    return send_receive_laid_out(on, site, placed(what), dest, send_tag, placed(where), source, receive_tag);
  }
}

inline status receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                              const mutable_bytes& where) {
  return receive_message(on, site, message, receive_place{where.data, where.size});
}
inline status receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                              const placed_message& where) {
  return receive_message_laid_out(on, site, message, where);
}

inline request_handle start_receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                                            const mutable_bytes& where) {
  return start_receive_message(on, site, message, receive_place{where.data, where.size});
}
inline request_handle start_receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                                            const placed_message& where) {
  return start_receive_message_laid_out(on, site, message, where);
}

}  // namespace pure::detail
