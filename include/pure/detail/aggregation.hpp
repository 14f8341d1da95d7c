// The functions and words of libpure behind pure::aggregation and pure_agg_*. Not for programs, but for the two
// structures of namespace pure, which pure/aggregation.hpp documents.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>

namespace pure::core {
class aggregation;
class communicator;
class item_channel;
}  // namespace pure::core

namespace pure {

/// What one rank has done with an aggregation, since it was made. Counts of items and of the buffers in which they
/// travel.
struct aggregation_stats {
  std::uint64_t sent = 0;         ///< items, without those that were combined into others
  std::uint64_t handled = 0;      ///< items
  std::uint64_t combined = 0;     ///< items that were absorbed by one that waited
  std::uint64_t urgent = 0;       ///< of `sent`
  std::uint64_t buffers = 0;      ///< sent; to other processes: packets
  std::uint64_t partial = 0;      ///< of `buffers`: not full
  std::uint64_t room = 0;         ///< how many items had fit into `buffers`: their fill is (sent - urgent) / room
  std::uint64_t received = 0;     ///< buffers
  std::uint64_t over_credit = 0;  ///< buffers that handlers have sent though the receiver had not read enough of others
  std::uint64_t over_cap_bytes = 0;  ///< by how much handlers have gone over the memory cap, at most
  std::uint64_t peak_bytes = 0;      ///< of buffers that were open, or sent and not handled yet
  std::uint64_t phases = 0;          ///< finished

  static constexpr std::size_t latency_steps = 40;
  /// Buffers that were handled here, by the time from their first item's send to their handling: step k counts those of
  /// 2^k ns to twice that. Empty unless options, --stats or --trace ask for it.
  std::array<std::uint64_t, latency_steps> latency{};
};

}  // namespace pure

namespace pure::detail {

/// Where the next item for a destination goes; `end` is never reached between two sends.
struct item_route {
  std::byte* at;
  std::byte* end;
};

/// What an item may be long: alone in a packet between processes, with what says whose it is.
inline constexpr std::size_t most_item_bytes = 17334;

/// A word that outlives the channel that has it, and that another one gets later. It is the channel's tag and its
/// number of ranks together; 0 when the channel has ended. Later channels have smaller tags, by 2^32 at least. So one
/// comparison finds destinations out of range, and channels that have ended.
using channel_word = std::atomic<std::uint64_t>;
inline const channel_word no_channel{0};

/// What a send needs of a channel. May be used when it has ended, as far as has() says.
struct item_sends {
  item_route* routes = nullptr;  // by destination
  const channel_word* word = &no_channel;
  std::uint64_t tag = 0;
  core::item_channel* channel = nullptr;

  [[nodiscard]] bool has(int dest) const noexcept {
    return tag + static_cast<unsigned>(dest) < word->load(std::memory_order_relaxed);
  }
};

/// Handles a buffer's items, which all come from rank `source` of the communicator. Functions of the program may throw
/// (in_program).
using items_handler = void (*)(void* context, const std::byte* items, std::size_t count, int source);
/// True if one of the waiting items, the newest last, has absorbed `next`.
using items_combiner = bool (*)(void* context, std::byte* waiting, std::size_t count, const std::byte* next);

/// What a channel is made of.
struct channel_request {
  std::size_t item_bytes = 0;
  std::size_t alignment = 1;
  const char* type = nullptr;  // of the items, as typeid names it; null: only their size is known
  items_handler handle = nullptr;
  items_combiner combine = nullptr;
  void* context = nullptr;
  void (*destroy)(void* context) noexcept = nullptr;  // null: the context is the program's
};

struct aggregation_request {
  std::size_t buffer_bytes = 0;
  std::size_t memory_cap = 0;
  std::int64_t latency_ns = 0;
  int scheme = 0;
  int hops = 0;
  bool measures_latency = false;
  const char* name = "";
  std::size_t name_length = 0;
};

extern "C" {
PURE_API failure* pure_cxx_make_aggregation(core::communicator* on, pure_call_site site,
                                            const aggregation_request* wanted, core::aggregation** made);
PURE_API void pure_cxx_end_aggregation(core::aggregation* unused, pure_call_site site, bool is_unwinding) noexcept;
PURE_API failure* pure_cxx_make_channel(core::aggregation* of, pure_call_site site, const channel_request* wanted,
                                        item_sends* sends);
PURE_API failure* pure_cxx_route_is_full(core::item_channel* of, pure_call_site site, int dest);
PURE_API failure* pure_cxx_send_urgent(core::item_channel* of, pure_call_site site, const std::byte* item, int dest);
PURE_API failure* pure_cxx_no_destination(const item_sends* of, pure_call_site site, int dest);
PURE_API failure* pure_cxx_flush_items(core::aggregation* of, pure_call_site site);
PURE_API failure* pure_cxx_flush_items_to(core::aggregation* of, pure_call_site site, int dest);
PURE_API failure* pure_cxx_progress_items(core::aggregation* of, pure_call_site site, bool* had_come);
PURE_API failure* pure_cxx_finish_items(core::aggregation* of, pure_call_site site, bool (*work)(void* context),
                                        void* context);
PURE_API failure* pure_cxx_stats_of_items(const core::aggregation* of, pure_call_site site, aggregation_stats* stats);
}

inline core::aggregation* make_aggregation(core::communicator& on, pure_call_site site,
                                           const aggregation_request& wanted) {
  core::aggregation* made = nullptr;
  check(pure_cxx_make_aggregation(&on, site, &wanted, &made));
  return made;
}
/// By the destructor: `is_unwinding` where an exception is on its way.
inline void end_aggregation(core::aggregation& unused, pure_call_site site, bool is_unwinding) noexcept {
  pure_cxx_end_aggregation(&unused, site, is_unwinding);
}
/// Destroys the context if it fails.
inline item_sends make_channel(core::aggregation& of, pure_call_site site, const channel_request& wanted) {
  item_sends sends;
  check(pure_cxx_make_channel(&of, site, &wanted, &sends));
  return sends;
}

/// An item has been written to the last place of its route.
inline void route_is_full(core::item_channel& of, pure_call_site site, int dest) {
  check(pure_cxx_route_is_full(&of, site, dest));
}
inline void send_urgent(core::item_channel& of, pure_call_site site, const std::byte* item, int dest) {
  check(pure_cxx_send_urgent(&of, site, item, dest));
}
/// The channel has no such rank, or has ended with its aggregation.
[[noreturn]] inline void throw_no_destination(const item_sends& of, pure_call_site site, int dest) {
  throw_failure(pure_cxx_no_destination(&of, site, dest));
}

inline void flush_items(core::aggregation& of, pure_call_site site) { check(pure_cxx_flush_items(&of, site)); }
inline void flush_items_to(core::aggregation& of, pure_call_site site, int dest) {
  check(pure_cxx_flush_items_to(&of, site, dest));
}
inline bool progress_items(core::aggregation& of, pure_call_site site) {
  bool had_come = false;
  check(pure_cxx_progress_items(&of, site, &had_come));
  return had_come;
}
/// `work` may be null.
inline void finish_items(core::aggregation& of, pure_call_site site, bool (*work)(void* context), void* context) {
  check(pure_cxx_finish_items(&of, site, work, context));
}
inline aggregation_stats stats_of_items(const core::aggregation& of, pure_call_site site) {
  aggregation_stats stats;
  check(pure_cxx_stats_of_items(&of, site, &stats));
  return stats;
}

}  // namespace pure::detail
