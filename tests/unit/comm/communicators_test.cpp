// Communicators that programs make: who is in them, that their messages stay apart, what their ranks share, and that
// contexts come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/settings.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_table.hpp"
#include "comm/create.hpp"
#include "comm/locality.hpp"
#include "comm/point_to_point.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/environment.hpp"
#include "support/job_over_world.hpp"
#include "support/loopback_network.hpp"

namespace pure::core {
namespace {

template <class Function>
void on_tables(int ranks, Function function) {
  const outcome end = run_ranks({.values = {}, .ranks = ranks}, attach_services, [&](rank_context& self) {
    function(communicator_table::of(self));
    return 0;
  });
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
}

const call caller{"some_call", pure_call_site::current()};

int receive_int(communicator& on, int source, int tag) {
  int in = -1;
  receive(on, caller, {&in, sizeof in, nullptr}, source, tag, [](const status&) {});
  return in;
}

/// Every rank sends to its right in each communicator, with the same tag, and receives in the opposite order of
/// communicators, by wildcards: each value must be the one of that communicator and of the left neighbour.
void expect_isolation(const std::vector<communicator*>& all) {
  const auto value_of = [](const communicator& on, int rank) { return static_cast<int>(on.context()) * 100 + rank; };
  for (communicator* const each : all) {
    const int value = value_of(*each, each->rank());
    send(*each, caller, &value, sizeof value, (each->rank() + 1) % each->size(), 3);
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    const int left = (all[i]->rank() + all[i]->size() - 1) % all[i]->size();
    const bool wild = i % 2 == 0;
    EXPECT_EQ(receive_int(*all[i], wild ? any_source : left, wild ? any_tag : 3), value_of(*all[i], left));
  }
}

std::vector<int> numbers_of(const communicator& on) {
  std::vector<int> all;
  for (int rank = 0; rank < on.size(); ++rank) all.push_back(on.number_of(rank));
  return all;
}

// ---- split ------------------------------------------------------------------------------------------------------

struct choice {
  std::optional<int> color;
  int key;
};

/// What each rank of a communicator of that size chooses; all ranks throw the same dice.
std::vector<choice> random_choices(std::uint64_t seed, int size) {
  std::mt19937_64 random(seed);
  std::vector<choice> all;
  for (int i = 0; i < size; ++i) {
    const auto color = static_cast<int>(random() % 4);
    all.push_back({color == 3 ? std::nullopt : std::optional(color * 100), static_cast<int>(random() % 7) - 3});
  }
  return all;
}

TEST(communicators, nested_splits_in_any_order) {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    on_tables(ranks, [&](communicator_table& mine) {
      std::vector<communicator*> all{&mine.world()};
      std::uint64_t seed = test_support::first_seed() * 1000 + static_cast<std::uint64_t>(ranks);
      for (int depth = 0; depth < 4; ++depth) {
        communicator& parent = *all.back();
        const std::vector<int> numbers = numbers_of(parent);
        seed = seed * 31 + static_cast<std::uint64_t>(numbers.front());  // the same in all ranks of the parent
        const auto choices = random_choices(seed, parent.size());
        const choice& own = choices[static_cast<std::size_t>(parent.rank())];
        communicator* const made = split(parent, caller, own.color, own.key);
        ASSERT_EQ(made != nullptr, own.color.has_value());
        if (made == nullptr) break;

        std::set<std::pair<int, int>> members;  // key, rank
        for (std::size_t i = 0; i < choices.size(); ++i) {
          if (choices[i].color == own.color) members.emplace(choices[i].key, static_cast<int>(i));
        }
        std::vector<int> wanted;
        for (const auto& [key, rank] : members) wanted.push_back(numbers[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(numbers_of(*made), wanted);
        EXPECT_EQ(made->number_of(made->rank()), made->owner().number());
        all.push_back(made);
      }
      expect_isolation({all.rbegin(), std::prev(all.rend())});  // not world: ranks of other depths
      for (std::size_t i = all.size(); i-- > 1;) free(*all[i], caller);
    });
  }
}

TEST(communicators, many_at_once_stay_apart) {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    on_tables(ranks, [&](communicator_table& mine) {
      std::vector<communicator*> all{&mine.world()};
      for (int i = 0; i < 6; ++i) {
        all.push_back(&duplicate(*all[static_cast<std::size_t>(i) / 2], caller));
        all.push_back(split(mine.world(), caller, 0, -mine.world().rank()));  // backwards
      }
      std::set<std::uint32_t> contexts;
      for (const communicator* each : all) contexts.insert(each->context());
      EXPECT_EQ(contexts.size(), all.size());
      EXPECT_EQ(all[2]->rank(), ranks - 1 - mine.world().rank());
      expect_isolation(all);
    });
  }
}

TEST(communicators, those_without_a_color_get_none) {
  on_tables(3, [](communicator_table& mine) {
    EXPECT_EQ(split(mine.world(), caller, std::nullopt, 0), nullptr);
    communicator* const part = split(mine.world(), caller,
                                     mine.world().rank() == 1 ? std::nullopt : std::optional(2147483647), 0);
    EXPECT_EQ(part != nullptr, mine.world().rank() != 1);
    if (part != nullptr) {
      EXPECT_EQ(numbers_of(*part), (std::vector{0, 2}));
    }
  });
}

// ---- groups -------------------------------------------------------------------------------------------------------

TEST(communicators, create_from_disjoint_groups) {
  on_tables(5, [](communicator_table& mine) {
    const int me = mine.world().rank();
    const group even{4, 0, 2}, odd{3, 1};
    communicator* made = create(mine.world(), caller, me % 2 == 0 ? even : odd);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(numbers_of(*made), me % 2 == 0 ? even : odd);
    communicator* const of_even = create(mine.world(), caller, even);  // all pass the same
    EXPECT_EQ(of_even != nullptr, me % 2 == 0);
    EXPECT_EQ(create(mine.world(), caller, group{}), nullptr);
    expect_isolation(of_even != nullptr ? std::vector{made, of_even} : std::vector{made});
  });
}

TEST(communicators, create_group_by_a_subset_while_others_do_something_else) {
  on_tables(4, [](communicator_table& mine) {
    communicator& world = mine.world();
    const int me = world.rank();
    if (me == 3) {  // never creates anything; talks to the others meanwhile
      for (int from = 0; from < 3; ++from) EXPECT_EQ(receive_int(world, from, 5), from);
      return;
    }
    // Three groups whose members overlap, told apart by tags; in one order, so that all make progress.
    const std::vector<std::pair<int, group>> calls{{7, {2, 0}}, {8, {1, 2}}, {9, {0, 1, 2}}, {7, {0, 2}}};
    std::vector<communicator*> made;
    for (const auto& [tag, members] : calls) {
      if (rank_in(members, me) == undefined) continue;
      made.push_back(&create_group(world, caller, members, tag));
      EXPECT_EQ(numbers_of(*made.back()), members);
    }
    expect_isolation({made.begin(), made.end()});
    send(world, caller, &me, sizeof me, 3, 5);
  });
}

// ---- what ranks disagree about --------------------------------------------------------------------------------------

template <class Function>
void expect_error(errc code, const std::vector<std::string>& words, Function function) {
  try {
    function();
    ADD_FAILURE() << "nothing was thrown: " << words.front();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const auto& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << "no " << word << " in " << error.what();
    }
  }
}

TEST(communicators, disagreement_is_an_error_in_all_ranks) {
  on_tables(3, [](communicator_table& mine) {
    communicator& world = mine.world();
    const int me = world.rank();
    const std::string rank = "rank " + std::to_string(me) + " of world";
    expect_error(errc::mismatch, {rank, "rank 2 has called splits", "rank 0 has called dups"}, [&] {
      if (me == 2) {
        split(world, {"splits", {}}, 0, 0);
      } else {
        duplicate(world, {"dups", {}});
      }
    });
    expect_error(errc::group, {rank, "ranks 0 and 1 have passed different groups"}, [&] {
      create(world, caller, me == 1 ? group{0, 1} : group{0, 1, 2});
    });
    expect_error(errc::group, {rank, "not all members of the group that rank 0 has passed"}, [&] {
      create(world, caller, me == 0 ? group{0, 1} : group{1, 2});
    });
    if (me < 2) {
      expect_error(errc::group, {rank, "ranks 0 and 1 have passed different groups"}, [&] {
        create_group(world, caller, me == 0 ? group{0, 1} : group{0, 1, 2}, 4);
      });
    }
    EXPECT_EQ(numbers_of(duplicate(world, caller)), numbers_of(world)) << "the ranks are in step again";
    EXPECT_EQ(mine.registry().live(), 1U);
  });
}

TEST(communicators, a_missing_rank_is_a_deadlock_that_names_the_operation) {
  const outcome end = run_ranks({.values = {}, .ranks = 3}, attach_services, [](rank_context& self) {
    if (self.number() != 1) duplicate(communicator_table::of(self).world(), {"pure_comm_dup", {"solver.cpp", 12}});
    return 0;
  });
  const std::string& text = end.failure_text;
  EXPECT_NE(text.find("rank 0 waits in pure_comm_dup for the same call by rank 1, at solver.cpp:12"), std::string::npos)
      << text;
}

// ---- what the ranks share -------------------------------------------------------------------------------------------

struct counted_part final : upper_part {
  explicit counted_part(std::atomic<int>& alive) : alive_(alive) { alive_.fetch_add(1); }
  ~counted_part() override { alive_.fetch_sub(1); }
  std::atomic<int>& alive_;
};

TEST(communicators, upper_parts_are_made_once_and_die_with_the_communicator) {
  std::atomic<int> alive{0}, own_alive{0};
  std::array<std::atomic<upper_part*>, 4> seen{};
  on_tables(4, [&](communicator_table& mine) {
    communicator& world = mine.world();
    communicator& made = duplicate(world, caller);
    const auto me = static_cast<std::size_t>(world.rank());
    seen[me] = &made.shared().upper([&] { return std::make_unique<counted_part>(alive); });
    made.upper() = std::make_unique<counted_part>(own_alive);
    world.shared().upper([&] { return std::make_unique<counted_part>(alive); });
    duplicate(world, caller);  // all have come so far
    EXPECT_EQ(alive.load(), 2) << "one for each communicator";
    EXPECT_EQ(seen[0].load(), seen[me].load());
    duplicate(world, caller);
    if (me == 0) return;  // ends without freeing: freed at the end of the job
    free(made, caller);
    EXPECT_TRUE(made.is_freed());
    EXPECT_GE(alive.load(), 2) << "rank 0 still has it";
  });
  EXPECT_EQ(alive.load(), 0);
  EXPECT_EQ(own_alive.load(), 0);
}

TEST(communicators, the_last_free_destroys) {
  std::atomic<int> alive{0};
  on_tables(3, [&](communicator_table& mine) {
    communicator& made = duplicate(mine.world(), caller);
    made.shared().upper([&] { return std::make_unique<counted_part>(alive); });
    free(made, caller);
    free(duplicate(mine.world(), caller), caller);  // an agreement: rank 0 knows now that all have freed
    if (mine.world().rank() == 0) {
      EXPECT_EQ(alive.load(), 0);
    }
  });
}

/// The object of a process goes with its last rank; the leader's process keeps none for ranks of others.
TEST(communicators, of_several_processes_leave_nothing_in_any) {
  for (const int processes : {2, 3}) {
    test_support::loopback_world world(processes, test_support::loopback_limits{});
    const int status = test_support::run_over(world, processes, read_settings(), [&](rank_context& self) {
      communicator_table& mine = communicator_table::of(self);
      const int me = self.number();
      for (int round = 0; round < 3; ++round) {
        free(*split(mine.world(), caller, me, 0), caller);  // each alone
        EXPECT_EQ(mine.registry().live(), 0U);
        communicator* const of_others = split(mine.world(), caller, me == 0 ? std::nullopt : std::optional(5), 0);
        EXPECT_EQ(of_others == nullptr, me == 0);
        if (of_others != nullptr) free(*of_others, caller);
        EXPECT_EQ(mine.registry().live(), 0U);
      }
      communicator& in_pairs = *split(mine.world(), caller, me / 2, 0);
      EXPECT_EQ(mine.registry().live(), 1U);
      if (me % 2 == 0 && in_pairs.size() == 2) {
        const int sent = me;
        send(in_pairs, caller, &sent, sizeof sent, 1, 3);
      } else if (me % 2 == 1) {
        EXPECT_EQ(receive_int(in_pairs, 0, 3), me - 1);
      }
      free(in_pairs, caller);
      return 0;
    });
    EXPECT_EQ(status, 0);
  }
}

// ---- contexts -------------------------------------------------------------------------------------------------------

TEST(communicators, contexts_come_back_after_a_long_rest) {
  communicator_registry registry(2);
  constexpr std::size_t many = communicator_registry::quarantine;
  std::map<std::uint32_t, std::size_t> freed_at;
  for (std::size_t i = 0; i < 3 * many; ++i) {
    communicator_group& made = registry.make({0});
    const std::uint32_t context = made.context(traffic::user);
    EXPECT_EQ(made.context(traffic::collective), context + 1);
    const auto before = freed_at.find(context);
    if (before != freed_at.end()) {
      ASSERT_GE(i - before->second, many);
    }
    freed_at[context] = i;
    made.release();
  }
  EXPECT_LE(registry.blocks_used(), many + 1);
  EXPECT_EQ(registry.live(), 0U);

  // Contexts in use are never given out again.
  std::set<std::uint32_t> contexts;
  for (int i = 0; i < 1000; ++i) contexts.insert(registry.make({1, 0}).context(traffic::user));
  EXPECT_EQ(contexts.size(), 1000U);
}

// ---- places; more in split_type_test.cpp ----------------------------------------------------------------------------

TEST(communicators, split_by_place) {
  on_tables(3, [](communicator_table& mine) {
    for (const split_kind kind : {split_kind::machine, split_kind::process}) {
      communicator* const made = split(mine.world(), caller, {kind}, -mine.world().rank());
      ASSERT_NE(made, nullptr);
      EXPECT_EQ(numbers_of(*made), (std::vector{2, 1, 0}));
    }
    communicator* const core = split(mine.world(), caller, {split_kind::core}, 0);  // ranks are bound to cores
    ASSERT_NE(core, nullptr);
    const locality here = locality_of_caller(hardware_kind::core, nullptr);
    EXPECT_EQ(core->name(), here.name + " of world");
    EXPECT_EQ(split(mine.world(), caller, {static_cast<split_kind>(undefined)}, 0), nullptr);
  });
}

}  // namespace
}  // namespace pure::core
