// Parts of imagined machines, by hwloc's names: which of them cpus have in common.
#include "machine/hardware_levels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <pure/error.hpp>

#include "support/in_a_child.hpp"

namespace {

using namespace pure::core;

TEST(HardwareLevels, EachCpuIsInOneObjectOfEachKind) {
  // 2 sockets, each of 2 NUMA nodes, each of 2 L3 caches, each of 2 cores of 2 threads.
  const hardware_levels machine = hardware_levels::imagined("pack:2 numa:2 l3:2 l2:1 core:2 pu:2");
  for (int cpu = 0; cpu < 32; ++cpu) {
    const auto index = [&](hardware_kind kind) { return machine.common(kind, std::vector{cpu}).index; };
    EXPECT_EQ(index(hardware_kind::machine), 0);
    EXPECT_EQ(index(hardware_kind::package), cpu / 16);
    EXPECT_EQ(index(hardware_kind::numa), cpu / 8);
    EXPECT_EQ(index(hardware_kind::l3), cpu / 4);
    EXPECT_EQ(index(hardware_kind::l2), cpu / 4);
    EXPECT_EQ(index(hardware_kind::core), cpu / 2);
    EXPECT_EQ(index(hardware_kind::thread), cpu);
    for (const hardware_kind missing : {hardware_kind::die, hardware_kind::l5, hardware_kind::l4, hardware_kind::l1})
      EXPECT_EQ(index(missing), hardware_levels::none);
  }
}

TEST(HardwareLevels, CpusOfSeveralObjectsHaveNoneInCommon) {
  const hardware_levels machine = hardware_levels::imagined("pack:2 l3:2 core:2 pu:2");
  const auto number = [&](hardware_kind kind, const std::vector<int>& cpus) {
    return machine.common(kind, cpus).number;
  };
  EXPECT_EQ(number(hardware_kind::core, {6, 7}), 6);
  EXPECT_EQ(number(hardware_kind::core, {5, 6}), hardware_levels::none);
  EXPECT_EQ(number(hardware_kind::l3, {5, 6}), 4);
  EXPECT_EQ(number(hardware_kind::l3, {3, 4}), hardware_levels::none);
  EXPECT_EQ(number(hardware_kind::package, {3, 4, 7}), 0);
  EXPECT_EQ(number(hardware_kind::package, {7, 8}), hardware_levels::none);
  EXPECT_EQ(number(hardware_kind::machine, {0, 15}), 0);
  EXPECT_EQ(number(hardware_kind::core, {}), hardware_levels::none);
  EXPECT_EQ(number(hardware_kind::core, {16}), hardware_levels::none) << "there is no such cpu";
  EXPECT_EQ(number(hardware_kind::core, {-1}), hardware_levels::none);
}

TEST(HardwareLevels, ObjectsAreKnownByTheKernelsNumberOfTheirFirstCpu) {
  const hardware_levels machine = hardware_levels::imagined("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
  const auto second_core = machine.common(hardware_kind::core, std::vector{1, 5});
  EXPECT_EQ(second_core.number, 1);
  EXPECT_EQ(second_core.index, 1);
  const auto second_socket = machine.common(hardware_kind::package, std::vector{2, 6, 3, 7});
  EXPECT_EQ(second_socket.number, 2);
  EXPECT_EQ(second_socket.index, 1);
}

TEST(HardwareLevels, ATopologyHasNoCaches) {
  const hardware_levels machine(topology::imagined("pack:2 l3:1 core:2 pu:2"));
  EXPECT_EQ(machine.common(hardware_kind::core, std::vector{2, 3}).number, 2);
  EXPECT_EQ(machine.common(hardware_kind::package, std::vector{5, 7}).number, 4);
  EXPECT_EQ(machine.common(hardware_kind::numa, std::vector{0, 7}).number, 0);
  EXPECT_EQ(machine.common(hardware_kind::l3, std::vector{0}).number, hardware_levels::none);
}

TEST(HardwareLevels, NamesAreHwlocs) {
  for (std::size_t i = 0; i < hardware_kinds; ++i) {
    const auto kind = static_cast<hardware_kind>(i);
    EXPECT_EQ(hardware_kind_of(hardware_name(kind)), kind);
  }
  EXPECT_EQ(hardware_name(hardware_kind::l3), "hwloc://L3Cache");
  EXPECT_EQ(hardware_kind_of("NUMANode"), hardware_kind::numa) << "as in MPI 4.0";
  EXPECT_EQ(hardware_kind_of("HWLOC://package"), hardware_kind::package);
  EXPECT_EQ(hardware_kind_of("socket"), hardware_kind::package) << "as other MPIs have it, and this and the next";
  EXPECT_EQ(hardware_kind_of("numa"), hardware_kind::numa);
  EXPECT_EQ(hardware_kind_of("hwthread"), hardware_kind::thread);
  for (const char* const unknown : {"", "hwloc://", "hwloc://L3", "L3Cache ", "sockets", "pbs://Core"})
    EXPECT_FALSE(hardware_kind_of(unknown)) << unknown;
}

TEST(HardwareLevels, ThisMachineHasCoresAndNodes) {
  EXPECT_EQ(0, test_support::in_a_child([] {  // the machine is looked up once per process
              const hardware_levels& machine = hardware_levels::of_this_machine();
              for (const int cpu : topology::of_this_machine().allowed_cpus()) {
                for (const hardware_kind kind : {hardware_kind::machine, hardware_kind::package, hardware_kind::numa,
                                                 hardware_kind::core, hardware_kind::thread})
                  EXPECT_NE(machine.common(kind, std::vector{cpu}).number, hardware_levels::none)
                      << hardware_name(kind);
              }
              return testing::Test::HasFailure() ? 1 : 0;
            }));
}

TEST(HardwareLevels, ADescriptionThatHwlocDoesNotUnderstandIsAnError) {
  EXPECT_THROW(static_cast<void>(hardware_levels::imagined("pack:zwei")), pure::Error);
}

}  // namespace
