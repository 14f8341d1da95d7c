// pure.h, groups and communicators: what the functions say, their errors, and that nothing leaks.
#include <pure.h>

#include <gtest/gtest.h>

#include <malloc.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

int rank_in(pure_comm comm) {
  int rank = -1;
  EXPECT_OK(pure_comm_rank(comm, &rank));
  return rank;
}

int size_of(pure_comm comm) {
  int size = -1;
  EXPECT_OK(pure_comm_size(comm, &size));
  return size;
}

std::string name_of(pure_comm comm) {
  const char* name = nullptr;
  EXPECT_OK(pure_comm_get_name(comm, &name));
  return name;
}

int compare(pure_comm a, pure_comm b) {
  int result = -1;
  EXPECT_OK(pure_comm_compare(a, b, &result));
  return result;
}

TEST(pure_h_communicators, made_compared_named_and_freed) {
  on_ranks(4, [](int me) {
    pure_comm copy, rows, back, process, core;
    EXPECT_OK(pure_comm_dup(world, &copy));
    EXPECT_OK(pure_comm_split(world, me / 2, 0, &rows));
    EXPECT_OK(pure_comm_split(world, 0, -me, &back));
    EXPECT_OK(pure_comm_split_type(world, PURE_COMM_TYPE_PROCESS, 0, &process));
    EXPECT_OK(pure_comm_split_type(world, PURE_COMM_TYPE_CORE, 0, &core));
    EXPECT_EQ(rank_in(copy), me);
    EXPECT_EQ(rank_in(rows), me % 2);
    EXPECT_EQ(size_of(rows), 2);
    EXPECT_EQ(rank_in(back), 3 - me);
    EXPECT_EQ(size_of(process), 4);
    EXPECT_GE(size_of(core), 1);

    EXPECT_EQ(compare(world, world), PURE_IDENT);
    EXPECT_EQ(compare(copy, copy), PURE_IDENT);
    EXPECT_EQ(compare(world, copy), PURE_CONGRUENT);
    EXPECT_EQ(compare(world, back), PURE_SIMILAR);
    EXPECT_EQ(compare(world, rows), PURE_UNEQUAL);
    EXPECT_EQ(compare(world, PURE_COMM_SELF), PURE_UNEQUAL);

    EXPECT_EQ(name_of(world), "world");
    EXPECT_EQ(name_of(copy), "dup of world");
    EXPECT_EQ(name_of(rows), "part " + std::to_string(me / 2) + " of world");
    EXPECT_OK(pure_comm_set_name(copy, me == 0 ? "ocean" : "atmosphere"));
    EXPECT_EQ(name_of(copy), me == 0 ? "ocean" : "atmosphere");
    pure_comm of_copy;
    EXPECT_OK(pure_comm_dup(copy, &of_copy));
    EXPECT_EQ(name_of(of_copy), me == 0 ? "dup of ocean" : "dup of atmosphere");
    expect_error(pure_send_msg(nullptr, 0, PURE_INT, 9, 0, of_copy), PURE_ERR_RANK, {me == 0 ? "of ocean" : "sphere"});

    int out = me, in = -1;  // the same source and tag on two communicators
    for (const pure_comm each : {copy, back}) {
      EXPECT_OK(pure_send_msg(&out, 1, PURE_INT, (rank_in(each) + 1) % 4, 6, each));
    }
    EXPECT_OK(pure_recv_msg(&in, 1, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, back));
    EXPECT_EQ(in, (me + 1) % 4);
    EXPECT_OK(pure_recv_msg(&in, 1, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, copy));
    EXPECT_EQ(in, (me + 3) % 4);

    for (pure_comm* const each : {&copy, &rows, &back, &process, &core, &of_copy}) {
      EXPECT_OK(pure_comm_free(each));
      EXPECT_EQ(*each, PURE_COMM_NULL);
    }
  });
}

TEST(pure_h_communicators, from_groups) {
  on_ranks(4, [](int me) {
    pure_group all, three, alone;
    EXPECT_OK(pure_comm_group(world, &all));
    const int ranks[] = {3, 0, 1};
    EXPECT_OK(pure_group_incl(all, 3, ranks, &three));
    EXPECT_OK(pure_group_incl(all, 1, &me, &alone));
    pure_comm made, mine, shared;
    EXPECT_OK(pure_comm_create(world, three, &made));
    EXPECT_EQ(made == PURE_COMM_NULL, me == 2);
    EXPECT_OK(pure_comm_create_group(world, alone, 0, &mine));
    EXPECT_EQ(size_of(mine), 1);
    if (me != 2) {
      EXPECT_OK(pure_comm_create_group(made, three, PURE_TAG_UB, &shared));
      EXPECT_EQ(compare(made, shared), PURE_CONGRUENT);
      EXPECT_EQ(ranks[rank_in(shared)], me);
      EXPECT_OK(pure_comm_free(&shared));
      EXPECT_OK(pure_comm_free(&made));
    } else {
      expect_error(pure_comm_create_group(world, three, 0, &shared), PURE_ERR_GROUP,
                   {"pure_comm_create_group: rank 2 of world", "not in the group"});
    }
    pure_comm none;
    EXPECT_OK(pure_comm_create(world, PURE_GROUP_EMPTY, &none));
    EXPECT_EQ(none, PURE_COMM_NULL);
    for (pure_group* const each : {&all, &three, &alone}) EXPECT_OK(pure_group_free(each));
    EXPECT_OK(pure_comm_free(&mine));
  });
}

