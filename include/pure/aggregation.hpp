// pure::aggregation: millions of small items to handlers on other ranks, typed (C++20).
//
//     pure::aggregation items(world);
//     auto add = items.on<std::uint64_t>([&](std::uint64_t index) { ++table[index]; });
//     for (const update& each : updates) add.send(each.index, each.rank);
//     items.finish();  // all items of all ranks are handled
//
// Items for one rank travel together, in buffers that the runtime hands over by pointer. A handler runs on the thread
// of the rank that receives the item, one at a time, inside that rank's calls: in sends, flush, progress, finish, and
// in any wait for messages, collectives and the like. So it needs no atomics for what only its rank touches. A handler
// may send, flush and ask for stats(), which never waits there; other calls of Pure are errors in it (state).
//
// States of an aggregation on a rank: *open*, from its making on; *finishing*, inside finish; then open again, in the
// next phase. It belongs to its rank, and is used on that rank's thread only, not inside tasks. What is promised, how
// to choose sizes, schemes, and what other libraries call these things: docs/aggregation.md. Every call that fails
// throws pure::Error with the aggregation, the rank and the call site; all: state.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <pure/comm.hpp>
#include <pure/detail/aggregation.hpp>

namespace pure {

/// Which items share a packet to another process (Chandrasekar and Kale, Shared Memory-Aware Latency-Sensitive
/// Message Aggregation, section III).
/// In a process it is always ww.
enum class scheme : int {
  automatic,  ///< wps while a rank fills its packets alone, and pp while it does not
  ww,         ///< those of a rank for a rank
  wps,        ///< those of a rank for a process, where they are grouped
  wsp,        ///< the same, grouped before they are sent
  pp          ///< those of a process for a process, where they are grouped
};

/// Over which processes items travel to others; urgent ones, and those of ww, go straight. Each hop costs an item once
/// more, and makes packets fuller where destinations are many.
enum class hops : int {
  automatic,  ///< direct up to 64 processes; then machine if there are several machines with several processes, or grid
  direct,
  machine,  ///< over one process of each machine, which gathers what goes to and comes from others
  grid      ///< processes in rows of a square: over that of the sender's row in the receiver's column
};

/// The same on all ranks, but for the name.
struct aggregation_options {
  /// Of a buffer's items: fixed, at most 17344. 0: from 64 items on, twice as many while they fill, up to 1024.
  std::size_t buffer_bytes = 0;
  /// Of a rank's buffers that are open, or sent and not handled. A send at the cap waits; one in a handler goes over
  /// it.
  std::size_t memory_cap = std::size_t{64} << 20;
  /// An item leaves its sender after that time, by the next call of the sender that looks: progress, flush, a wait, or
  /// a send that fills a buffer. 0: when its buffer is full or flushed, or the sender goes to sleep in a wait.
  std::chrono::nanoseconds latency{0};
  pure::scheme how = scheme::automatic;
  pure::hops over = hops::automatic;
  bool measure_latency = false;  ///< for stats().latency: the clock is read twice for a buffer
  std::string name = {};         ///< for errors and hang reports
};

/// What a handler may ask for as its second argument.
struct sender {
  int rank;  ///< of the comm
};

struct urgent_t {};
inline constexpr urgent_t urgent{};

/// What is sent as an item: copied as bytes, and no pointer.
template <class T>
concept item_value = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && std::is_object_v<T> &&
                     !std::is_array_v<T> && std::same_as<T, std::remove_cv_t<T>>;

/// Gets items one by one, or as many as lie together, in their order; from whom, if it asks.
template <class H, class T>
concept item_handler = std::invocable<H&, const T&> || std::invocable<H&, const T&, sender> ||
    std::invocable<H&, std::span<const T>> || std::invocable<H&, std::span<const T>, sender>;

/// A handler for tables that no cache holds: while it handles an item, the places of later ones are on their way to the
/// core. place(item) is the address that handler(item), or handler(item, sender), will read or write; it is called once
/// for each item, `ahead` items before.
template <class Place, class H>
class prefetched {
 public:
  static constexpr std::size_t ahead = 16;

  prefetched(Place place, H handler) : place_(std::move(place)), handler_(std::move(handler)) {}

  template <class T>
  requires std::invocable<Place&, const T&>
  void operator()(std::span<const T> items, sender from) {
    for (const T& each : items.first(std::min(ahead, items.size()))) fetch(each);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i + ahead < items.size()) fetch(items[i + ahead]);
      if constexpr (std::invocable<H&, const T&, sender>) {
        handler_(items[i], from);
      } else {
        handler_(items[i]);
      }
    }
  }

 private:
  template <class T>
  void fetch(const T& item) {
    __builtin_prefetch(place_(item), 1);
  }

  Place place_;
  H handler_;
};

