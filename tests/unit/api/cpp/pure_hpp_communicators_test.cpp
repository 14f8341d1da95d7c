// pure.hpp, groups and communicators: the typed interface, and what happens to freed ones.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::expect_error;

TEST(pure_hpp_communicators, rows_and_columns) {
  pure::run(6, [](pure::comm world) {
    const pure::comm row = world.split(world.rank() / 3), column = world.split(world.rank() % 3, -world.rank());
    EXPECT_EQ(row.size(), 3);
    EXPECT_EQ(row.rank(), world.rank() % 3);
    EXPECT_EQ(column.size(), 2);
    EXPECT_EQ(column.rank(), 1 - world.rank() / 3) << "backwards, by the key";
    for (const pure::comm& each : {row, column}) each.send(world.rank(), (each.rank() + 1) % each.size());
    EXPECT_EQ(column.recv<int>(), (world.rank() + 3) % 6);
    EXPECT_EQ(row.recv<int>(), world.rank() / 3 * 3 + (world.rank() + 2) % 3);
    EXPECT_EQ(row.name(), "part " + std::to_string(world.rank() / 3) + " of world");
    row.set_name("row");
    EXPECT_EQ(row.dup().name(), "dup of row");
    EXPECT_EQ(row.compare(row), pure::comparison::ident);
    EXPECT_EQ(row.compare(row.dup()), pure::comparison::congruent);
    EXPECT_EQ(row.compare(world), pure::comparison::unequal);
    row.free();
    column.free();
  });
}

TEST(pure_hpp_communicators, some_get_none) {
  pure::run(3, [](pure::comm world) {
    const bool takes_part = world.rank() != 1;
    const std::optional<pure::comm> part = world.split(takes_part ? std::optional(4) : std::nullopt);
    EXPECT_EQ(part.has_value(), takes_part);
    if (part) {
      EXPECT_EQ(part->size(), 2);
    }
    EXPECT_FALSE(world.split(std::nullopt));
    EXPECT_EQ(world.split_type(pure::split_by::process)->size(), 3);
    EXPECT_EQ(world.split_type(pure::split_by::machine, -world.rank())->rank(), 2 - world.rank());
    EXPECT_TRUE(world.split_type(pure::split_by::core)) << "ranks are bound to cores";
    EXPECT_EQ(world.split_type(pure::split_by::hardware("mpi_shared_memory"))->size(), 3);
    EXPECT_EQ(world.split_type(pure::split_by::process_set("mpi://SELF"))->size(), 1);
    EXPECT_FALSE(world.split_type(pure::split_by::hardware("hwloc://Teapot")));
    EXPECT_TRUE(world.split_type(pure::split_by::socket));
    std::string level = "untouched";
    EXPECT_FALSE(
        world.split_type(pure::split_by::process_set("mpi://SELF"))->split_type(pure::split_by::next_level(&level)));
    EXPECT_EQ(level, "untouched");
  });
}

TEST(pure_hpp_communicators, groups_are_values) {
  pure::run(5, [](pure::comm world) {
    const pure::group all = world.group(), odd = all.incl({3, 1}), even = all.excl({1, 3});
    EXPECT_EQ(all.size(), 5);
    EXPECT_EQ(odd | even, all.incl(std::vector{3, 1, 0, 2, 4}));
    EXPECT_TRUE((odd & even).empty());
    EXPECT_EQ(odd & even, pure::group());
    EXPECT_EQ(all - odd, even);
    EXPECT_EQ(all.compare(odd | even), pure::comparison::similar);
    EXPECT_EQ(odd.rank().has_value(), world.rank() % 2 == 1);
    EXPECT_EQ(odd.translate(0, all), 3);
    EXPECT_EQ(odd.translate(0, even), std::nullopt);

    const pure::group mine = world.rank() % 2 == 1 ? odd : even;
    EXPECT_EQ(world.create(mine)->group(), mine);
    const pure::comm among = world.create_group(mine, 7);
    EXPECT_EQ(among.rank(), mine.rank());
    EXPECT_FALSE(world.create(pure::group()));

    const std::string me = "rank " + std::to_string(world.rank());
    expect_error(pure::errc::rank, {"incl: " + me, "rank 5"}, [&] { (void)all.incl({5}); });
    expect_error(pure::errc::rank, {"excl: " + me, "rank 0 is listed twice"}, [&] { (void)all.excl({0, 0}); });
    expect_error(pure::errc::rank, {"translate", "rank 2"}, [&] { (void)odd.translate(2, all); });
    expect_error(pure::errc::group, {"create: rank ", "of group of world", "subset"},
                 [&] { (void)world.create(mine)->create(all); });
  });
  expect_error(pure::errc::state, {"group::rank", "outside a rank"}, [] { (void)pure::group().rank(); });
}

TEST(pure_hpp_communicators, freed_ones_are_errors) {
  pure::run(2, [](pure::comm world) {
    const std::string who = "rank " + std::to_string(world.rank()) + " of dup of world";
    const pure::comm made = world.dup();
    const pure::comm copy = made;
    made.free();
    expect_error(pure::errc::comm, {"send: " + who, "freed already"}, [&] { copy.send(1, 0); });
    expect_error(pure::errc::comm, {"recv: " + who}, [&] { (void)copy.recv<int>(0); });
    expect_error(pure::errc::comm, {"free: " + who}, [&] { copy.free(); });
    expect_error(pure::errc::comm, {"dup: " + who}, [&] { (void)copy.dup(); });
    expect_error(pure::errc::comm, {"name: " + who}, [&] { (void)copy.name(); });
    expect_error(pure::errc::comm, {"compare: " + who}, [&] { (void)world.compare(copy); });
    for (int i = 0; i < 100; ++i) world.dup().free();
    expect_error(pure::errc::comm, {"send: " + who}, [&] { copy.send(1, 0); });
    expect_error(pure::errc::comm, {"free", "of world", "cannot be freed"}, [&] { world.free(); });
    expect_error(pure::errc::argument, {"split", "of world", "color -32766"}, [&] { (void)world.split(-32766); });
  });
}

TEST(pure_hpp_communicators, not_freed_ones_end_with_the_job) {
  pure::run(3, [](pure::comm world) {
    for (int i = 0; i < 50; ++i) {
      const pure::comm made = world.dup();
      if (world.rank() == i % 3) made.free();
    }
  });
}

}  // namespace
