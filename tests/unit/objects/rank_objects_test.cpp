// The objects of a rank: each kind by handles of its own; buffers and info keys, whose rules are the same at all doors.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <pure/run.hpp>

#include "comm/communicator_table.hpp"
#include "match/requests.hpp"
#include "objects/attached_buffer.hpp"
#include "objects/known_info.hpp"
#include "objects/rank_objects.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/rank.hpp"

namespace {

using namespace pure::core;
using pure::errc;

std::unique_ptr<const program_operator> no_operator(operator_table::any_function, operator_table::any_function) {
  return nullptr;
}

TEST(rank_objects, a_handle_is_of_one_kind) {
  rank_objects all(2);
  const std::uint64_t type = all.types.add(datatype(layout(4), PURE_INT, type_signature::of(PURE_INT, 4)));
  const std::uint64_t info = all.infos.add({});
  const std::uint64_t group = all.groups.add({0, 1});
  EXPECT_NE(all.types.find(type), nullptr);
  EXPECT_NE(all.infos.find(info), nullptr);
  EXPECT_NE(all.groups.find(group), nullptr);
  for (const std::uint64_t other : {info, group}) EXPECT_EQ(all.types.find(other), nullptr);
  for (const std::uint64_t other : {type, group}) EXPECT_EQ(all.infos.find(other), nullptr);
  for (const std::uint64_t other : {type, info}) EXPECT_EQ(all.groups.find(other), nullptr);
  for (const std::uint64_t other : {type, info, group}) EXPECT_EQ(all.operators.find(other), nullptr);
  const std::uint64_t op = all.operators.add(nullptr, no_operator);
  for (const std::uint64_t known : {type, info, group}) EXPECT_NE(op, known);
}

TEST(rank_objects, every_rank_has_its_own) {
  pure::run(2, [] {
    rank_objects& own = rank_objects::of(*self());
    EXPECT_EQ(own.infos.live(), 0U);
    const std::uint64_t info = own.infos.add({{"a", std::to_string(self()->number())}});
    EXPECT_EQ(*own.infos.find(info)->find("a"), std::to_string(self()->number()));
    EXPECT_EQ(own.infos.live(), 1U);
    const handle of_other = handle::make(handle_kind::info, static_cast<std::uint32_t>(1 - self()->number()),
                                         handle{info}.generation(), handle{info}.index());
    EXPECT_EQ(own.infos.find(of_other.value), nullptr);
    EXPECT_NE(why_unknown(*self(), of_other.value, "info object").find("belongs to rank"), std::string::npos);
    own.infos.free(info);
    EXPECT_NE(why_unknown(*self(), info, "info object").find("has been freed"), std::string::npos);
    EXPECT_NE(why_unknown(*self(), 0, "info object").find("is the null info object"), std::string::npos);
    EXPECT_NE(why_unknown(*self(), 17, "info object").find("is no info object"), std::string::npos);
  });
}

errc code_of(const std::function<void()>& wrong) {
  try {
    wrong();
  } catch (const pure::Error& error) {
    return error.code();
  }
  return errc::success;
}

TEST(attached_buffers, are_given_back_as_they_were) {
  pure::run(1, [] {
    const communicator& world = communicator_table::of(*self()).world();
    const call by{"attach", {}};
    for (send_buffer* const each : {&world.requests().buffers().of_rank(), &buffer_of(world)}) {
      char memory[100];
      EXPECT_EQ(code_of([&] { detach_buffer(world, by, *each); }), errc::buffer);
      EXPECT_EQ(code_of([&] { attach_buffer(world, by, *each, {memory, -1, false}); }), errc::argument);
      EXPECT_EQ(code_of([&] { attach_buffer(world, by, *each, {nullptr, 1, false}); }), errc::argument);
      EXPECT_FALSE(each->is_attached());
      attach_buffer(world, by, *each, {memory, 100, false});
      EXPECT_EQ(code_of([&] { attach_buffer(world, by, *each, {memory, 100, false}); }), errc::buffer);
      const buffer_memory back = detach_buffer(world, by, *each);
      EXPECT_EQ(back.memory, memory);
      EXPECT_EQ(back.size, 100);
      EXPECT_FALSE(back.is_automatic);
      attach_buffer(world, by, *each, {nullptr, 0, false});
      EXPECT_EQ(detach_buffer(world, by, *each).size, 0);
      attach_buffer(world, by, *each, {memory, -7, true});
      EXPECT_TRUE(detach_buffer(world, by, *each).is_automatic);
      EXPECT_FALSE(each->is_attached());
    }
  });
}

TEST(known_info, of_windows) {
  const call by{"make", {}};
  EXPECT_TRUE(window_options_of(by, {}, true).is_contiguous);
  const info_object all{{"alloc_shared_noncontig", "true"},
                        {"mpi_minimum_memory_alignment", "256"},
                        {"pure_atomics", "hardware"},
                        {"accumulate_ops", "same_op"},
                        {"pure_name", "halo"},
                        {"nobody_knows", "this"}};
  const window_options options = window_options_of(by, all, true);
  EXPECT_FALSE(options.is_contiguous);
  EXPECT_EQ(options.alignment, 256U);
  EXPECT_EQ(options.atomics, atomics_by::hardware);
  EXPECT_EQ(options.promise, same_operations::same);
  EXPECT_EQ(options.name, "halo");
  for (const char* const key : {"alloc_shared_noncontig", "mpi_minimum_memory_alignment", "pure_huge_pages",
                                "pure_atomics", "accumulate_ops"}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(window_options_of(by, {{key, "3x"}}, true)); }), errc::info) << key;
  }
}

TEST(known_info, of_splits) {
  const info_object all{{"mpi_hw_resource_type", "hwloc://L3Cache"}, {"mpi_pset_name", "mpi://SELF"}};
  split_wish guided{split_kind::hw_guided};
  read_split_keys(all, guided);
  EXPECT_EQ(guided.hardware, "hwloc://L3Cache");
  EXPECT_EQ(guided.process_set, std::nullopt);
  split_wish by_resource{split_kind::resource_guided};
  read_split_keys(all, by_resource);
  EXPECT_EQ(by_resource.process_set, "mpi://SELF");
  split_wish plain{split_kind::machine};
  read_split_keys(all, plain);
  EXPECT_EQ(plain.hardware, std::nullopt);
  info_object told;
  note_split_result(told, split_kind::hw_guided, "hwloc://Core");
  EXPECT_EQ(told.size(), 0U);
  note_split_result(told, split_kind::hw_unguided, "hwloc://Core");
  EXPECT_EQ(*told.find("mpi_hw_resource_type"), "hwloc://Core");
}

}  // namespace
