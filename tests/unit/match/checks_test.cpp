// The parts of PURE_CHECK: types that match, buffers that overlap (against a list), and the log of sends, which other
// threads read while it is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <pure/datatypes.h>

#include "match/buffer_table.hpp"
#include "match/element_types.hpp"
#include "match/send_log.hpp"

namespace pure::core {
namespace {

TEST(element_types, the_same_values_match_under_all_names) {
  EXPECT_TRUE(types_match({PURE_INT}, {PURE_INT32_T}));
  EXPECT_TRUE(types_match({PURE_SIZE_T}, {PURE_UNSIGNED_LONG}));
  EXPECT_TRUE(types_match({PURE_LONG}, {PURE_LONG_LONG}));
  EXPECT_TRUE(types_match({0}, {PURE_INT}));
  EXPECT_TRUE(types_match({777}, {777}));
  EXPECT_FALSE(types_match({PURE_INT}, {PURE_UNSIGNED}));
  EXPECT_FALSE(types_match({PURE_INT}, {PURE_FLOAT}));
  EXPECT_FALSE(types_match({PURE_BYTE}, {PURE_CHAR}));
  EXPECT_FALSE(types_match({PURE_CHAR}, {PURE_SIGNED_CHAR}));
  EXPECT_FALSE(types_match({777}, {778}));
  for (std::uint32_t code = PURE_BYTE; code <= PURE_LONG_DOUBLE_INT; ++code) {
    EXPECT_FALSE(to_text(element_type{code}).empty()) << code;
    EXPECT_EQ(types_match({code}, {PURE_DOUBLE_INT}), code == PURE_DOUBLE_INT) << code;
  }
}

TEST(buffer_table, finds_the_overlaps_that_a_list_finds) {
  struct interval {
    std::size_t begin, bytes;
    bool is_receive;
  };
  std::vector<std::byte> memory(200);
  std::vector<interval> pending(40);  // the index names the operation; no bytes: none
  buffer_table table;
  std::mt19937 random(7);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  for (int step = 0; step < 20'000; ++step) {
    const interval asked{up_to(180), up_to(20), up_to(1) == 1};
    bool is_taken = false;
    for (const interval& each : pending) {
      const bool overlaps = each.begin < asked.begin + asked.bytes && asked.begin < each.begin + each.bytes;
      is_taken |= overlaps && each.bytes > 0 && asked.bytes > 0 && (each.is_receive || asked.is_receive);
    }
    ASSERT_EQ(table.conflict(&memory[asked.begin], asked.bytes, asked.is_receive) != nullptr, is_taken) << step;
    interval& replaced = pending[up_to(pending.size() - 1)];
    table.remove(&replaced);
    replaced = {};
    if (is_taken) continue;
    replaced = asked;
    pending_buffer held;
    held.is_receive = asked.is_receive;
    held.begin = &memory[asked.begin];
    held.bytes = asked.bytes;
    table.add(&replaced, held);
  }
}

TEST(content_of, changes_with_every_byte) {
  std::vector<unsigned char> bytes(99, 5);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::uint64_t before = content_of(bytes.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] ^= 0x80U;
      EXPECT_NE(content_of(bytes.data(), size), before) << i << " of " << size;
      bytes[i] ^= 0x80U;
    }
    EXPECT_EQ(content_of(bytes.data(), size), before);
    if (size > 0) {
      EXPECT_NE(content_of(bytes.data(), size - 1), before);
    }
  }
}

constexpr const char* site_files[] = {"a.cpp", "b.cpp", "c.cpp"};

/// The call of the send with that count.
call call_number(std::uint32_t count) { return {site_files[count % 3], {site_files[count % 3], count}, PURE_INT}; }

TEST(send_log, knows_the_last_sends) {
  send_log log;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 1; i <= send_log::kept + 5; ++i) {
    const std::uint32_t next = log.next(call_number(i));
    numbers.push_back(log.add(call_number(i)));
    EXPECT_EQ(numbers.back(), next);
    EXPECT_EQ(send_log::type_of(numbers.back()).code, std::uint32_t{PURE_INT});
  }
  EXPECT_FALSE(log.find(numbers[4]));
  for (const std::size_t i : {std::size_t{5}, numbers.size() - 1}) {
    const auto found = log.find(numbers[i]);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->site.line, i + 1);
  }
}

TEST(send_log, copies_what_another_process_has_sent_here) {
  send_log log, copy;
  constexpr std::uint32_t counts = 1U << 20;  // of which a number has the last bits
  std::vector<std::uint32_t> numbers(counts + 8);
  for (std::uint32_t i = 1; i < numbers.size(); ++i) numbers[i] = log.add(call_number(i));
  for (const std::uint32_t i : {1U, 2U, 70'000U, 3 * send_log::kept, counts, counts + 7}) {
    EXPECT_FALSE(copy.find(numbers[i])) << i;
    copy.copy(numbers[i], call_number(i));
    const auto found = copy.find(numbers[i]);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->site.line, i);
    EXPECT_EQ(found->operation, site_files[i % 3]);
  }
  EXPECT_FALSE(copy.find(numbers[send_log::kept + 2])) << "which shares its place";
}

TEST(send_log, a_reader_sees_whole_entries_or_none) {
  send_log log;
  std::atomic<std::uint32_t> last{0};
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint32_t i = 1; !over.load(std::memory_order_relaxed); ++i) {
      log.add(call_number(i));
      last.store(i, std::memory_order_relaxed);
    }
  });
  for (int seen = 0; seen < 20'000;) {
    const std::uint32_t newest = last.load(std::memory_order_relaxed);
    for (const std::uint32_t count : {newest, newest + 1, newest + 1 - std::min(newest, send_log::kept)}) {
      const auto found = log.find(count);
      if (!found) continue;
      ++seen;
      const std::uint32_t sent = found->site.line;  // a message's number has 20 bits of its count
      EXPECT_EQ((sent ^ count) & 0xfffffU, 0U);
      EXPECT_EQ(found->operation, site_files[sent % 3]);
      EXPECT_EQ(found->site.where, site_files[sent % 3]);
    }
  }
  over = true;
  writer.join();
}

}  // namespace
}  // namespace pure::core