/// Where items of a type are sent. A small handle of the aggregation that has made it; to send by it after the
/// aggregation's end is an error (state).
template <class T>
class channel {
 public:
  using here = call_site;

  /// `item` will be handled on rank `dest`, and behind all items that this rank has sent there on this channel before
  /// (but for those that are urgent or combined). Waits, handling what comes, if `dest` has not handled enough of what
  /// it was sent, or the memory cap is reached; never in a handler. Errors: rank; no_memory (the item is not sent, and
  /// nothing else is lost).
  void send(const T& item, int dest, here at = here::current()) const {
    if (!by_.has(dest)) [[unlikely]]
      detail::throw_no_destination(by_, at, dest);
    detail::item_route& route = by_.routes[dest];
    std::byte* const place = route.at;
    route.at = place + sizeof(T);
    const bool was_last = place + sizeof(T) == route.end;
    std::memcpy(place, &item, sizeof(T));
    if (was_last) [[unlikely]]
      detail::route_is_full(*by_.channel, at, dest);
  }
  /// At once, in a buffer of its own, and before all that waits for its handling there. Urgent items of one sender keep
  /// their order.
  void send(const T& item, int dest, urgent_t, here at = here::current()) const {
    if (!by_.has(dest)) [[unlikely]]
      detail::throw_no_destination(by_, at, dest);
    detail::send_urgent(*by_.channel, at, reinterpret_cast<const std::byte*>(&item), dest);
  }

 private:
  friend class aggregation;
  explicit channel(const detail::item_sends& by) noexcept : by_(by) {}

  detail::item_sends by_;
};

/// Questions to other ranks, whose answers come back with the asker's token.
template <class Q>
class query {
  static_assert(item_value<Q>, "Pure: questions are trivially copyable, and no pointers.");

 public:
  using here = call_site;

  /// The answer handler of `dest` is asked; what it returns goes to this rank's reply handler, with the token.
  void ask(const Q& question, int dest, std::uint64_t token = 0, here at = here::current()) const {
    asked_.send({question, token}, dest, at);
  }

 private:
  friend class aggregation;
  struct asked {
    Q question;
    std::uint64_t token;
  };
  explicit query(const channel<asked>& by) noexcept : asked_(by) {}

  channel<asked> asked_;
};

class aggregation {
 public:
  using here = call_site;

  /// Collective. Errors, of all ranks alike: argument (a cap or size that cannot be), mismatch (other options),
  /// no_memory.
  explicit aggregation(const comm& on, const aggregation_options& options = {}, here at = here::current())
      : on_(detail::make_aggregation(*on.on_, at, request(options))),
        site_(at),
        exceptions_(std::uncaught_exceptions()) {}
  aggregation(const aggregation&) = delete;
  aggregation& operator=(const aggregation&) = delete;
  /// This rank uses it no longer. Does not block. Items that are not finished are an error, which ends the job:
  /// handlers cannot run any more, for what they use may be gone. Where an exception is on its way, nothing is said.
  ~aggregation() { detail::end_aggregation(*on_, site_, std::uncaught_exceptions() > exceptions_); }

  /// A channel for items of type T, which handler(const T&), or handler(const T&, sender), gets; or
  /// handler(std::span<const T>), with or without sender, those of one sender that lie together. All ranks make the
  /// same channels in the same order, in the phase in which they are first used; a handler is the rank's own. If a
  /// handler throws, the job ends with that. Errors: mismatch, no_memory. (T has at most 17334 bytes.)
  template <class T, item_handler<T> H>
  [[nodiscard]] channel<T> on(H handler, here at = here::current()) {
    require_item<T>();
    struct state {
      H handler;
    };
    return made<T>(std::make_unique<state>(state{std::move(handler)}), nullptr, at);
  }
  /// The same; combine(waiting, next) is called for an item that is sent, with one of the last eight that wait for the
  /// same rank, the newest first: true if `waiting` now stands for both, and `next` need not be sent.
  template <class T, item_handler<T> H, std::invocable<T&, const T&> C>
  requires std::convertible_to < std::invoke_result_t<C&, T&, const T&>,
  bool > [[nodiscard]] channel<T> on(H handler, C combine, here at = here::current()) {
    require_item<T>();
    struct state {
      H handler;
      C combine;
    };
    const auto absorb = [](void* context, std::byte* waiting, std::size_t count, const std::byte* next) {
      return detail::in_program([=] {
        T* const items = reinterpret_cast<T*>(waiting);
        const std::size_t oldest = count > combined_with ? count - combined_with : 0;
        for (std::size_t i = count; i > oldest; --i) {
          if (static_cast<state*>(context)->combine(items[i - 1], *reinterpret_cast<const T*>(next))) return true;
        }
        return false;
      });
    };
    return made<T>(std::make_unique<state>(state{std::move(handler), std::move(combine)}), +absorb, at);
  }
  /// Questions of type Q: answer(const Q&) runs on the rank that is asked, and reply(answer, token) on the one that has
  /// asked. Two channels.
  template <class Q, std::invocable<const Q&> Answer, class Reply>
  requires std::invocable < Reply&, const std::invoke_result_t<Answer&, const Q&>
  &, std::uint64_t > [[nodiscard]] query<Q> on_query(Answer answer, Reply reply, here at = here::current()) {
    using answered = std::remove_cvref_t<std::invoke_result_t<Answer&, const Q&>>;
    require_item<answered>();
    struct answer_item {
      answered value;
      std::uint64_t token;
    };
    auto replies = on<answer_item>(
        [reply = std::move(reply)](const answer_item& each) mutable { reply(each.value, each.token); }, at);
    using asked = typename query<Q>::asked;
    return query<Q>(on<asked>(
        [answer = std::move(answer), replies](const asked& each, sender from) mutable {
          replies.send({answer(each.question), each.token}, from.rank);
        },
        at));
  }

