// pure::comm: messages between the ranks of a communicator, typed (C++20). Its collectives: pure/collectives.hpp.
//
// A comm is a small handle: copy it freely. It belongs to one rank and is used on that rank's thread only. Every call
// that fails throws pure::Error with the operation, the ranks, tag and sizes, and the call site. Semantics are MPI's
// (MPI 4.1, chapter 3): messages of one sender are matched in the order in which they were sent.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pure/buffer.hpp>
#include <pure/collectives.hpp>
#include <pure/detail/communicators.hpp>
#include <pure/detail/element_type.hpp>
#include <pure/detail/messages.hpp>
#include <pure/error.hpp>
#include <pure/group.hpp>
#include <pure/layout.hpp>
#include <pure/message.hpp>
#include <pure/persistent_request.hpp>
#include <pure/request.hpp>
#include <pure/split_by.hpp>
#include <pure/status.hpp>

namespace pure {

template <class T>
class window;

/// The tags of a call that both sends and receives: one for both, or two.
///     world.sendrecv(out, right, in, left, 3);
///     world.sendrecv(out, right, in, left, {3, pure::any_tag});
struct tags {
  int send = 0;
  int receive = 0;

  constexpr tags(int both) noexcept : send(both), receive(both) {}
  constexpr tags(int of_send, int of_receive) noexcept : send(of_send), receive(of_receive) {}
};

class comm : public collectives<comm> {
 public:
  using here = call_site;

  /// For the library: programs get their comm from pure::run.
  explicit comm(core::communicator& on) noexcept
      : on_(&on), world_(&detail::world_of(on)), rank_(detail::rank_of(on)), size_(detail::size_of(on)) {}

  /// The same object by its MPI_Comm of Pure's mpi.h, and back. Errors: comm (null, or freed), state (no rank).
  explicit comm(MPI_ABI_Comm* mpi, here at = here::current()) : comm(detail::comm_from_mpi(at, mpi)) {}
  [[nodiscard]] explicit operator MPI_ABI_Comm*() const { return detail::comm_to_mpi(*on_, here{}); }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  // ---- other communicators (MPI 4.1, 7.4) ----
  //
  // What these make lives until free(), or until the end of the job. Each but free() blocks until all who take part
  // have called it. The error of one rank's arguments is thrown on all ranks; then nobody has made anything, and all
  // can go on. (But of create_group, whose group or tag is wrong on one rank, only that rank hears.) Errors: mismatch,
  // where ranks have called different ones of them.

  /// A copy with the same ranks, whose messages match nothing of the original's. Collective.
  [[nodiscard]] comm dup(here at = here::current()) const { return comm(detail::duplicate(*on_, at)); }

  /// One comm for each color; its ranks in the order of key, then of their rank here. Collective; other ranks may pass
  /// no color. Errors: argument, for a negative color.
  [[nodiscard]] comm split(int color, int key = 0, here at = here::current()) const {
    return comm(*detail::split(*on_, at, &color, key));
  }
  /// The same for a rank that may have no color, and then gets nothing.
  [[nodiscard]] std::optional<comm> split(std::optional<int> color, int key = 0, here at = here::current()) const {
    return if_any(detail::split(*on_, at, color ? &*color : nullptr, key));
  }

  /// One comm for each machine, process, NUMA node, cache, socket or core. Nothing for ranks that are bound to no
  /// single one. Collective. Errors: mismatch, where ranks split by different things.
  [[nodiscard]] std::optional<comm> split_type(const split_by& what, int key = 0, here at = here::current()) const {
    return if_any(detail::split_type(*on_, at, what.type_, what.name_, what.found_, key));
  }

  /// A comm of the ranks in `members`, a subset of this one's, in its order; nothing for the others. Collective: all
  /// ranks pass the same group, or groups without a common rank. Errors: group.
  [[nodiscard]] std::optional<comm> create(const pure::group& members, here at = here::current()) const {
    return if_any(detail::create(*on_, at, members.numbers_));
  }

  /// The same, called by the members only. `tag` tells apart calls by different groups at a time. Errors: group, tag.
  [[nodiscard]] comm create_group(const pure::group& members, int tag = 0, here at = here::current()) const {
    return comm(detail::create_group(*on_, at, members.numbers_, tag));
  }

  /// Ends the communicator for this rank: no copy of this comm can be used any more, and the next use of one is an
  /// error (comm). Does not block; every rank calls it. What is pending on it completes as usual, and persistent
  /// requests and messages found by a probe still work: it lasts until these are gone (MPI 4.1, 7.4.3). The end of a
  /// comm object, a handle, frees nothing. Not for world.
  void free(here at = here::current()) const { detail::free_communicator(*on_, at); }

