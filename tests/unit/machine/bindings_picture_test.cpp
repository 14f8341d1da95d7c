// The picture of a mapping, letter by letter, as drawn by hand here.
#include "machine/bindings_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace pure::core;

std::string picture(const topology& machine, int ranks, const char* map_by, int cpus_per_rank = 0) {
  return bindings_picture(machine, map_ranks(machine, ranks, {map_by, cpus_per_rank}), map_by);
}

TEST(BindingsPicture, OneSocket) {
  EXPECT_EQ(picture(topology::imagined("pack:1 core:4 pu:1"), 2, "core"),
            "2 ranks on 2 of 4 cores, mapped by core (B: bound here, =: its threads)\n"
            "rank 0  socket 0  numa 0  core 0  cpu 0  threads 0-1  [B=..]\n"
            "rank 1  socket 0  numa 0  core 2  cpu 2  threads 2-3  [..B=]\n");
}

TEST(BindingsPicture, NoThreadsBesideItsOwn) {
  EXPECT_EQ(picture(topology::imagined("pack:1 core:3 pu:1"), 3, "core"),
            "3 ranks on 3 of 3 cores, mapped by core (B: bound here)\n"
            "rank 0  socket 0  numa 0  core 0  cpu 0  [B..]\n"
            "rank 1  socket 0  numa 0  core 1  cpu 1  [.B.]\n"
            "rank 2  socket 0  numa 0  core 2  cpu 2  [..B]\n");
}

TEST(BindingsPicture, SocketsAndNodesAreParted) {
  EXPECT_EQ(picture(topology::imagined("pack:2 numa:2 core:2 pu:2"), 3, "socket"),
            "3 ranks on 3 of 8 cores, mapped by socket (B: bound here, =: its threads)\n"
            "rank 0  socket 0  numa 0  core 0  cpu 0  threads 0-3   [B=|..] [..|..]\n"
            "rank 1  socket 1  numa 2  core 4  cpu 8  threads 8-15  [..|..] [B=|==]\n"
            "rank 2  socket 0  numa 1  core 2  cpu 4  threads 4-7   [..|B=] [..|..]\n");
}

TEST(BindingsPicture, ColumnsLineUpAndForbiddenCoresShow) {
  EXPECT_EQ(picture(topology::imagined("pack:1 core:12 pu:1", std::vector<int>{1, 10, 11}), 2, "core"),
            "2 ranks on 2 of 12 cores, mapped by core (B: bound here, =: its threads, -:\n"
            "    not allowed)\n"
            "rank 0  socket 0  numa 0  core 1   cpu 1                  [-B--------..]\n"
            "rank 1  socket 0  numa 0  core 10  cpu 10  threads 10-11  [-.--------B=]\n");
}

TEST(BindingsPicture, ACoreIsAllowedIfOneOfItsThreadsIs) {
  EXPECT_EQ(picture(topology::imagined("pack:1 core:3 pu:2", std::vector<int>{1, 2}), 1, "core"),
            "1 rank on 1 of 3 cores, mapped by core (B: bound here, =: its threads, -: not\n"
            "    allowed)\n"
            "rank 0  socket 0  numa 0  core 0  cpu 1  threads 1-2  [B=-]\n");
}

TEST(BindingsPicture, NeighboursInOnePlaceShareALine) {
  const topology machine = topology::imagined("pack:2 core:2 pu:1");
  std::istringstream file("0 0-1\n1 0-1\n2 0-1\n3 3\n4 1-2\n");
  EXPECT_EQ(bindings_picture(machine, map_by_file(machine, ranks_to_map::all(5), file, "m").own, "file:m"),
            "5 ranks on 4 of 4 cores, mapped by file:m (B: bound here)\n"
            "ranks 0-2  socket 0     numa 0  cores 0-1  cpus 0-1  [BB] [..]\n"
            "rank 3     socket 1     numa 0  core 3     cpu 3     [..] [.B]\n"
            "rank 4     sockets 0-1  numa 0  cores 1-2  cpus 1-2  [.B] [B.]\n");
}

