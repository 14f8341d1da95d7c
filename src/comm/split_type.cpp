// Communicators of the ranks that share a part of the hardware, or another resource (MPI 4.1, 7.4.2).
//
// Each rank finds out alone where it is, from the cpus to which it is bound, and the leader of the agreement puts those
// together that are at the same place. Where no kind of hardware is given (hw_unguided), ranks tell all their places,
// and the leader chooses the kind.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <pure/detail/hash.hpp>

#include "comm/adopt.hpp"
#include "comm/agreement.hpp"
#include "comm/create.hpp"
#include "comm/locality.hpp"
#include "comm/point_to_point.hpp"
#include "comm/refusal.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

constexpr std::string_view shared_memory = "mpi_shared_memory";  // the name that MPI reserves

bool is_kind(split_kind kind) noexcept { return kind >= split_kind::machine && kind <= split_kind::resource_guided; }

void check_split(const communicator& from, const call& by, const split_wish& wanted) {
  if (!is_kind(wanted.kind)) {
    throw_bad_argument(from, by, errc::argument,
                       fmt::format("{} is no split type: a communicator is split by machine, process, NUMA node, core, "
                                   "L3 cache or socket, or as one of MPI's guided kinds says",
                                   static_cast<int>(wanted.kind)));
  }
  if (wanted.kind == split_kind::resource_guided && wanted.hardware && wanted.process_set) {
    throw_bad_argument(from, by, errc::argument,
                       "both a kind of hardware and a process set are given: a communicator is split by one of them");
  }
}

/// As windows see it (window/create_spanning.cpp).
locality locality_in_shared_memory(const job& of) {
  return locality_in_shared_memory(of.others(), of.values().window_transport == "auto");
}

/// Where the caller is of what the guided kinds name. None: not there, or the name is not known.
locality locality_by_hardware(const std::optional<std::string>& name, const job& of) {
  const other_processes* const others = of.others();
  if (!name) return {};
  if (*name == shared_memory) return locality_in_shared_memory(of);
  const std::optional<hardware_kind> kind = hardware_kind_of(*name);
  return kind ? locality_of_caller(*kind, others) : locality{};
}

/// The process sets that every job has (MPI 4.1, 11.3.2).
locality locality_in_set(const std::string& name, int number) {
  if (name == "mpi://WORLD") return {0, name};
  if (name == "mpi://SELF") return {number, name};
  return {};
}

locality locality_for(const communicator& from, const split_wish& wanted) {
  const job& of = from.owner().owner();
  const other_processes* const others = of.others();
  switch (wanted.kind) {
    case split_kind::process: return locality_in_process(others);
    case split_kind::numa: return locality_of_caller(hardware_kind::numa, others);
    case split_kind::core: return locality_of_caller(hardware_kind::core, others);
    case split_kind::l3: return locality_of_caller(hardware_kind::l3, others);
    case split_kind::package: return locality_of_caller(hardware_kind::package, others);
    case split_kind::hw_guided: return locality_by_hardware(wanted.hardware, of);
    case split_kind::resource_guided:
      return wanted.process_set ? locality_in_set(*wanted.process_set, from.owner().number())
                                : locality_by_hardware(wanted.hardware, of);
    default: return locality_in_shared_memory(of);
  }
}

/// "pure_comm_split_type by socket": so that an error says how the ranks' calls differ.
std::string described_split(const call& by, const split_wish& wanted) {
  constexpr const char* kinds_of_split[] = {"machine", "process",   "NUMA node",   "core",           "L3 cache",
                                            "socket",  "HW_GUIDED", "HW_UNGUIDED", "RESOURCE_GUIDED"};
  return fmt::format("{} by {}", by.operation, kinds_of_split[static_cast<int>(wanted.kind) - 1]);
}

/// Where the guided kinds are told what to split by, ranks may be told differently: those of one value are together
/// where they share an instance of it (MPI 5.0, 7.4.2).
std::int64_t color_of(const locality& mine, const split_wish& wanted) {
  const std::optional<std::string>& value = wanted.process_set ? wanted.process_set : wanted.hardware;
  if (mine.number == locality::none || !value) return mine.number;
  const std::string both = fmt::format("{} {} {}", wanted.process_set ? "set" : "hardware", *value, mine.number);
  return static_cast<std::int64_t>(detail::hash_of(both) >> 1);
}

}  // namespace

communicator* split(communicator& from, const call& by, const split_wish& wanted, int key, std::string* found) {
  wish own{.operation = by.operation, .kind = creation::split_type, .color = wish::nothing, .key = key};
  locality mine;
  if (static_cast<int>(wanted.kind) != undefined) {
    checked_for_all([&] { check_split(from, by, wanted); }, [&](const Error& why) { refuse_creation(from, by, why); });
    const std::string form = described_split(by, wanted);
    own.operation = form.c_str();
    own.form = detail::hash_of(form) | 1;  // 0 is a rank that wants nothing
    mine = locality_for(from, wanted);
    own.color = color_of(mine, wanted);
    if (wanted.kind == split_kind::hw_unguided) own.places = hardware_numbers_of_caller();
    own.leader_chooses = wanted.kind == split_kind::hw_unguided;
  }
  const answer got = agree(from, by, traffic::creation, 0, {}, own);
  if (own.leader_chooses && got.level >= 0) {
    const auto level = static_cast<hardware_kind>(got.level);
    mine.name = locality_of_caller(level, from.owner().owner().others()).name;
    if (found != nullptr && (got.made != nullptr)) *found = hardware_name(level);
  } else if (found != nullptr && got.made != nullptr && wanted.hardware) {
    *found = *wanted.hardware;
  }
  return adopt_made(from, got, mine.name);
}

}  // namespace pure::core