TEST(pure_h_communicators, group_functions) {
  on_ranks(4, [](int me) {
    pure_group all, a, b, made;
    EXPECT_OK(pure_comm_group(world, &all));
    const int first[] = {2, 0}, second[] = {3, 2};
    EXPECT_OK(pure_group_incl(all, 2, first, &a));
    EXPECT_OK(pure_group_excl(all, 2, first, &b));  // 1 3
    int size = 0, rank = 0, result = -1;
    EXPECT_OK(pure_group_size(a, &size));
    EXPECT_EQ(size, 2);
    EXPECT_OK(pure_group_rank(a, &rank));
    EXPECT_EQ(rank, me == 2 ? 0 : me == 0 ? 1 : PURE_UNDEFINED);

    const auto expect_numbers = [&](pure_group of, const std::vector<int>& numbers) {
      EXPECT_OK(pure_group_size(of, &size));
      std::vector<int> ranks(static_cast<std::size_t>(size)), found(ranks);
      for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
      EXPECT_OK(pure_group_translate_ranks(of, size, ranks.data(), all, found.data()));
      EXPECT_EQ(found, numbers);
      if (of != PURE_GROUP_EMPTY) {
        EXPECT_OK(pure_group_free(&of));
      }
    };
    EXPECT_OK(pure_group_union(a, b, &made));
    expect_numbers(made, {2, 0, 1, 3});
    EXPECT_OK(pure_group_intersection(a, b, &made));
    EXPECT_EQ(made, PURE_GROUP_EMPTY);
    expect_numbers(made, {});
    EXPECT_OK(pure_group_difference(all, a, &made));
    expect_numbers(made, {1, 3});
    const int ranges[][3] = {{3, 1, -2}, {0, 0, 1}};
    EXPECT_OK(pure_group_range_incl(all, 2, ranges, &made));
    expect_numbers(made, {3, 1, 0});
    EXPECT_OK(pure_group_range_excl(all, 2, ranges, &made));
    expect_numbers(made, {2});

    const int asked[] = {1, PURE_PROC_NULL, 0};
    int found[3];
    EXPECT_OK(pure_group_incl(all, 2, second, &made));
    EXPECT_OK(pure_group_translate_ranks(made, 3, asked, a, found));
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found[1], PURE_PROC_NULL);
    EXPECT_EQ(found[2], PURE_UNDEFINED);
    EXPECT_OK(pure_group_compare(a, a, &result));
    EXPECT_EQ(result, PURE_IDENT);
    EXPECT_OK(pure_group_compare(a, b, &result));
    EXPECT_EQ(result, PURE_UNEQUAL);
    for (pure_group* const each : {&all, &a, &b, &made}) EXPECT_OK(pure_group_free(each));
    pure_group empty = PURE_GROUP_EMPTY;
    EXPECT_OK(pure_group_free(&empty));
    EXPECT_EQ(empty, PURE_GROUP_NULL);
  });
}

