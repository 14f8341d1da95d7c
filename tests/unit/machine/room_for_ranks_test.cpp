// Whether ranks fit, from imitations of /proc and /sys/fs/cgroup.
#include "machine/room_for_ranks.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace pure::core;

class RoomForRanks : public testing::Test {
 protected:
  RoomForRanks() {
    std::string name = (fs::temp_directory_path() / "room_for_ranks_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~RoomForRanks() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void is_in_groups() {
    file("proc/self/cgroup", "0::/batch/job\n");
    file("proc/self/mountinfo", "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  }
  [[nodiscard]] std::string why(std::uint64_t workers, std::uint64_t page_bytes = 0) const {
    return why_too_many(workers, what_ranks_take(8 << 20, page_bytes, root_));
  }

  fs::path root_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr auto k_each = least_bytes_of_rank >> 10;

TEST_F(RoomForRanks, NothingKnownIsNoLimit) { EXPECT_EQ(why(1'000'000), ""); }

TEST_F(RoomForRanks, FreeMemoryAndSwapOfTheMachine) {
  file("proc/meminfo", "MemTotal: 99999999 kB\nMemAvailable:   " + std::to_string(60 * k_each) +
                           " kB\nSwapTotal: 5 kB\nSwapFree:   " + std::to_string(40 * k_each) + " kB\n");
  EXPECT_EQ(why(100), "");
  const std::string text = why(101);
  EXPECT_TRUE(has(text, "101 ranks take at least ")) << text;
  EXPECT_TRUE(has(text, "are left on this machine: at most 100 fit")) << text;
  EXPECT_TRUE(has(text, "purerun -n")) << text;
}

TEST_F(RoomForRanks, HugePagesAreTakenWhole) {
  file("proc/meminfo", "MemAvailable: " + std::to_string(10 << 10) + " kB\n");  // 10 MiB
  EXPECT_EQ(why(4, 2 << 20), "");
  EXPECT_TRUE(has(why(5, 2 << 20), "at most 4 fit"));
}

TEST_F(RoomForRanks, TheMemoryLimitOfAnyGroupOnTheWayUp) {
  is_in_groups();
  file("proc/meminfo", "MemAvailable: 99999999 kB\n");
  file("sys/fs/cgroup/batch/job/memory.max", "max\n");
  file("sys/fs/cgroup/batch/job/memory.current", "1\n");
  file("sys/fs/cgroup/batch/memory.max", std::to_string(12 * least_bytes_of_rank) + "\n");
  file("sys/fs/cgroup/batch/memory.current", std::to_string(7 * least_bytes_of_rank) + "\n");
  file("sys/fs/cgroup/batch/memory.stat", "anon 5\ninactive_file " + std::to_string(5 * least_bytes_of_rank) + "\n");
  EXPECT_EQ(why(10), "") << "files in the cache make way";
  const std::string text = why(11);
  EXPECT_TRUE(has(text, "at most 10 fit")) << text;
  EXPECT_TRUE(has(text, "the memory limit of the container or batch job")) << text;
}

TEST_F(RoomForRanks, AGroupThatIsOverItsLimitHasNoRoom) {
  is_in_groups();
  file("sys/fs/cgroup/batch/memory.max", "1000\n");
  file("sys/fs/cgroup/batch/memory.current", "2000\n");
  EXPECT_TRUE(has(why(1), "at most 0 fit"));
}

TEST_F(RoomForRanks, Threads) {
  is_in_groups();
  file("proc/loadavg", "0.5 0.4 0.3 2/345 6789\n");
  file("proc/sys/kernel/threads-max", "1345\n");
  file("proc/sys/kernel/pid_max", "4000000\n");
  EXPECT_EQ(why(1000), "");
  EXPECT_TRUE(has(why(1001), "kernel.threads-max: at most 1000 fit")) << why(1001);
  file("sys/fs/cgroup/batch/job/pids.max", "300\n");
  file("sys/fs/cgroup/batch/job/pids.current", "100\n");
  EXPECT_TRUE(has(why(201), "201 ranks take at least 201 threads, 1 each")) << why(201);
  EXPECT_TRUE(has(why(201), "(pids.max): at most 200 fit")) << why(201);
}

TEST_F(RoomForRanks, Mappings) {
  file("proc/sys/vm/max_map_count", "65530\n");
  file("proc/self/maps", std::string(530, '\n'));
  EXPECT_EQ(why(32'500), "");
  EXPECT_TRUE(has(why(32'501), "vm.max_map_count: at most 32500 fit")) << why(32'501);
}

TEST_F(RoomForRanks, AddressSpaceForTheStacks) {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  if (before.rlim_max != RLIM_INFINITY && before.rlim_max < (1ULL << 60)) GTEST_SKIP() << "ulimit -v is low already";
  rlimit low = before;
  low.rlim_cur = 1ULL << 60;
  setrlimit(RLIMIT_AS, &low);
  const std::vector<scarce_thing> all = what_ranks_take(1ULL << 58, 0, root_);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(why_too_many(4, all), "");
  EXPECT_TRUE(has(why_too_many(5, all), "lower PURE_STACK_BYTES")) << why_too_many(5, all);
}

TEST(room_for_ranks, this_machine_has_room_for_one) { EXPECT_EQ(why_too_many(1, what_ranks_take(1 << 20, 0)), ""); }

}  // namespace
