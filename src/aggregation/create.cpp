#include "aggregation/create.hpp"

#include <fmt/core.h>

#include <atomic>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "base/text.hpp"
#include "coll/collective.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

using detail::collective;
using detail::collective_arguments;

/// Two of the largest buffers: one on its way while another one is filled.
constexpr std::size_t least_cap = 2 * item_buffer::bytes_with_head(item_buffer::classes - 1);

/// What a rank tells all others.
struct aggregation_offer {
  aggregation_part* part = nullptr;  // of rank 0
  std::size_t buffer_bytes = 0;
  std::size_t memory_cap = 0;
  std::int64_t latency_ns = 0;
  item_scheme scheme = item_scheme::automatic;
  bool measures_latency = false;
  bool has_no_memory = false;

  [[nodiscard]] bool asks_for_the_same_as(const aggregation_offer& other) const noexcept {
    return buffer_bytes == other.buffer_bytes && memory_cap == other.memory_cap && latency_ns == other.latency_ns &&
           scheme == other.scheme && measures_latency == other.measures_latency;
  }
};

[[noreturn]] void throw_wrong_options(const communicator& on, const call& by, errc code, const std::string& text) {
  throw call_error(by, code, fmt::format("rank {} of {}: {}", on.rank(), on.name(), text));
}

void run_all(communicator& on, const call& by, aggregation_offer& own, std::vector<aggregation_offer>* all) {
  collective_arguments what;
  what.kind = all == nullptr ? collective::barrier : collective::allgather;
  if (all != nullptr) {
    what.send = &own;
    what.count = sizeof own;
    what.element_bytes = 1;
    what.recv = all->data();
    what.recv_blocks.block_bytes = sizeof own;
  }
  run_collective(on, by, what);
}

/// The options that a rank has passed, as it finds them in its offer: all find the same.
void check(const communicator& on, const call& by, const std::vector<aggregation_offer>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const aggregation_offer& its = all[rank];
    if (its.buffer_bytes > item_buffer::most_bytes) {
      throw_wrong_options(on, by, errc::argument,
                          fmt::format("rank {} asks for buffers of {} bytes: they have at most {}, which fit into a "
                                      "packet",
                                      rank, its.buffer_bytes, item_buffer::most_bytes));
    }
    if (its.memory_cap < least_cap) {
      throw_wrong_options(on, by, errc::argument,
                          fmt::format("rank {} asks for a memory cap of {} bytes: it is at least {}, for two buffers",
                                      rank, its.memory_cap, least_cap));
    }
    if (its.latency_ns < 0)
      throw_wrong_options(on, by, errc::argument, fmt::format("rank {} asks for a negative latency bound", rank));
    if (static_cast<unsigned>(its.scheme) > static_cast<unsigned>(item_scheme::pp))
      throw_wrong_options(
          on, by, errc::argument,
          fmt::format("rank {} asks for scheme {}, which there is not", rank, static_cast<unsigned>(its.scheme)));
    if (!its.asks_for_the_same_as(all[0])) {
      throw_wrong_options(on, by, errc::mismatch,
                          fmt::format("ranks 0 and {} pass different options (buffer_bytes, memory_cap, latency, "
                                      "scheme, measure_latency)",
                                      rank));
    }
  }
  if (all[0].has_no_memory) throw_wrong_options(on, by, errc::no_memory, "there is no memory for it at rank 0");
}

aggregation_part* new_part(const communicator& on, const aggregation_options& wanted) {
  static std::atomic<unsigned> last{0};
  aggregation_options options = wanted;
  if (options.name.empty())
    options.name = fmt::format("{} of {}", last.fetch_add(1, std::memory_order_relaxed) + 1, on.name());
  std::vector<item_home> homes(static_cast<std::size_t>(on.size()));
  for (int rank = 0; rank < on.size(); ++rank) homes[static_cast<std::size_t>(rank)].index = rank;
  return new aggregation_part(std::move(homes), 0, 1, std::move(options), nullptr);
}

}  // namespace

aggregation& make_aggregation(communicator& on, const call& by, const aggregation_options& wanted) {
  if (on.shared().part_here() != nullptr) {
    throw_wrong_options(on, by, errc::state,
                        "its ranks are in several processes, which aggregations cannot span yet: make a communicator "
                        "of those in one process (split_type by process)");
  }
  aggregation_offer own{.buffer_bytes = wanted.buffer_bytes,
                        .memory_cap = wanted.memory_cap,
                        .latency_ns = wanted.latency_ns,
                        .scheme = wanted.scheme,
                        .measures_latency = wanted.measures_latency};
  if (on.rank() == 0) {
    try {
      own.part = new_part(on, wanted);
    } catch (const std::bad_alloc&) {
      own.has_no_memory = true;
    }
  }
  std::vector<aggregation_offer> all(static_cast<std::size_t>(on.size()));
  run_all(on, by, own, &all);
  aggregation_part* const part = all[0].part;
  try {
    check(on, by, all);
  } catch (...) {
    if (part != nullptr) part->release();
    throw;
  }
  aggregation& made = aggregation_table::of(on.owner()).add(*part, on.rank());
  run_all(on, by, own, nullptr);  // before any rank pushes to another one
  return made;
}

void free_aggregation(aggregation& unused, const call& by) {
  const std::string problem = unused.close();
  aggregation_table::of(unused.owner()).remove(unused);
  if (!problem.empty()) throw call_error(by, errc::state, problem);
}

void end_aggregation(aggregation& unused, const call& by, bool is_unwinding) noexcept {
  rank_context& owner = unused.owner();
  if (self() != &owner) return;  // the job ends it
  const std::string problem = unused.close();
  aggregation_table::of(owner).remove(unused);
  if (!problem.empty() && !is_unwinding && !owner.owner().ending()) owner.owner().fail(text_of_error(by, problem), 1);
}

}  // namespace pure::core