TEST(BindingsPicture, NothingIsBound) {
  EXPECT_EQ(picture(topology::imagined("pack:1 core:4 pu:1"), 300, "none"),
            "300 ranks, not bound, on 4 cores\n"
            "ranks 0-299  not bound\n");
}

TEST(BindingsPicture, LargeMachinesShowThePartThatMatters) {
  // 64 cores do not fit a line, one of the two sockets does.
  EXPECT_EQ(picture(topology::imagined("pack:2 numa:1 core:32 pu:1"), 2, "socket", 1),
            "2 ranks on 2 of 64 cores, mapped by socket (B: bound here; only its socket)\n"
            "rank 0  socket 0  numa 0  core 0   cpu 0   [B" +
                std::string(31, '.') +
                "]\n"
                "rank 1  socket 1  numa 1  core 32  cpu 32  [B" +
                std::string(31, '.') + "]\n");
  // 96 cores of a socket do not fit, one of its four NUMA nodes does.
  EXPECT_EQ(picture(topology::imagined("pack:2 numa:4 core:24 pu:1"), 2, "numa", 1),
            "2 ranks on 2 of 192 cores, mapped by numa (B: bound here; only its NUMA node)\n"
            "rank 0  socket 0  numa 0  core 0   cpu 0   [B" +
                std::string(23, '.') +
                "]\n"
                "rank 1  socket 0  numa 1  core 24  cpu 24  [B" +
                std::string(23, '.') + "]\n");
  // Not even a NUMA node does.
  EXPECT_EQ(picture(topology::imagined("pack:2 numa:1 core:64 pu:1"), 2, "socket"),
            "2 ranks on 2 of 128 cores, mapped by socket\n"
            "rank 0  socket 0  numa 0  core 0   cpu 0   threads 0-63\n"
            "rank 1  socket 1  numa 1  core 64  cpu 64  threads 64-127\n");
}

TEST(BindingsPicture, NoLineIsTooLongForATerminal) {
  for (const char* machine : {"pack:1 core:2 pu:1", "pack:2 numa:1 core:32 pu:2", "pack:2 numa:4 core:16 pu:2",
                              "pack:8 numa:2 core:24 pu:1", "pack:4 numa:1 core:256 pu:4"}) {
    const topology imagined = topology::imagined(machine);
    std::ostringstream odd;  // of which lists of cpus become long
    for (int rank = 0; rank < 3; ++rank) {
      odd << rank << " 0";
      for (std::size_t cpu = 2; cpu < imagined.hardware_threads().size(); cpu += 2) odd << ',' << cpu;
      odd << '\n';
    }
    std::istringstream file(odd.str());
    const std::string texts[] = {picture(imagined, 100, "core"), picture(imagined, 5000, "socket"),
                                 picture(imagined, 3, "none"),
                                 bindings_picture(imagined, map_by_file(imagined, ranks_to_map::all(3), file, "m").own,
                                                  "file:" + std::string(60, 'm'))};
    for (const std::string& text : texts) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST(BindingsPicture, TheMachineInOneLine) {
  EXPECT_EQ(machine_text(topology::imagined("pack:2 numa:2 core:4 pu:2")),
            "2 sockets, 4 NUMA nodes, 16 cores, 32 hardware threads");
  EXPECT_EQ(machine_text(topology::imagined("pu:1")), "1 socket, 1 NUMA node, 1 core, 1 hardware thread");
}

TEST(BindingsPicture, RanksOfOneProcessHaveTheNumbersOfTheJob) {
  const topology machine = topology::imagined("core:2 pu:1");
  const std::vector<int> numbers = {1, 3, 5};
  std::istringstream file("0 1\n1 0\n2 1\n3 0\n4 1\n5 1\n");
  const mapped_ranks mapped = map_by_file(machine, {.of_job = 6, .own = numbers, .beside = {}}, file, "m");
  EXPECT_EQ(bindings_picture(machine, mapped.own, "file:m", {}, numbers),
            "3 ranks on 2 of 2 cores, mapped by file:m (B: bound here)\n"
            "ranks 1,3  socket 0  numa 0  core 0  cpu 0  [B.]\n"
            "rank 5     socket 0  numa 0  core 1  cpu 1  [.B]\n");
}

}  // namespace
