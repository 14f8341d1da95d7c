// pure.h, aggregations (pure/aggregation.h).
#include <pure.h>

#include <fmt/core.h>

#include <cstdint>
#include <optional>

#include "aggregation/aggregation_table.hpp"
#include "aggregation/create.hpp"
#include "api/c/door.hpp"
#include "runtime/call_error.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// Also in a handler. Throws argument for a handle that names none.
aggregation& aggregation_of(const call& by, pure_agg agg) {
  rank_context* const rank = rank_of_thread();
  const bool is_in_handler = rank != nullptr && self() == nullptr && !rank->owner().is_helper(*rank) &&
                             aggregation_table::of(*rank).is_in_handler();
  rank_context& owner = is_in_handler ? *rank : rank_of(by);
  aggregation* const found = aggregation_table::of(owner).find(static_cast<std::uint64_t>(agg));
  if (found == nullptr) [[unlikely]]
    throw_wrong_call(by, errc::argument, why_unknown(owner, static_cast<std::uint64_t>(agg), "aggregation"));
  return *found;
}

void require_not_null(const call& by, const void* pointer, const char* name) {
  if (pointer == nullptr) [[unlikely]]
    throw_wrong_call(by, errc::argument, fmt::format("the pointer `{}` is null", name));
}

std::size_t size_from(const call& by, std::int64_t bytes, const char* name) {
  if (bytes < 0) throw_wrong_call(by, errc::argument, fmt::format("{} is {}, which is negative", name, bytes));
  return static_cast<std::size_t>(bytes);
}

aggregation_options options_from(const call& by, const pure_agg_options& from) {
  return {.buffer_bytes = size_from(by, from.buffer_bytes, "buffer_bytes"),
          .memory_cap = size_from(by, from.memory_cap, "memory_cap"),
          .latency_ns = from.latency_ns,
          .scheme = static_cast<item_scheme>(from.scheme),
          .hops = static_cast<item_hops>(from.hops),
          .measures_latency = from.measure_latency != 0,
          .name = from.name == nullptr ? "" : from.name};
}

/// The handler of a channel of pure.h.
struct c_handler {
  pure_agg_handler handle;
  void* context;
};

/// Throws argument, state, rank.
item_channel& channel_of(const call& by, const pure_agg_channel& channel, int dest) {
  if (channel.sends.channel == nullptr) throw_wrong_call(by, errc::argument, "the channel was not made");
  if (!channel.sends.has(dest)) item_channel::throw_no_destination(by, channel.sends, dest);
  return *channel.sends.channel;
}

void finish(const call& by, pure_agg agg, pure_agg_work work, void* context) {
  struct c_work {
    pure_agg_work work;
    void* context;
    const char* operation;
  } its{work, context, by.operation};
  const auto call_it = [](void* all) {
    const auto& given = *static_cast<c_work*>(all);
    return run_callback(given.operation, [&] { return given.work(given.context) != 0; });
  };
  aggregation_of(by, agg).finish(by, work == nullptr ? nullptr : +call_it, &its);
}

}  // namespace

int pure_agg_create(pure_comm comm, const pure_agg_options* options, pure_agg* agg, pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    const pure_agg_options none;
    aggregation_options wanted;
    std::optional<pure::Error> wrong;
    try {
      require(on, by, agg, "agg");
      wanted = options_from(by, options == nullptr ? none : *options);
    } catch (const pure::Error& error) {
      wrong.emplace(error);
    }
    *agg = static_cast<pure_agg>(make_aggregation(on, by, wanted, wrong).handle());
  });
}

int pure_agg_on(pure_agg agg, std::size_t item_bytes, pure_agg_handler handler, void* context,
                pure_agg_channel* channel, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    aggregation& of = aggregation_of(by, agg);
    require_not_null(by, channel, "channel");
    if (handler == nullptr) throw_wrong_call(by, errc::argument, "the handler is null");
    pure::detail::channel_request wanted;
    wanted.item_bytes = item_bytes;
    wanted.context = new c_handler{handler, context};  // make_channel() destroys it, whatever happens
    wanted.handle = [](void* both, const std::byte* items, std::size_t count, int source) {
      const auto& its = *static_cast<c_handler*>(both);
      its.handle(its.context, items, count, source);
    };
    wanted.destroy = [](void* both) noexcept { delete static_cast<c_handler*>(both); };
    *channel = {of.make_channel(by, wanted).sends(), item_bytes};
  });
}

int pure_agg_send_last(const pure_agg_channel& channel, int dest, pure_call_site site) {
  const call by{"pure_agg_send", site};
  return c_door([&] { channel_of(by, channel, dest).route_is_full(by, dest); });
}

int pure_agg_send_urgent(const pure_agg_channel& channel, const void* item, int dest, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    item_channel& to = channel_of(by, channel, dest);
    require_not_null(by, item, "item");
    to.send_urgent(by, static_cast<const std::byte*>(item), dest);
  });
}

int pure_agg_flush(pure_agg agg, int dest, pure_call_site site) {
  return c_call(site, [&](const call& by) { aggregation_of(by, agg).flush(by, dest); });
}

int pure_agg_flush_all(pure_agg agg, pure_call_site site) {
  return c_call(site, [&](const call& by) { aggregation_of(by, agg).flush(by); });
}

int pure_agg_progress(pure_agg agg, int* flag, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const bool has_moved = aggregation_of(by, agg).progress(by);
    if (flag != nullptr) *flag = has_moved ? 1 : 0;
  });
}

int pure_agg_finish(pure_agg agg, pure_call_site site) {
  return c_door([&] { finish({"pure_agg_finish", site}, agg, nullptr, nullptr); });
}

int pure_agg_finish_with(pure_agg agg, pure_agg_work work, void* context, pure_call_site site) {
  return c_door([&] { finish({"pure_agg_finish_with", site}, agg, work, context); });
}

int pure_agg_get_stats(pure_agg agg, pure::aggregation_stats* stats, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const aggregation& of = aggregation_of(by, agg);
    require_not_null(by, stats, "stats");
    *stats = of.stats(by);
  });
}

int pure_agg_free(pure_agg* agg, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_not_null(by, agg, "agg");
    rank_of(by);  // not in a handler
    aggregation& unused = aggregation_of(by, *agg);
    if (unused.now() != aggregation::stage::finishing) *agg = PURE_AGG_NULL;
    free_aggregation(unused, by);
  });
}
