// Which operations touch which bytes: against a model that has a set of operations for each byte.
#include "window/checks/access_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace pure::core {
namespace {

window_access by_origin(int origin, access_kind kind = access_kind::put) {
  window_access made;
  made.kind = kind;
  made.origin = origin;
  return made;
}

std::set<int> origins_at(const access_map& of, std::uint64_t byte) {
  std::set<int> found;
  static_cast<void>(of.find({byte, byte + 1}, [&](const window_access& each) {
    found.insert(each.origin);
    return false;
  }));
  return found;
}

TEST(access_map, every_byte_has_the_operations_that_touch_it) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    constexpr std::uint64_t bytes = 64;
    access_map map;
    std::vector<std::set<int>> model(bytes);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t begin = random() % bytes, end = begin + 1 + random() % (bytes - begin);
      const int origin = static_cast<int>(random() % 5);
      map.add({begin, end}, by_origin(origin));
      for (std::uint64_t byte = begin; byte < end; ++byte) model[byte].insert(origin);
      for (std::uint64_t byte = 0; byte < bytes; ++byte) ASSERT_EQ(origins_at(map, byte), model[byte]) << byte;
    }
    const int over = static_cast<int>(random() % 5);
    map.purge([&](const window_access& each, access_map::range) { return each.origin == over; });
    for (std::uint64_t byte = 0; byte < bytes; ++byte) {
      model[byte].erase(over);
      ASSERT_EQ(origins_at(map, byte), model[byte]) << byte;
    }
    std::uint64_t end = 0;
    for (const auto& [begin, segment] : map.all()) {
      ASSERT_GE(begin, end) << "segments do not overlap";
      ASSERT_FALSE(segment.by.empty());
      end = segment.end;
    }
  }
}

TEST(access_map, a_conflict_has_the_bytes_that_both_touch) {
  access_map map;
  map.add({10, 20}, by_origin(1));
  map.add({30, 40}, by_origin(2));
  const auto any = [](const window_access&) { return true; };
  EXPECT_FALSE(map.find({0, 10}, any));
  EXPECT_FALSE(map.find({20, 30}, any));
  EXPECT_FALSE(map.find({40, 50}, any));
  const auto found = map.find({15, 35}, any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->with.origin, 1);
  EXPECT_EQ(found->bytes.begin, 15U);
  EXPECT_EQ(found->bytes.end, 20U);
  const auto second = map.find({15, 35}, [](const window_access& each) { return each.origin == 2; });
  ASSERT_TRUE(second);
  EXPECT_EQ(second->bytes.begin, 30U);
  EXPECT_EQ(second->bytes.end, 35U);
}

TEST(access_map, many_operations_on_few_places_take_little_room) {
  access_map map;
  for (int i = 0; i < 100'000; ++i) {
    const auto word = static_cast<std::uint64_t>(i % 4);
    map.add({8 * word, 8 * word + 8}, by_origin(i % 3, access_kind::atomic));
  }
  EXPECT_EQ(map.all().size(), 4U);
  for (const auto& [begin, segment] : map.all()) EXPECT_LE(segment.by.size(), 3U) << begin;
  EXPECT_FALSE(map.has_grown());
}

TEST(access_map, the_latest_of_operations_that_are_alike_stands_for_them) {
  access_map map;
  window_access made = by_origin(1);
  made.completions = 1;
  map.add({0, 8}, made);
  made.completions = 2;
  map.add({4, 8}, made);
  EXPECT_TRUE(map.find({0, 4}, [](const window_access& each) { return each.completions == 1; }));
  EXPECT_FALSE(map.find({4, 8}, [](const window_access& each) { return each.completions == 1; }));
}

TEST(access_map, a_read_that_its_request_completes_is_forgotten_alone) {
  access_map map;
  window_access read = by_origin(1, access_kind::get);
  map.add({0, 64}, read);
  read.request = 7;
  map.add({8, 24}, read);
  read.request = 8;
  map.add({8, 24}, read);
  read.origin = 2;
  read.request = 7;  // another rank's
  map.add({8, 24}, read);
  map.remove_read({8, 24}, 1, 7);
  std::vector<std::uint64_t> left;
  static_cast<void>(map.find({8, 24}, [&](const window_access& each) {
    left.push_back(each.request * 10 + static_cast<std::uint64_t>(each.origin));
    return false;
  }));
  EXPECT_EQ(left, (std::vector<std::uint64_t>{1, 81, 72}));
  EXPECT_EQ(origins_at(map, 0), std::set<int>{1});
  access_map of_one;
  of_one.add({3, 5}, read);
  of_one.remove_read({3, 5}, 2, 7);
  EXPECT_TRUE(of_one.all().empty());
}

}  // namespace
}  // namespace pure::core