TEST(pure_h_communicators, wrong_arguments) {
  on_ranks(2, [](int me) {
    const std::string who = "rank " + std::to_string(me) + " of world";
    pure_comm comm = world;
    int x = 0;
    expect_error(pure_comm_free(&comm), PURE_ERR_COMM, {"pure_comm_free: " + who, "cannot be freed"});
    comm = PURE_COMM_SELF;
    expect_error(pure_comm_free(&comm), PURE_ERR_COMM, {"of self"});
    comm = PURE_COMM_NULL;
    expect_error(pure_comm_free(&comm), PURE_ERR_COMM, {"pure_comm_free", "null communicator"});
    expect_error(pure_comm_free(nullptr), PURE_ERR_ARG, {"pure_comm_free", "`comm` is null"});
    expect_error(pure_comm_dup(world, nullptr), PURE_ERR_ARG, {"pure_comm_dup", "`made`"});
    expect_error(pure_comm_split(world, -1, 0, &comm), PURE_ERR_ARG, {"pure_comm_split: " + who, "color -1"});
    expect_error(pure_comm_split_type(world, 10, 0, &comm), PURE_ERR_ARG,
                 {"pure_comm_split_type", "10 is no split type"});
    expect_error(pure_comm_split_type(world, 0, 0, &comm), PURE_ERR_ARG, {"0 is no split type"});
    expect_error(pure_comm_compare(world, world, nullptr), PURE_ERR_ARG, {"pure_comm_compare", "result"});
    expect_error(pure_comm_set_name(world, nullptr), PURE_ERR_ARG, {"pure_comm_set_name"});
    expect_error(pure_comm_get_name(world, nullptr), PURE_ERR_ARG, {"pure_comm_get_name"});
    expect_error(pure_comm_group(world, nullptr), PURE_ERR_ARG, {"pure_comm_group"});

    pure_group all, made = PURE_GROUP_NULL;
    EXPECT_OK(pure_comm_group(world, &all));
    expect_error(pure_comm_create(PURE_COMM_SELF, all, &comm), PURE_ERR_GROUP,
                 {"pure_comm_create", "of self", "subset"});
    expect_error(pure_comm_create_group(world, all, -2, &comm), PURE_ERR_TAG, {"pure_comm_create_group", "-2"});
    expect_error(pure_comm_create(world, PURE_GROUP_NULL, &comm), PURE_ERR_GROUP, {"pure_comm_create", "null group"});
    const int twice[] = {1, 1}, stride[][3] = {{0, 1, 0}};
    expect_error(pure_group_incl(all, 2, twice, &made), PURE_ERR_RANK,
                 {"pure_group_incl: rank " + std::to_string(me), "twice"});
    expect_error(pure_group_excl(all, -1, twice, &made), PURE_ERR_COUNT, {"pure_group_excl", "-1"});
    expect_error(pure_group_incl(all, 1, nullptr, &made), PURE_ERR_ARG, {"pure_group_incl", "`ranks`"});
    expect_error(pure_group_range_incl(all, 1, stride, &made), PURE_ERR_ARG, {"pure_group_range_incl", "(0, 1, 0)"});
    expect_error(pure_group_translate_ranks(all, 1, &twice[0], all, nullptr), PURE_ERR_ARG, {"`ranks2`"});
    expect_error(pure_group_size(all, nullptr), PURE_ERR_ARG, {"pure_group_size"});
    expect_error(pure_group_size(PURE_GROUP_NULL, &x), PURE_ERR_GROUP, {"pure_group_size", "null group"});
    expect_error(pure_group_size(static_cast<pure_group>(77), &x), PURE_ERR_GROUP, {"0x4d is no group"});
    pure_group copy = all;
    EXPECT_OK(pure_group_free(&all));
    expect_error(pure_group_size(copy, &x), PURE_ERR_GROUP, {"has been freed already"});
    expect_error(pure_group_free(&copy), PURE_ERR_GROUP, {"pure_group_free", "has been freed already"});
  });
}

TEST(pure_h_communicators, freed_foreign_and_invented_handles) {
  std::vector<pure_comm> foreign(1, PURE_COMM_NULL);
  std::vector<pure_group> foreign_group(1, PURE_GROUP_NULL);
  on_ranks(2, [&](int me) {
    pure_comm made;
    EXPECT_OK(pure_comm_dup(world, &made));
    int x = 0;
    if (me == 0) {
      foreign[0] = made;
      EXPECT_OK(pure_comm_group(made, &foreign_group[0]));
      EXPECT_OK(pure_send_msg(&x, 1, PURE_INT, 1, 0, made));
    } else {
      EXPECT_OK(pure_recv_msg(&x, 1, PURE_INT, 0, 0, made));
      expect_error(pure_send_msg(&x, 1, PURE_INT, 0, 0, foreign[0]), PURE_ERR_COMM,
                   {"pure_send_msg: rank 1", "belongs to rank 0"});
      expect_error(pure_group_size(foreign_group[0], &x), PURE_ERR_GROUP, {"belongs to rank 0"});
    }
    pure_comm copy = made;
    EXPECT_OK(pure_comm_free(&made));
    expect_error(pure_send_msg(&x, 1, PURE_INT, 0, 0, copy), PURE_ERR_COMM,
                 {"pure_send_msg", "has been freed already"});
    expect_error(pure_comm_free(&copy), PURE_ERR_COMM, {"pure_comm_free", "has been freed already"});
    EXPECT_OK(pure_comm_dup(world, &made));  // the same entry in the table, used again
    EXPECT_NE(made, copy);
    expect_error(pure_comm_size(copy, &x), PURE_ERR_COMM, {"has been freed already"});
    expect_error(pure_comm_size(static_cast<pure_comm>(12345), &x), PURE_ERR_COMM, {"0x3039 is no communicator"});
    expect_error(pure_comm_size(static_cast<pure_comm>(~std::uint64_t{0}), &x), PURE_ERR_COMM, {"no communicator"});
  });
}

