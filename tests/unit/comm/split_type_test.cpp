// Splits by hardware: where ranks are on imagined machines, which kind of hardware the leader chooses, and that ranks
// agree on what they split by. On machines that hwloc imagines for whole programs: tests/errors/split_types.sh.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "comm/agreement.hpp"
#include "comm/communicator_table.hpp"
#include "comm/create.hpp"
#include "comm/locality.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"

namespace pure::core {
namespace {

const call splitter{"some_split", pure_call_site::current()};

template <class Function>
void on_worlds(int ranks, Function function) {
  const outcome end = run_ranks({.values = {}, .ranks = ranks}, attach_services, [&](rank_context& self) {
    function(communicator_table::of(self).world());
    return 0;
  });
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
}

TEST(split_type, localities) {
  const hardware_levels machine = hardware_levels::imagined("pack:1 numa:2 core:2 pu:2");
  const auto in = [&](hardware_kind kind, const std::vector<int>& cpus) {
    return locality_in(kind, machine, cpus, nullptr);
  };
  EXPECT_EQ(in(hardware_kind::core, {2, 3}).name, "core 1");
  EXPECT_EQ(in(hardware_kind::core, {2, 3}).number, in(hardware_kind::core, {3}).number);
  EXPECT_NE(in(hardware_kind::core, {2}).number, in(hardware_kind::core, {4}).number);
  EXPECT_EQ(in(hardware_kind::core, {3, 4}).number, locality::none);
  EXPECT_EQ(in(hardware_kind::numa, {4, 7}).name, "numa 1");
  EXPECT_EQ(in(hardware_kind::package, {0, 7}).name, "socket 0");
  EXPECT_EQ(in(hardware_kind::l3, {0}).number, locality::none);
  EXPECT_EQ(in(hardware_kind::machine, {0, 7}).number, 0);
}

TEST(split_type, the_same_number_on_other_machines_is_another_place) {
  EXPECT_NE(on_machine(0, 3), on_machine(1, 3));
  EXPECT_EQ(on_machine(5, -1), locality::none);
}

/// A rank on a machine, bound to cpus; wants to be split by whatever the leader chooses.
wish rank_at(const hardware_levels& machine, const std::vector<int>& cpus, int host = 0) {
  wish made{.operation = {}, .kind = creation::split_type, .color = host, .form = 1, .leader_chooses = true};
  for (std::size_t i = 0; i < hardware_kinds; ++i)
    made.places[i] = machine.common(static_cast<hardware_kind>(i), cpus).number;
  return made;
}

std::optional<hardware_kind> chosen(const std::vector<wish>& wishes) {
  const int level = level_that_splits(wishes);
  return level < 0 ? std::nullopt : std::optional(static_cast<hardware_kind>(level));
}

TEST(split_type, the_leader_chooses_the_largest_parts_that_are_several) {
  const hardware_levels machine = hardware_levels::imagined("pack:2 l3:2 core:2 pu:2");  // 16 cpus
  const auto at = [&](const std::vector<int>& cpus) {
    std::vector<wish> all;
    for (const int cpu : cpus) all.push_back(rank_at(machine, {cpu}));
    return all;
  };
  EXPECT_EQ(chosen(at({0, 2, 8, 12})), hardware_kind::package);
  EXPECT_EQ(chosen(at({0, 2, 4, 6})), hardware_kind::l3);
  EXPECT_EQ(chosen(at({0, 1, 2, 3})), hardware_kind::core);
  EXPECT_EQ(chosen(at({2, 3})), hardware_kind::thread);
  EXPECT_EQ(chosen(at({3, 3})), std::nullopt) << "both share all they have";
  EXPECT_EQ(chosen(at({3})), std::nullopt) << "no part is smaller than one rank";
  EXPECT_EQ(chosen({rank_at(machine, {0}), rank_at(machine, {8}), rank_at(machine, {0}, 1)}), hardware_kind::machine);
}

TEST(split_type, as_few_as_possible_are_left_out) {
  const hardware_levels machine = hardware_levels::imagined("pack:2 l3:2 core:2 pu:2");
  // One may run on a whole socket: it is in no single L3 cache.
  EXPECT_EQ(chosen({rank_at(machine, {0, 4}), rank_at(machine, {1}), rank_at(machine, {8})}), hardware_kind::package);
  EXPECT_EQ(chosen({rank_at(machine, {0, 4}), rank_at(machine, {1}), rank_at(machine, {1})}), hardware_kind::l3);
  // One may run anywhere.
  EXPECT_EQ(chosen({rank_at(machine, {0, 8}), rank_at(machine, {1}), rank_at(machine, {4})}), hardware_kind::package);
  wish none{.operation = {}, .kind = creation::split_type, .color = wish::nothing};
  EXPECT_EQ(chosen({rank_at(machine, {0}), none, rank_at(machine, {2})}), hardware_kind::core) << "it takes no part";
  EXPECT_EQ(chosen({none, none}), std::nullopt);
}

TEST(split_type, what_is_not_known_or_not_there_makes_no_communicator) {
  on_worlds(2, [](communicator& world) {
    for (const auto& name : {std::optional<std::string>(), std::optional<std::string>("hwloc://Nonsense"),
                             std::optional<std::string>("hwloc://L5Cache")}) {
      EXPECT_EQ(split(world, splitter, {split_kind::hw_guided, name}, 0), nullptr);
      EXPECT_EQ(split(world, splitter, {split_kind::resource_guided, name}, 0), nullptr);
    }
    EXPECT_EQ(split(world, splitter, {split_kind::resource_guided, {}, "app://ocean"}, 0), nullptr);
    EXPECT_EQ(split(world, splitter, {split_kind::hw_guided, {}, "mpi://WORLD"}, 0), nullptr) << "not its key";
  });
}

TEST(split_type, guided_by_names) {
  on_worlds(3, [](communicator& world) {
    const auto size = [&](const split_wish& wanted) {
      const communicator* const made = split(world, splitter, wanted, 0);
      return made == nullptr ? 0 : made->size();
    };
    EXPECT_EQ(size({split_kind::hw_guided, "mpi_shared_memory"}), 3);
    EXPECT_EQ(size({split_kind::hw_guided, "hwloc://Machine"}), 3);
    EXPECT_EQ(size({split_kind::resource_guided, {}, "mpi://WORLD"}), 3);
    EXPECT_EQ(size({split_kind::resource_guided, {}, "mpi://SELF"}), 1);
    EXPECT_EQ(size({split_kind::hw_guided, "hwloc://Core"}), size({split_kind::core}));
    EXPECT_EQ(size({split_kind::resource_guided, "hwloc://NUMANode"}), size({split_kind::numa}));
  });
}

TEST(split_type, ranks_that_are_guided_by_different_values_are_apart) {
  on_worlds(4, [](communicator& world) {
    const bool is_odd = world.rank() % 2 == 1;
    for (const auto& odd : {std::string("mpi_shared_memory"), std::string("Nonsense")}) {
      const split_wish mine{split_kind::hw_guided, is_odd ? odd : "Machine"};
      const communicator* const made = split(world, splitter, mine, 0);
      EXPECT_EQ(made == nullptr ? 0 : made->size(), is_odd && odd == "Nonsense" ? 0 : 2);
      if (made != nullptr) {
        EXPECT_EQ(made->rank(), world.rank() / 2);
      }
    }
    const split_wish by_set{split_kind::resource_guided, {}, is_odd ? "mpi://SELF" : "mpi://WORLD"};
    EXPECT_EQ(split(world, splitter, by_set, 0)->size(), is_odd ? 1 : 2);
  });
}

TEST(split_type, ranks_have_to_split_by_the_same_thing) {
  on_worlds(3, [](communicator& world) {
    try {
      static_cast<void>(split(world, splitter, {world.rank() == 2 ? split_kind::numa : split_kind::core}, 0));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::mismatch);
      const std::string text = error.what();
      EXPECT_NE(text.find("rank 0 has called some_split by core where rank 2 has called some_split by NUMA node"),
                std::string::npos)
          << text;
    }
    // Who wants nothing may do so beside any.
    const auto nothing = static_cast<split_kind>(undefined);
    const communicator* const made = split(world, splitter, {world.rank() == 1 ? nothing : split_kind::process}, 0);
    EXPECT_EQ(made == nullptr ? 0 : made->size(), world.rank() == 1 ? 0 : 2);
    EXPECT_THROW(
        static_cast<void>(split(world, splitter, {split_kind::resource_guided, "hwloc://Core", "mpi://SELF"}, 0)),
        Error);
    EXPECT_THROW(static_cast<void>(split(world, splitter, {static_cast<split_kind>(10)}, 0)), Error);
  });
}

}  // namespace
}  // namespace pure::core
