// The pointer table: null until written, and memory only where it is written.
#include "base/pointer_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>

namespace pure::core {
namespace {

TEST(pointer_table, entries_are_null_until_they_are_written) {
  pointer_table<int*> table(1000);
  int value = 0;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(table[i], nullptr);
  table[0] = table[999] = &value;
  EXPECT_EQ(table[0], &value);
  EXPECT_EQ(table[1], nullptr);
  EXPECT_EQ(table[998], nullptr);
  EXPECT_EQ(table[999], &value);
}

TEST(pointer_table, all_are_the_entries_in_order) {
  pointer_table<std::atomic<int*>> table(7);
  ASSERT_EQ(table.all().size(), 7U);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(&table.all()[static_cast<std::size_t>(i)], &table[i]);
  for (std::atomic<int*>& each : table.all()) EXPECT_EQ(each.load(), nullptr);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their allocators touch memory

std::size_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"), std::fclose);
  unsigned long whole = 0, resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%lu %lu", &whole, &resident) != 2) return 0;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(pointer_table, untouched_entries_take_no_memory) {
  constexpr int entries = 32 * 1024 * 1024;
  const std::size_t before = resident_bytes();
  ASSERT_GT(before, 0U);
  pointer_table<int*> table(entries);
  EXPECT_EQ(table[0], nullptr);
  EXPECT_EQ(table[entries - 1], nullptr);
  EXPECT_LT(resident_bytes() - before, entries * sizeof(int*) / 64);
}

#endif

}  // namespace
}  // namespace pure::core