/// Bytes in use on the heap, and pages of the process in memory. Of a sanitizer's heap there is nothing to say.
std::pair<std::size_t, std::size_t> memory_in_use() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {};
#else
  std::size_t total = 0, resident = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return {mallinfo2().uordblks, resident * 4096};
#endif
}

TEST(pure_h_communicators, a_hundred_thousand_cycles_in_constant_memory) {
  on_ranks(3, [](int me) {
    const int cycles = test_support::repetitions(100'000);
    std::pair<std::size_t, std::size_t> early{};
    for (int i = 0; i < cycles; ++i) {
      pure_comm made;
      ASSERT_EQ(i % 4 == 0 ? pure_comm_split(world, me % 2, me, &made) : pure_comm_dup(world, &made), PURE_SUCCESS);
      pure_group group;
      ASSERT_EQ(pure_comm_group(made, &group), PURE_SUCCESS);
      ASSERT_EQ(pure_group_free(&group), PURE_SUCCESS);
      ASSERT_EQ(pure_comm_free(&made), PURE_SUCCESS);
      if (i == cycles / 10 - 1) early = memory_in_use();  // past the quarantine of contexts
    }
    const auto late = memory_in_use();
    constexpr std::size_t noise = 256 << 10;  // what is alive at the moment of looking, in three ranks
    if (cycles == 100'000) {
      EXPECT_LE(late.first, early.first + noise);
      EXPECT_LE(late.second, early.second + 4 * noise);
    }
  });
}

pure_info info_of_one(const char* key, const char* value) {
  pure_info made;
  EXPECT_OK(pure_info_create(&made));
  if (key != nullptr) {
    EXPECT_OK(pure_info_set(made, key, value));
  }
  return made;
}

TEST(pure_h_communicators, guided_splits_take_their_kind_from_an_info_object) {
  on_ranks(3, [] {
    const auto size = [](int type, pure_info info) {
      pure_comm made = PURE_COMM_NULL;
      EXPECT_OK(pure_comm_split_type(world, type, 0, info, &made));
      const int found = made == PURE_COMM_NULL ? 0 : size_of(made);
      if (made != PURE_COMM_NULL) {
        EXPECT_OK(pure_comm_free(&made));
      }
      return found;
    };
    const pure_info shared = info_of_one("mpi_hw_resource_type", "mpi_shared_memory");
    const pure_info unknown = info_of_one("mpi_hw_resource_type", "hwloc://Teapot");
    const pure_info everybody = info_of_one("mpi_pset_name", "mpi://WORLD");
    const pure_info nobody = info_of_one("mpi_pset_name", "app://ocean");
    for (const int type : {PURE_COMM_TYPE_HW_GUIDED, PURE_COMM_TYPE_RESOURCE_GUIDED}) {
      EXPECT_EQ(size(type, shared), 3);
      EXPECT_EQ(size(type, unknown), 0);
      EXPECT_EQ(size(type, nobody), 0);
      EXPECT_EQ(size(type, PURE_INFO_NULL), 0);
      EXPECT_EQ(size(type, everybody), type == PURE_COMM_TYPE_HW_GUIDED ? 0 : 3);
    }
    EXPECT_EQ(size(PURE_COMM_TYPE_MACHINE, unknown), 3) << "it takes no key";

    const pure_info both = info_of_one("mpi_pset_name", "mpi://SELF");
    EXPECT_OK(pure_info_set(both, "mpi_hw_resource_type", "hwloc://Core"));
    pure_comm made;
    expect_error(pure_comm_split_type(world, PURE_COMM_TYPE_RESOURCE_GUIDED, 0, both, &made), PURE_ERR_ARG,
                 {"both a kind of hardware and a process set"});
    const auto no_info = static_cast<pure_info>(77);
    expect_error(pure_comm_split_type(world, PURE_COMM_TYPE_HW_GUIDED, 0, no_info, &made), PURE_ERR_INFO,
                 {"info object"});

    // One rank has no smaller parts, and is told no kind.
    const pure_info found = info_of_one(nullptr, nullptr);
    made = PURE_COMM_SELF;
    EXPECT_OK(pure_comm_split_type(PURE_COMM_SELF, PURE_COMM_TYPE_HW_UNGUIDED, 0, found, &made));
    EXPECT_EQ(made, PURE_COMM_NULL);
    int keys = -1;
    EXPECT_OK(pure_info_get_nkeys(found, &keys));
    EXPECT_EQ(keys, 0);
  });
}

}  // namespace
