// Aggregations of pure.h: millions of small items to handlers on other ranks. Part of pure.h.
//
// Items for one rank travel together, in buffers; a handler gets a buffer's items in one call. It runs on the thread of
// the rank that receives them, one at a time, inside that rank's calls: in sends, pure_agg_flush, _progress, _finish,
// and in any wait for messages, collectives and the like. A handler may send, flush, and ask for statistics, which
// never waits there; other calls of Pure are errors in it (PURE_ERR_STATE). It throws nothing but what shall end the
// job.
//
// What is promised: docs/aggregation.md. Errors of all: PURE_ERR_STATE
// (called inside a task, by another thread, or in a handler), PURE_ERR_ARG.
#ifndef PURE_AGGREGATION_H
#define PURE_AGGREGATION_H

#include <pure.h>

#include <cstring>

#include <pure/detail/aggregation.hpp>

/// A handle of the rank that has made it with the others.
enum pure_agg : std::uint64_t { PURE_AGG_NULL = 0 };

/// Which items share a packet to another process; in a process it is always WW (pure/aggregation.hpp).
enum pure_agg_scheme : int { PURE_AGG_AUTOMATIC = 0, PURE_AGG_WW, PURE_AGG_WPS, PURE_AGG_WSP, PURE_AGG_PP };

/// Over which processes items travel to others (pure/aggregation.hpp).
enum pure_agg_hops : int {
  PURE_AGG_HOPS_AUTOMATIC = 0,
  PURE_AGG_HOPS_DIRECT,
  PURE_AGG_HOPS_MACHINE,
  PURE_AGG_HOPS_GRID
};

/// The same on all ranks, but for the name.
struct pure_agg_options {
  std::int64_t buffer_bytes = 0;  ///< of a buffer's items, at most 17344; 0: from 64 items to 1024, as they fill
  std::int64_t memory_cap = std::int64_t{64} << 20;  ///< of a rank's buffers that are open, or not handled yet
  std::int64_t latency_ns = 0;  ///< an item leaves its sender after that time, by its next call that looks; 0: no bound
  pure_agg_scheme scheme = PURE_AGG_AUTOMATIC;
  pure_agg_hops hops = PURE_AGG_HOPS_AUTOMATIC;
  int measure_latency = 0;     ///< for the histogram of pure_agg_get_stats
  const char* name = nullptr;  ///< for errors and hang reports; null: one is made up
};

/// Where items of one kind are sent, until the aggregation is freed: from then on sends are PURE_ERR_STATE. The program
/// looks at no member.
struct pure_agg_channel {
  pure::detail::item_sends sends = {};
  std::size_t item_bytes = 0;
};

/// Gets `count` items, all from rank `source` of the communicator.
typedef void (*pure_agg_handler)(void* context, const void* items, std::size_t count, int source);
/// Does some work, and returns 0 if there is none.
typedef int (*pure_agg_work)(void* context);

/// Collective. `options` may be null. Errors, of all ranks alike: PURE_ERR_ARG (a cap or size that cannot be),
/// _MISMATCH, _NO_MEM.
PURE_API int pure_agg_create(pure_comm comm, const pure_agg_options* options, pure_agg* agg,
                             pure_call_site site = pure_call_site::current());
/// A channel for items of so many bytes, 1 to 17334. All ranks make the same ones in the same order, in the phase in
/// which they are first used; handler and context are the rank's own. Errors: PURE_ERR_MISMATCH, _NO_MEM.
PURE_API int pure_agg_on(pure_agg agg, std::size_t item_bytes, pure_agg_handler handler, void* context,
                         pure_agg_channel* channel, pure_call_site site = pure_call_site::current());
/// The item will be handled on rank `dest`, behind all that this rank has sent there on this channel before. Waits,
/// handling what comes, if `dest` has not handled enough of what it was sent, or the memory cap is reached; never in a
/// handler. Errors: PURE_ERR_RANK, _NO_MEM: the item has not been sent, and nothing else is lost.
inline int pure_agg_send(const pure_agg_channel& channel, const void* item, int dest,
                         pure_call_site site = pure_call_site::current());
/// At once, and before all that waits for its handling there.
PURE_API int pure_agg_send_urgent(const pure_agg_channel& channel, const void* item, int dest,
                                  pure_call_site site = pure_call_site::current());
/// Sends off what waits for a rank, or for all. Does not block; then handles some of what has come, as progress does.
/// Errors: PURE_ERR_RANK, _NO_MEM: what has not left still waits.
PURE_API int pure_agg_flush(pure_agg agg, int dest, pure_call_site site = pure_call_site::current());
PURE_API int pure_agg_flush_all(pure_agg agg, pure_call_site site = pure_call_site::current());
/// Handles what has come, at most 64 buffers at a time. *flag (which may be null) is 0 if nothing had, and always in a
/// handler.
PURE_API int pure_agg_progress(pure_agg agg, int* flag, pure_call_site site = pure_call_site::current());
/// Collective. Returns when every item of all ranks, and all that handlers and work have sent meanwhile, are handled.
/// Errors: PURE_ERR_MISMATCH (channels).
PURE_API int pure_agg_finish(pure_agg agg, pure_call_site site = pure_call_site::current());
PURE_API int pure_agg_finish_with(pure_agg agg, pure_agg_work work, void* context,
                                  pure_call_site site = pure_call_site::current());
/// What this rank has done so far.
PURE_API int pure_agg_get_stats(pure_agg agg, pure::aggregation_stats* stats,
                                pure_call_site site = pure_call_site::current());
/// This rank uses it no longer: *agg is PURE_AGG_NULL. Does not block. Errors: PURE_ERR_STATE, where items were sent,
/// or have come, since the last finish: they are lost.
PURE_API int pure_agg_free(pure_agg* agg, pure_call_site site = pure_call_site::current());

/// For pure_agg_send: an item is in the last place of its route; or there is no such rank, or no channel.
PURE_API int pure_agg_send_last(const pure_agg_channel& channel, int dest, pure_call_site site);

inline int pure_agg_send(const pure_agg_channel& channel, const void* item, int dest, pure_call_site site) {
  if (!channel.sends.has(dest)) return pure_agg_send_last(channel, dest, site);
  pure::detail::item_route& route = channel.sends.routes[dest];
  std::byte* const place = route.at;
  const std::size_t bytes = channel.item_bytes;
  route.at = place + bytes;
  const bool was_last = place + bytes == route.end;
  if (bytes == 8) {  // a copy of a known length is an instruction
    std::memcpy(place, item, 8);
  } else if (bytes == 16) {
    std::memcpy(place, item, 16);
  } else {
    std::memcpy(place, item, bytes);
  }
  return was_last ? pure_agg_send_last(channel, dest, site) : static_cast<int>(PURE_SUCCESS);
}

#endif  // PURE_AGGREGATION_H
