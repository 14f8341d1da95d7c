#include "aggregation/create.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "aggregation/process_aggregations.hpp"
#include "base/text.hpp"
#include "coll/offers.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// Two of the largest buffers: one on its way while another one is filled.
constexpr std::size_t least_cap = 2 * item_buffer::bytes_with_head(item_buffer::classes - 1);

/// What a rank tells all others.
struct aggregation_offer {
  aggregation_part* part = nullptr;  // of the first rank of its process, for the ranks there
  std::uint32_t number = 0;          // of rank 0: of the aggregation, among those whose rank 0 is in its process
  std::size_t buffer_bytes = 0;
  std::size_t memory_cap = 0;
  std::int64_t latency_ns = 0;
  item_scheme scheme = item_scheme::automatic;
  item_hops hops = item_hops::automatic;
  bool measures_latency = false;
  bool has_no_memory = false;
  bool is_refused = false;

  [[nodiscard]] bool asks_for_the_same_as(const aggregation_offer& other) const noexcept {
    return buffer_bytes == other.buffer_bytes && memory_cap == other.memory_cap && latency_ns == other.latency_ns &&
           scheme == other.scheme && hops == other.hops && measures_latency == other.measures_latency;
  }
};

[[noreturn]] void throw_wrong_options(const communicator& on, const call& by, errc code, const std::string& text) {
  throw call_error(by, code, fmt::format("rank {} of {}: {}", on.rank(), on.name(), text));
}

/// What a rank does before the others hear of it, who wait for that: without memory the job ends.
template <class Act>
auto or_end_job(const communicator& on, const call& by, Act act) {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    rank_context& owner = on.owner();
    owner.owner().fail_without_memory(
        [&] { return fmt::format("rank {}: out of memory in {}", owner.number(), by.operation); });
    owner.owner().leave(owner);
  }
}

void require_memory(const communicator& on, const call& by, const std::vector<aggregation_offer>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].has_no_memory)
      throw_wrong_options(on, by, errc::no_memory, fmt::format("there is no memory for it at rank {}", rank));
  }
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
    if (static_cast<unsigned>(its.hops) > static_cast<unsigned>(item_hops::grid))
      throw_wrong_options(
          on, by, errc::argument,
          fmt::format("rank {} asks for hops {}, which there are not", rank, static_cast<unsigned>(its.hops)));
    if (!its.asks_for_the_same_as(all[0])) {
      throw_wrong_options(on, by, errc::mismatch,
                          fmt::format("ranks 0 and {} pass different options (buffer_bytes, memory_cap, latency, "
                                      "scheme, hops, measure_latency)",
                                      rank));
    }
  }
  require_memory(on, by, all);
}

/// Who of a communicator is in which process.
struct rank_homes {
  std::vector<int> processes;    // their numbers in the job, ascending
  std::vector<item_home> homes;  // by rank; processes by their place in that list
  int own_process = 0;           // likewise
  int leader = 0;                // the first rank of the caller's process

  explicit rank_homes(const communicator& on) : homes(static_cast<std::size_t>(on.size())) {
    const other_processes* const others = on.owner().owner().others();
    const auto process_of = [&](int rank) {
      return others == nullptr ? 0 : others->placement().process_of(on.number_of(rank));
    };
    for (int rank = 0; rank < on.size(); ++rank) processes.push_back(process_of(rank));
    std::sort(processes.begin(), processes.end());
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    std::vector<int> ranks(processes.size());
    for (int rank = 0; rank < on.size(); ++rank) {
      const auto place = static_cast<std::size_t>(
          std::lower_bound(processes.begin(), processes.end(), process_of(rank)) - processes.begin());
      homes[static_cast<std::size_t>(rank)] = {static_cast<int>(place), ranks[place]++};
    }
    own_process = homes[static_cast<std::size_t>(on.rank())].process;
    while (homes[static_cast<std::size_t>(leader)].process != own_process) ++leader;
  }

  /// Of each process.
  [[nodiscard]] std::vector<int> machines(const other_processes* others) const {
    std::vector<int> of;
    for (const int process : processes) of.push_back(others == nullptr ? 0 : others->host_of(process));
    return of;
  }
};

/// The part of this process, which nobody reaches yet.
aggregation_part* new_part(const communicator& on, const rank_homes& where, const aggregation_options& wanted,
                           network_items*& way) {
  static std::atomic<unsigned> last{0};
  aggregation_options options = wanted;
  if (options.name.empty())
    options.name = fmt::format("{} of {}", last.fetch_add(1, std::memory_order_relaxed) + 1, on.name());
  other_processes* const others = on.owner().owner().others();
  std::unique_ptr<network_items> owned;
  if (where.processes.size() > 1) {
    owned = std::make_unique<network_items>(aggregation_table::of(on.owner()).of_all_processes(), *others,
                                            where.processes);
  }
  way = owned.get();
  auto* const made = new aggregation_part(where.homes, where.own_process, where.machines(others), std::move(options),
                                          way);
  made->own(std::move(owned));
  return made;
}

std::uint32_t next_aggregation_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

aggregation& make_aggregation(communicator& on, const call& by, const aggregation_options& wanted,
                              const std::optional<Error>& wrong) {
  const rank_homes where = or_end_job(on, by, [&] { return rank_homes(on); });
  if (where.processes.size() > 1 && on.size() > most_ranks_between_processes) {
    throw_wrong_options(on, by, errc::argument,
                        fmt::format("an aggregation over several processes has at most {} ranks: this communicator has "
                                    "{}; split it",
                                    most_ranks_between_processes, on.size()));
  }
  const bool is_leader = on.rank() == where.leader;
  network_items* way = nullptr;
  aggregation_offer own{.buffer_bytes = wanted.buffer_bytes,
                        .memory_cap = wanted.memory_cap,
                        .latency_ns = wanted.latency_ns,
                        .scheme = wanted.scheme,
                        .hops = wanted.hops,
                        .measures_latency = wanted.measures_latency,
                        .is_refused = wrong.has_value()};
  if (on.rank() == 0) own.number = next_aggregation_number();
  if (is_leader) {
    try {
      own.part = new_part(on, where, wanted, way);
    } catch (const std::bad_alloc&) {
      own.has_no_memory = true;
    }
  }
  const std::vector<aggregation_offer> all = or_end_job(on, by, [&] { return gather_all(on, by, own); });
  aggregation_part* const part = all[static_cast<std::size_t>(where.leader)].part;
  try {
    require_none_refused(on, by, all, wrong);
    check(on, by, all);
  } catch (...) {
    if (part != nullptr) part->release();
    throw;
  }
  aggregation* made = nullptr;
  try {
    made = &aggregation_table::of(on.owner()).add(*part, where.homes[static_cast<std::size_t>(on.rank())].index);
    if (way != nullptr) {
      const auto first = static_cast<std::uint64_t>(where.processes[static_cast<std::size_t>(where.homes[0].process)]);
      way->connect(first << 32 | all[0].number, *part);
    }
  } catch (const std::bad_alloc&) {
    own.has_no_memory = true;
  }
  // Before any rank pushes to another one.
  const std::vector<aggregation_offer> at_end = or_end_job(on, by, [&] { return gather_all(on, by, own); });
  try {
    require_memory(on, by, at_end);
  } catch (...) {
    if (made != nullptr) aggregation_table::of(on.owner()).remove(*made);
    throw;
  }
  return *made;
}

void free_aggregation(aggregation& unused, const call& by) {
  if (unused.now() == aggregation::stage::finishing)
    unused.throw_wrong(by, errc::state, "freed inside finish, by its work: free it behind finish");
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
