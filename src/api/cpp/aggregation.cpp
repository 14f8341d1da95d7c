// The library side of pure::aggregation (pure/detail/aggregation.hpp).
#include <pure/detail/aggregation.hpp>

#include "aggregation/create.hpp"
#include "api/cpp/door.hpp"

namespace pure::detail {

using core::call;

failure* pure_cxx_make_aggregation(core::communicator* on, pure_call_site site, const aggregation_request* wanted,
                                   core::aggregation** made) {
  return on_communicator(on, "aggregation", site, [&](core::communicator& own, const call& by) {
    *made = &core::make_aggregation(own, by,
                                    {.buffer_bytes = wanted->buffer_bytes,
                                     .memory_cap = wanted->memory_cap,
                                     .latency_ns = wanted->latency_ns,
                                     .scheme = static_cast<core::item_scheme>(wanted->scheme),
                                     .hops = static_cast<core::item_hops>(wanted->hops),
                                     .measures_latency = wanted->measures_latency,
                                     .name = {wanted->name, wanted->name_length}});
  });
}

void pure_cxx_end_aggregation(core::aggregation* unused, pure_call_site site, bool is_unwinding) noexcept {
  core::end_aggregation(*unused, {"aggregation", site}, is_unwinding);
}

failure* pure_cxx_make_channel(core::aggregation* of, pure_call_site site, const channel_request* wanted,
                               item_sends* sends) {
  return at_boundary([&] { *sends = of->make_channel({"aggregation::on", site}, *wanted).sends(); });
}

failure* pure_cxx_route_is_full(core::item_channel* of, pure_call_site site, int dest) {
  return at_boundary([&] { of->route_is_full({"channel::send", site}, dest); });
}

failure* pure_cxx_send_urgent(core::item_channel* of, pure_call_site site, const std::byte* item, int dest) {
  return at_boundary([&] { of->send_urgent({"channel::send", site}, item, dest); });
}

failure* pure_cxx_no_destination(const item_sends* of, pure_call_site site, int dest) {
  return at_boundary([&] { core::item_channel::throw_no_destination({"channel::send", site}, *of, dest); });
}

failure* pure_cxx_flush_items(core::aggregation* of, pure_call_site site) {
  return at_boundary([&] { of->flush({"aggregation::flush", site}); });
}

failure* pure_cxx_flush_items_to(core::aggregation* of, pure_call_site site, int dest) {
  return at_boundary([&] { of->flush({"aggregation::flush", site}, dest); });
}

failure* pure_cxx_progress_items(core::aggregation* of, pure_call_site site, bool* had_come) {
  return at_boundary([&] { *had_come = of->progress({"aggregation::progress", site}); });
}

failure* pure_cxx_finish_items(core::aggregation* of, pure_call_site site, bool (*work)(void* context), void* context) {
  return at_boundary([&] {
    of->finish({work == nullptr ? "aggregation::finish" : "aggregation::finish_with", site}, work, context);
  });
}

failure* pure_cxx_stats_of_items(const core::aggregation* of, pure_call_site site, aggregation_stats* stats) {
  return at_boundary([&] { *stats = of->stats({"aggregation::stats", site}); });
}

}  // namespace pure::detail