  /// The ranks of the communicator.
  [[nodiscard]] pure::group group(here at = here::current()) const {
    return pure::group(detail::members_of(*on_, at, size_));
  }
  [[nodiscard]] comparison compare(const comm& other, here at = here::current()) const {
    return static_cast<comparison>(detail::compare_communicators(*on_, *other.on_, at));
  }

  /// How errors and hang reports call it; each rank names its own.
  [[nodiscard]] std::string name(here at = here::current()) const { return detail::name_of(*on_, at); }
  void set_name(const std::string& name, here at = here::current()) const { detail::rename(*on_, at, name); }

  // ---- blocking ----

  /// Sends a value or the elements of a contiguous range. Returns when `data` may be changed, which may be before the
  /// receive (a standard-mode send). 0 <= tag; to proc_null it does nothing. Errors: rank, tag.
  template <class T>
  void send(const T& data, int dest, int tag = 0, here at = here::current()) const {
    detail::send(*on_, detail::sending<T>(at), detail::bytes_to_send(data), dest, tag);
  }

  /// Gives a vector away: inside a process its memory changes hands and nothing is copied. `data` is empty afterwards.
  template <class T>
  void send(std::vector<T>&& data, int dest, int tag = 0, here at = here::current()) const {
    detail::require_message_data<std::vector<T>>();
    detail::send_moved(*on_, detail::sending<T>(at), detail::operations_of<std::vector<T>>, release(data).get(), dest,
                       tag);
  }

  /// Receives and returns a value of exactly sizeof(T) bytes, or a vector or string as long as the message. A vector
  /// that was sent by moving is taken over without a copy. Errors: rank, tag, truncate (the message is longer than a
  /// value), type (shorter than a value, or no whole number of elements).
  template <class T>
  [[nodiscard]] T recv(int source = any_source, int tag = 0, here at = here::current()) const;

  /// Receives into an existing value or the elements of a range, which is not resized. Errors: rank, tag, truncate.
  template <class T>
  status recv_into(T&& data, int source = any_source, int tag = 0, here at = here::current()) const {
    return detail::receive(*on_, detail::receiving<T>(at), detail::bytes_to_fill(data), source, tag);
  }

  /// Sends `out` to `dest` and receives `in` from `source`, both at once: rings of ranks need no order (MPI 4.1, 3.11).
  template <class Out, class In>
  status sendrecv(const Out& out, int dest, In&& in, int source, tags tag = 0, here at = here::current()) const {
    return detail::send_receive(*on_, detail::exchanging<Out, In>(at), detail::bytes_to_send(out), dest, tag.send,
                                detail::bytes_to_fill(in), source, tag.receive);
  }

  /// The elements of `data` go out, and as many of another message come in, in their place. Needs memory for a copy.
  template <class T>
  status sendrecv_replace(T&& data, int dest, int source, tags tag = 0, here at = here::current()) const {
    return detail::send_receive_replace(*on_, detail::exchanging<T, T>(at), detail::placed(detail::bytes_to_fill(data)),
                                        dest, tag.send, source, tag.receive);
  }

  // ---- objects that are serialized: pure::serialized(object) of <pure/serialized.hpp>, which has the contracts ----

  template <class T>
  void send(serialized_object<T> object, int dest, int tag = 0, here at = here::current()) const;
  template <class T>
  request isend(serialized_object<T> object, int dest, int tag = 0, here at = here::current()) const;
  template <class T>
  status recv_into(serialized_object<T> object, int source = any_source, int tag = 0, here at = here::current()) const;
  template <class T>
  request irecv_into(serialized_object<T> object, int source = any_source, int tag = 0,
                     here at = here::current()) const;
  template <class T>
  [[nodiscard]] T recv_serialized(int source = any_source, int tag = 0, here at = here::current()) const;

  // ---- send modes (MPI 4.1, 3.4) ----

