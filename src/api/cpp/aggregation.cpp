// The library side of pure::aggregation (pure/detail/aggregation.hpp).
#include <pure/detail/aggregation.hpp>

#include "aggregation/create.hpp"
#include "api/cpp/door.hpp"

namespace pure::detail {

using core::call;

core::aggregation* make_aggregation(core::communicator& on, pure_call_site site, const aggregation_request& wanted) {
  const call by{"aggregation", site};
  check_owner(on, by);
  return &core::make_aggregation(on, by,
                                 {.buffer_bytes = wanted.buffer_bytes,
                                  .memory_cap = wanted.memory_cap,
                                  .latency_ns = wanted.latency_ns,
                                  .scheme = static_cast<core::item_scheme>(wanted.scheme),
                                  .hops = static_cast<core::item_hops>(wanted.hops),
                                  .measures_latency = wanted.measures_latency,
                                  .name = wanted.name});
}

void end_aggregation(core::aggregation& unused, pure_call_site site, bool is_unwinding) noexcept {
  core::end_aggregation(unused, {"aggregation", site}, is_unwinding);
}

item_sends make_channel(core::aggregation& of, pure_call_site site, const channel_request& wanted) {
  return of.make_channel({"aggregation::on", site}, wanted).sends();
}

void route_is_full(core::item_channel& of, pure_call_site site, int dest) {
  of.route_is_full({"channel::send", site}, dest);
}

void send_urgent(core::item_channel& of, pure_call_site site, const std::byte* item, int dest) {
  of.send_urgent({"channel::send", site}, item, dest);
}

void throw_no_destination(const item_sends& of, pure_call_site site, int dest) {
  core::item_channel::throw_no_destination({"channel::send", site}, of, dest);
}

void flush_items(core::aggregation& of, pure_call_site site) { of.flush({"aggregation::flush", site}); }
void flush_items_to(core::aggregation& of, pure_call_site site, int dest) {
  of.flush({"aggregation::flush", site}, dest);
}

bool progress_items(core::aggregation& of, pure_call_site site) { return of.progress({"aggregation::progress", site}); }

void finish_items(core::aggregation& of, pure_call_site site, bool (*work)(void* context), void* context) {
  of.finish({work == nullptr ? "aggregation::finish" : "aggregation::finish_with", site}, work, context);
}

aggregation_stats stats_of_items(const core::aggregation& of, pure_call_site site) {
  return of.stats({"aggregation::stats", site});
}

}  // namespace pure::detail