  /// Sends off what waits for that rank, or for all. Does not block; then handles some of what has come, as progress().
  /// Errors: rank, no_memory (what has not left still waits).
  void flush(here at = here::current()) { detail::flush_items(*on_, at); }
  void flush(int dest, here at = here::current()) { detail::flush_items_to(*on_, at, dest); }

  /// Handles what has come, at most 64 buffers at a time. False if nothing had, and always in a handler.
  bool progress(here at = here::current()) { return detail::progress_items(*on_, at); }

  /// Collective. Returns when every item that any rank has sent, and that handlers have sent meanwhile, is handled;
  /// what handlers have stored anywhere is visible then. What is sent afterwards belongs to the next phase. Errors:
  /// mismatch (channels), state (a rank has ended its part).
  void finish(here at = here::current()) { detail::finish_items(*on_, at, nullptr, nullptr); }
  /// The same for local work that items make, and that sends items: work() does some of it, and returns false if there
  /// is none; it is asked again when an item has been handled. Only this aggregation's handlers make new work.
  template <std::invocable Work>
  requires std::convertible_to < std::invoke_result_t<Work&>,
  bool > void finish_with(Work work, here at = here::current()) {
    detail::finish_items(
        *on_, at,
        [](void* context) -> bool {
          return detail::in_program([=]() -> bool { return (*static_cast<Work*>(context))(); });
        },
        std::addressof(work));
  }

  /// What this rank has done so far.
  [[nodiscard]] aggregation_stats stats(here at = here::current()) const { return detail::stats_of_items(*on_, at); }

 private:
  static constexpr std::size_t combined_with = 8;

  static detail::aggregation_request request(const aggregation_options& options) {
    return {.buffer_bytes = options.buffer_bytes,
            .memory_cap = options.memory_cap,
            .latency_ns = options.latency.count(),
            .scheme = static_cast<int>(options.how),
            .hops = static_cast<int>(options.over),
            .measures_latency = options.measure_latency,
            .name = options.name.data(),
            .name_length = options.name.size()};
  }

  template <class T>
  static constexpr void require_item() {
    static_assert(item_value<T>, "Pure: items are trivially copyable objects, and no pointers.");
    static_assert(sizeof(T) <= detail::most_item_bytes, "Pure: an item has to fit into a packet (17334 bytes).");
    static_assert(alignof(T) <= 64, "Pure: items are aligned to at most 64 bytes.");
  }

  template <class T, class H>
  static void handle_all(H& handler, const T* first, std::size_t count, sender from) {
    if constexpr (std::invocable<H&, const T&, sender>) {
      for (const T* each = first; each != first + count; ++each) handler(*each, from);
    } else if constexpr (std::invocable<H&, const T&>) {
      for (const T* each = first; each != first + count; ++each) handler(*each);
    } else if constexpr (std::invocable<H&, std::span<const T>, sender>) {
      handler(std::span<const T>(first, count), from);
    } else {
      handler(std::span<const T>(first, count));
    }
  }

  template <class T, class State>
  channel<T> made(std::unique_ptr<State> state, detail::items_combiner combine, call_site at) {
    detail::channel_request wanted;
    wanted.item_bytes = sizeof(T);
    wanted.alignment = alignof(T);
    wanted.type = typeid(T).name();
    wanted.handle = [](void* context, const std::byte* items, std::size_t count, int source) {
      detail::in_program([=] {
        handle_all(static_cast<State*>(context)->handler, reinterpret_cast<const T*>(items), count, sender{source});
      });
    };
    wanted.combine = combine;
    wanted.destroy = [](void* context) noexcept { delete static_cast<State*>(context); };
    wanted.context = state.release();
    return channel<T>(detail::make_channel(*on_, at, wanted));
  }

  core::aggregation* on_;
  call_site site_;
  int exceptions_;
};

}  // namespace pure