  /// Synchronous: returns when a receive has matched the message.
  template <class T>
  void ssend(const T& data, int dest, int tag = 0, here at = here::current()) const {
    send_as(detail::send_mode::synchronous, data, dest, tag, at);
  }
  /// Buffered: returns at once; what cannot go is kept in the rank's send_buffer. Errors: buffer, if there is no room.
  template <class T>
  void bsend(const T& data, int dest, int tag = 0, here at = here::current()) const {
    send_as(detail::send_mode::buffered, data, dest, tag, at);
  }
  /// Ready: the receive has been posted already; otherwise the program is wrong. Here it is a standard send.
  template <class T>
  void rsend(const T& data, int dest, int tag = 0, here at = here::current()) const {
    send_as(detail::send_mode::ready, data, dest, tag, at);
  }
  /// The same as requests: complete when the blocking form would return. `data` must not change before, and must live
  /// until then; not so for ibsend, which is complete at once.
  template <class T>
  request issend(T&& data, int dest, int tag = 0, here at = here::current()) const {
    detail::require_lasting<T>();
    return start_send_as(detail::send_mode::synchronous, data, dest, tag, at);
  }
  template <class T>
  request ibsend(const T& data, int dest, int tag = 0, here at = here::current()) const {
    return start_send_as(detail::send_mode::buffered, data, dest, tag, at);
  }
  template <class T>
  request irsend(T&& data, int dest, int tag = 0, here at = here::current()) const {
    detail::require_lasting<T>();
    return start_send_as(detail::send_mode::ready, data, dest, tag, at);
  }
  /// Room for buffered sends; without `bytes`, as much as there is memory. Errors: buffer, if the rank has one already.
  [[nodiscard]] pure::send_buffer send_buffer(std::size_t bytes, here at = here::current()) const {
    return {*on_, *world_, at, bytes, false};
  }
  [[nodiscard]] pure::send_buffer send_buffer(here at = here::current()) const { return {*on_, *world_, at, 0, false}; }
  /// The same for messages on this comm only, which take no room in the rank's then. Errors: buffer, if it has one.
  [[nodiscard]] pure::send_buffer own_send_buffer(std::size_t bytes, here at = here::current()) const {
    return {*on_, *world_, at, bytes, true};
  }
  [[nodiscard]] pure::send_buffer own_send_buffer(here at = here::current()) const {
    return {*on_, *world_, at, 0, true};
  }

  // ---- probes (MPI 4.1, 3.8) ----

  /// The message that a receive with these arguments would match: blocks until there is one. The next receive with that
  /// source and tag gets it.
  status probe(int source = any_source, int tag = 0, here at = here::current()) const {
    return detail::probe(*on_, at, source, tag);
  }
  /// The same without blocking.
  [[nodiscard]] std::optional<status> iprobe(int source = any_source, int tag = 0, here at = here::current()) const {
    status found;
    return detail::probe_now(*on_, at, source, tag, found) ? std::optional(found) : std::nullopt;
  }
  /// Takes that message out: only the message's own recv can receive it.
  message mprobe(int source = any_source, int tag = 0, here at = here::current()) const {
    status found;
    const auto taken = detail::matched_probe(*on_, at, source, tag, true, found);
    return {*world_, taken, found};
  }
  [[nodiscard]] std::optional<message> improbe(int source = any_source, int tag = 0, here at = here::current()) const {
    status found;
    const auto taken = detail::matched_probe(*on_, at, source, tag, false, found);
    return taken == 0 ? std::nullopt : std::optional<message>(message(*world_, taken, found));
  }

  // ---- persistent (MPI 4.1, 3.9) ----

  /// The same message again and again, in each mode: start() and wait() of the request. `data` must live as long as the
  /// request.
  template <class T>
  persistent_request send_init(T&& data, int dest, int tag = 0, here at = here::current()) const {
    return prepare_send<T>(detail::send_mode::standard, data, dest, tag, at);
  }
  template <class T>
  persistent_request ssend_init(T&& data, int dest, int tag = 0, here at = here::current()) const {
    return prepare_send<T>(detail::send_mode::synchronous, data, dest, tag, at);
  }
  template <class T>
  persistent_request bsend_init(T&& data, int dest, int tag = 0, here at = here::current()) const {
    return prepare_send<T>(detail::send_mode::buffered, data, dest, tag, at);
  }
  template <class T>
  persistent_request rsend_init(T&& data, int dest, int tag = 0, here at = here::current()) const {
    return prepare_send<T>(detail::send_mode::ready, data, dest, tag, at);
  }
  template <class T>
  requires(std::is_lvalue_reference_v<T> || detail::is_borrowed_view<T>) persistent_request
      recv_init(T&& data, int source = any_source, int tag = 0, here at = here::current())
  const {
    return {*world_, detail::make_persistent_receive(*on_, detail::receiving<T>(at),
                                                     detail::placed(detail::bytes_to_fill(data)), source, tag)};
  }

  // ---- non-blocking ----

  /// A send and a receive as one request.
  template <class Out, class In>
  requires(std::is_lvalue_reference_v<In> || detail::is_borrowed_view<In>) request
      isendrecv(Out&& out, int dest, In&& in, int source, tags tag = 0, here at = here::current())
  const {
    detail::require_lasting<Out>();
    return {*world_, detail::start_send_receive(*on_, detail::exchanging<Out, In>(at),
                                                detail::placed(detail::bytes_to_send(out)), dest, tag.send,
                                                detail::placed(detail::bytes_to_fill(in)), source, tag.receive)};
  }

