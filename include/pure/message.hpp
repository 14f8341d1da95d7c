// pure::message: a message that a matched probe has found (MPI 4.1, 3.8.2), and pure::send_buffer: room for buffered
// sends.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <pure/buffer.hpp>
#include <pure/detail/element_type.hpp>
#include <pure/detail/messages.hpp>
#include <pure/request.hpp>
#include <pure/status.hpp>

namespace pure {

/// A message that is there, and that nothing else can receive. Receive it once; one that nobody receives is lost, with
/// the rank. Belongs to the rank that found it.
class [[nodiscard]] message {
 public:
  message(message&& from) noexcept : on_(from.on_), handle_(std::exchange(from.handle_, 0)), what_(from.what_) {}
  message& operator=(message&& from) noexcept {
    on_ = from.on_;
    handle_ = std::exchange(from.handle_, 0);
    what_ = from.what_;
    return *this;
  }
  ~message() = default;

  /// The source, the tag and the size of the message.
  [[nodiscard]] const pure::status& status() const noexcept { return what_; }

  /// As comm::recv. Errors: request (it has been received), type, truncate.
  template <class T>
  [[nodiscard]] T recv(call_site at = call_site::current());
  /// As comm::recv_into.
  template <class T>
  pure::status recv_into(T&& data, call_site at = call_site::current()) {
    return detail::receive_message(*on_, detail::receiving<T>(at), handle_, detail::bytes_to_fill(data));
  }
  template <class T>
  pure::status recv_into(serialized_object<T> object, call_site at = call_site::current());

  /// As comm::irecv_into. The request is complete: the message is there.
  template <class T>
  requires(std::is_lvalue_reference_v<T> || detail::is_borrowed_view<T>) request
      irecv_into(T&& data, call_site at = call_site::current()) {
    return {*on_, detail::start_receive_message(*on_, detail::receiving<T>(at), handle_, detail::bytes_to_fill(data))};
  }

 private:
  friend class comm;
  message(core::communicator& on, detail::request_handle handle, const pure::status& what) noexcept
      : on_(&on), handle_(handle), what_(what) {}

  core::communicator* on_;
  detail::request_handle handle_;
  pure::status what_;
};

template <class T>
T message::recv(call_site at) {
  detail::require_message_data<T>();
  if constexpr (detail::growing_container<T>) {
    T result;
    const detail::receive_sink sink = detail::sink_for(result);
    detail::receive_message(*on_, detail::receiving<T>(at), handle_, {nullptr, 0, &sink});
    return result;
  } else {
    static_assert(std::is_default_constructible_v<T>, "Pure: recv<T> needs a T to receive into: use recv_into.");
    T result{};
    const auto bytes = detail::bytes_to_fill(result);
    const pure::status outcome = detail::receive_message(*on_, detail::receiving<T>(at), handle_, bytes);
    if (outcome.bytes() != bytes.size && outcome.source() != proc_null) {
      detail::throw_short_message(*on_, at, outcome, bytes.size);
    }
    return result;
  }
}

/// Room for the buffered sends of the calling rank, or for those on one comm only, as long as it lives (MPI 4.1, 3.6).
/// Its end blocks until all messages in it have been sent. One at a time for the rank, and one for each comm, which
/// outlives it.
class [[nodiscard]] send_buffer {
 public:
  /// Copies of messages take as many bytes as they have, and 64 more each.
  static constexpr std::size_t overhead = 64;

  send_buffer(const send_buffer&) = delete;
  send_buffer& operator=(const send_buffer&) = delete;
  ~send_buffer() { detail::detach_send_buffer(*on_, *room_); }

  /// Blocks until all messages in it have been sent.
  void flush(call_site at = call_site::current()) { detail::flush_send_buffer(*on_, at, *room_); }
  /// The same as a request: of the messages that are in it now.
  request iflush(call_site at = call_site::current()) {
    return {*on_, detail::start_flush_send_buffer(*on_, at, *room_)};
  }

 private:
  friend class comm;
  send_buffer(core::communicator& on, core::communicator& world, call_site at, std::size_t bytes, bool only_this_comm)
      : on_(&world), room_(&detail::attach_send_buffer(on, at, bytes, only_this_comm)) {}
  core::communicator* on_;
  core::send_buffer* room_;
};

}  // namespace pure
