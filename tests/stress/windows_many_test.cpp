// Windows that are made and freed for as long as a program runs take nothing with them: neither memory nor mappings, of
// which a process may have 65 530 (vm.max_map_count), nor files.
//
// 3000 windows by default; tests/soak.sh makes many times as many (PURETEST_SCALE).
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::on_ranks;
using test_support::repetitions;
using test_support::world;

struct used {
  std::int64_t mappings = 0;
  std::int64_t pages = 0;
  std::int64_t files = 0;
};

used used_now() {
  used now;
  std::ifstream maps("/proc/self/maps");
  now.mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  std::int64_t all = 0;
  std::ifstream("/proc/self/statm") >> all >> now.pages;
  const std::filesystem::directory_iterator files("/proc/self/fd");
  now.files = std::distance(begin(files), end(files));
  return now;
}

/// One of each kind, of a size that takes pages of its own, or is cut from a block.
void make_and_free(int number) {
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  const std::int64_t bytes = number % 5 == 0 ? 10'000 : 64;
  std::int64_t memory[8] = {};
  switch (number % 4) {
    case 0: EXPECT_OK(pure_win_allocate(bytes, 8, PURE_INFO_NULL, world, &base, &win)); break;
    case 1: EXPECT_OK(pure_win_allocate_shared(bytes, 8, PURE_INFO_NULL, world, &base, &win)); break;
    case 2: EXPECT_OK(pure_win_create(memory, 64, 8, PURE_INFO_NULL, world, &win)); break;
    default: EXPECT_OK(pure_win_create_dynamic(PURE_INFO_NULL, world, &win));
  }
  EXPECT_OK(pure_win_fence(0, win));
  if (number % 4 != 3) {
    const std::int64_t value = number;
    const int right = (pure_rank() + 1) % pure_size();
    EXPECT_OK(pure_put(&value, 1, PURE_INT64_T, right, 1, 1, PURE_INT64_T, win));
  }
  EXPECT_OK(pure_win_fence(PURE_MODE_NOSUCCEED, win));
  EXPECT_OK(pure_win_free(&win));
}

TEST(windows_many, that_come_and_go_leave_nothing) {
  on_ranks(2, [](int me) {
    const int windows = repetitions(3000);
    constexpr int before = 500;  // what is allocated once is there
    for (int i = 0; i < before; ++i) make_and_free(i);
    EXPECT_OK(pure_barrier(world));
    const used first = me == 0 ? used_now() : used{};
    EXPECT_OK(pure_barrier(world));
    for (int i = 0; i < windows; ++i) make_and_free(i);
    EXPECT_OK(pure_barrier(world));
    const used last = me == 0 ? used_now() : used{};
    EXPECT_OK(pure_barrier(world));
    if (me != 0) return;
    // A mapping or 100 bytes for each of many windows would be seen; what malloc does of itself is not.
    EXPECT_LE(last.mappings, first.mappings + 50);
    EXPECT_EQ(last.files, first.files);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose quarantines grow
    EXPECT_LE(last.pages, first.pages + 512 + windows / 50);
#endif
  });
}

}  // namespace