  /// sendrecv_replace as a request: `data` belongs to it until it is complete.
  template <class T>
  requires(std::is_lvalue_reference_v<T> || detail::is_borrowed_view<T>) request
      isendrecv_replace(T&& data, int dest, int source, tags tag = 0, here at = here::current())
  const {
    return {*world_, detail::start_send_receive_replace(*on_, detail::exchanging<T, T>(at),
                                                        detail::placed(detail::bytes_to_fill(data)), dest, tag.send,
                                                        source, tag.receive)};
  }

  /// Starts a send of `data`, which must not change before the request is complete.
  template <class T>
  request isend(const T& data, int dest, int tag = 0, here at = here::current()) const {
    return {*world_, detail::start_send(*on_, detail::sending<T>(at), detail::bytes_to_send(data), dest, tag)};
  }

  /// The same for a temporary: a vector changes hands, anything else is kept by the request. (A temporary span only
  /// names its elements; they must not change.)
  template <class T>
  requires(std::is_rvalue_reference_v<T&&> && !std::is_const_v<T>) request
      isend(T&& data, int dest, int tag = 0, here at = here::current())
  const;

  /// Starts a receive into `data`, an existing value or a range, which belongs to the request until it is complete.
  template <class T>
  requires(std::is_lvalue_reference_v<T> || detail::is_borrowed_view<T>) request
      irecv_into(T&& data, int source = any_source, int tag = 0, here at = here::current())
  const {
    return {*world_, detail::start_receive(*on_, detail::receiving<T>(at), detail::bytes_to_fill(data), source, tag)};
  }

 private:
  friend class detail::collective_call;
  friend class aggregation;
  template <class T>
  friend class window;

  template <class T>
  void send_as(detail::send_mode mode, const T& data, int dest, int tag, here at) const {
    detail::send_in_mode(*on_, detail::sending<T>(at), mode, detail::bytes_to_send(data), dest, tag);
  }

  template <class T>
  request start_send_as(detail::send_mode mode, const T& data, int dest, int tag, here at) const {
    return {*world_,
            detail::start_send_in_mode(*on_, detail::sending<T>(at), mode, detail::bytes_to_send(data), dest, tag)};
  }
  template <class T>
  persistent_request prepare_send(detail::send_mode mode, const std::remove_reference_t<T>& data, int dest, int tag,
                                  here at) const {
    detail::require_lasting<T>();
    return {*world_, detail::make_persistent_send(*on_, detail::sending<T>(at), mode,
                                                  detail::placed(detail::bytes_to_send(data)), dest, tag)};
  }

  static std::optional<comm> if_any(core::communicator* made) {
    return made == nullptr ? std::nullopt : std::optional<comm>(*made);
  }

  template <class T>
  struct released {  // a vector in storage of its own, destroyed by whoever takes it over
    alignas(std::vector<T>) std::byte storage[sizeof(std::vector<T>)];
    explicit released(std::vector<T>&& from) noexcept {
      ::new (static_cast<void*>(storage)) std::vector<T>(std::move(from));
    }
    void* get() noexcept { return storage; }
  };
  template <class T>
  static released<T> release(std::vector<T>& from) noexcept {
    return released<T>(std::move(from));
  }

  core::communicator* on_;
  core::communicator* world_;  // what requests keep: it lives as long as the rank, *on_ may be freed before they end
  int rank_;
  int size_;
};

template <class T>
T comm::recv(int source, int tag, here at) const {
  detail::require_message_data<T>();
  if constexpr (detail::growing_container<T>) {
    T result;
    const detail::receive_sink sink = detail::sink_for(result);
    detail::receive(*on_, detail::receiving<T>(at), {nullptr, 0, &sink}, source, tag);
    return result;
  } else {
    static_assert(std::is_default_constructible_v<T>, "Pure: recv<T> needs a T to receive into: use recv_into.");
    T result{};
    const auto bytes = detail::bytes_to_fill(result);
    const status outcome = detail::receive(*on_, detail::receiving<T>(at), bytes, source, tag);
    if (outcome.bytes() != bytes.size && outcome.source() != proc_null) {
      detail::throw_short_message(*on_, at, outcome, bytes.size);
    }
    return result;
  }
}

template <class T>
requires(std::is_rvalue_reference_v<T&&> && !std::is_const_v<T>) request comm::isend(T&& data, int dest, int tag,
                                                                                     here at)
const {
  if constexpr (!detail::is_borrowed_view<T>) detail::require_message_data<T>();
  if constexpr (detail::is_vector<T>) {
    return {*world_, detail::start_send_moved(*on_, detail::sending<T>(at), detail::operations_of<T>,
                                              release(data).get(), dest, tag)};
  } else if constexpr (detail::is_borrowed_view<T>) {
    return isend(std::as_const(data), dest, tag, at);
  } else {
    auto kept = std::make_unique<T>(std::move(data));
    request started = isend(std::as_const(*kept), dest, tag, at);
    started.keep(std::move(kept));
    return started;
  }
}

}  // namespace pure
