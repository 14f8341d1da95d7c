// The wire format: what is packed comes out again, in order, for messages of all sizes; what is no message is refused.
#include "gateway/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "base/aligned_bytes.hpp"

namespace {

using namespace pure::core;

struct packed_entry {
  wire_envelope entry;
  std::vector<unsigned char> payload;
};

packed_entry random_entry(std::mt19937& dice, std::size_t largest) {
  packed_entry made;
  made.entry.kind = static_cast<wire_kind>(dice() % (static_cast<unsigned>(wire_kind::last) + 1));
  made.entry.who = {.context = static_cast<std::uint32_t>(dice()),
                    .source = static_cast<std::int32_t>(dice()),
                    .tag = static_cast<std::int32_t>(dice())};
  made.entry.to = static_cast<std::uint32_t>(dice());
  made.entry.from = static_cast<std::uint32_t>(dice());
  made.entry.number = static_cast<std::uint32_t>(dice());
  made.entry.payload_tag = static_cast<std::uint32_t>(dice());
  if (made.entry.carries_payload()) {
    made.entry.bytes = dice() % 4 == 0 ? dice() % (largest + 1) : dice() % 40;
    made.entry.bytes = std::min<std::uint64_t>(made.entry.bytes, largest);
  } else {
    made.entry.bytes = (std::uint64_t{dice()} << 32) | dice();  // travels elsewhere: any size
  }
  made.payload.resize(made.entry.bytes_inside());
  for (auto& byte : made.payload) byte = static_cast<unsigned char>(dice());
  return made;
}

TEST(Wire, WhatTheSenderHasSeenTravelsWithTheFirstEntry) {
  const aligned_bytes memory = make_aligned(256);
  wire_writer writer(memory.get(), 256);
  const auto seen_after = [&](std::uint64_t before, std::uint64_t seen) {
    writer.clear();
    wire_envelope answer;
    answer.kind = wire_kind::matched;
    for (int i = 0; i < 2; ++i) static_cast<void>(writer.add(answer));
    return wire_reader(memory.get(), writer.finish(seen)).seen_since(before);
  };
  for (const std::uint64_t before : {std::uint64_t{0}, std::uint64_t{0xfffffe}, std::uint64_t{0x123456789a}}) {
    for (const std::uint64_t more : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffff}}) {
      EXPECT_EQ(seen_after(before, before + more), before + more);
    }
    EXPECT_EQ(seen_after(before, before + 0x1000001), before + 1) << "never more than it was";
  }
  writer.clear();
  EXPECT_EQ(wire_reader(memory.get(), writer.finish(7)).seen_since(5), 5U) << "there is no entry";
}

TEST(Wire, WhatIsPackedComesOutInOrder) {
  std::mt19937 dice(20260403);
  for (const std::size_t capacity :
       {std::size_t{48}, std::size_t{64}, std::size_t{101}, std::size_t{1024}, std::size_t{16'384}}) {
    for (int round = 0; round < 200; ++round) {
      const aligned_bytes memory = make_aligned(capacity + 1);
      memory[capacity] = std::byte{0x5a};
      wire_writer writer(memory.get(), capacity);
      EXPECT_TRUE(writer.empty());
      std::vector<packed_entry> packed;
      std::size_t room = capacity - sizeof(wire_header);
      for (;;) {
        const packed_entry next = random_entry(dice, wire::largest_payload(capacity));
        std::byte* const at = writer.add(next.entry);
        ASSERT_EQ(at != nullptr, next.entry.entry_bytes() <= room);  // no room is wasted
        if (at == nullptr) break;
        room -= next.entry.entry_bytes();
        if (!next.payload.empty()) std::memcpy(at, next.payload.data(), next.payload.size());
        packed.push_back(next);
      }
      if (packed.empty()) continue;
      const std::size_t bytes = writer.finish();
      ASSERT_LE(bytes, capacity);
      EXPECT_EQ(memory[capacity], std::byte{0x5a});

      wire_reader reader(memory.get(), bytes);
      wire_envelope entry;
      const std::byte* payload = nullptr;
      for (const packed_entry& expected : packed) {
        ASSERT_TRUE(reader.next(entry, payload));
        EXPECT_EQ(std::memcmp(&entry, &expected.entry, sizeof entry), 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload) % wire::alignment, 0U);
        EXPECT_TRUE(std::equal(expected.payload.begin(), expected.payload.end(),
                               reinterpret_cast<const unsigned char*>(payload)));
      }
      EXPECT_FALSE(reader.next(entry, payload));
      EXPECT_TRUE(reader.is_whole());
    }
  }
}

TEST(Wire, TheLargestPayloadFits) {
  for (const std::size_t capacity : {std::size_t{48}, std::size_t{49}, std::size_t{1000}, std::size_t{16'384}}) {
    const aligned_bytes memory = make_aligned(capacity);
    wire_writer writer(memory.get(), capacity);
    wire_envelope entry;
    entry.bytes = wire::largest_payload(capacity) + 1;
    EXPECT_EQ(writer.add(entry), nullptr);
    EXPECT_TRUE(writer.empty());
    --entry.bytes;
    EXPECT_NE(writer.add(entry), nullptr);
    writer.clear();
    EXPECT_TRUE(writer.empty());
    entry.bytes = ~std::uint64_t{0};
    EXPECT_EQ(writer.add(entry), nullptr);
    entry.kind = wire_kind::cancel;  // of a message of any size
    EXPECT_NE(writer.add(entry), nullptr);
    writer.clear();
    entry.kind = wire_kind::large;  // which needs room for the number of its record
    EXPECT_EQ(writer.add(entry) != nullptr, capacity > 49);
  }
}

// Reads all entries of a message that is none.
bool is_refused(const std::byte* message, std::size_t bytes) {
  wire_reader reader(message, bytes);
  wire_envelope entry;
  const std::byte* payload = nullptr;
  while (reader.next(entry, payload)) {
  }
  return !reader.is_whole();
}

TEST(Wire, WhatIsNoMessageIsRefused) {
  const aligned_bytes memory = make_aligned(256);
  wire_writer writer(memory.get(), 256);
  wire_envelope entry;
  entry.bytes = 24;
  std::memset(writer.add(entry), 1, 24);
  std::memset(writer.add(entry), 2, 24);
  const std::size_t bytes = writer.finish();
  EXPECT_FALSE(is_refused(memory.get(), bytes));
  for (std::size_t shorter = 0; shorter < bytes; ++shorter) EXPECT_TRUE(is_refused(memory.get(), shorter)) << shorter;

  const auto with = [&](std::size_t at, auto value) {
    const aligned_bytes copy = make_aligned(256);
    std::memcpy(copy.get(), memory.get(), 256);
    std::memcpy(copy.get() + at, &value, sizeof value);
    return is_refused(copy.get(), bytes);
  };
  EXPECT_TRUE(with(offsetof(wire_header, entries), std::uint32_t{1}));  // bytes are left
  EXPECT_TRUE(with(offsetof(wire_header, entries), std::uint32_t{3}));
  EXPECT_TRUE(with(offsetof(wire_header, bytes), static_cast<std::uint32_t>(bytes + 8)));
  const std::size_t first = sizeof(wire_header);
  EXPECT_TRUE(with(first + offsetof(wire_envelope, bytes), std::uint64_t{1000}));
  EXPECT_TRUE(with(first + offsetof(wire_envelope, bytes), ~std::uint64_t{0}));
  EXPECT_TRUE(with(first + offsetof(wire_envelope, kind), std::uint8_t{200}));
}

}  // namespace
