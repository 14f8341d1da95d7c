// The wire format: what is packed comes out again, in order and as what it is, for entries of all kinds and messages of
// all sizes; what is no packet is refused.
#include "gateway/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <variant>
#include <vector>

#include "base/aligned_bytes.hpp"
#include "gateway/message_entry.hpp"

namespace {

using namespace pure::core;

using any_entry = std::variant<wire_eager, wire_synchronous, wire_large, wire_answer, wire_text, wire_note,
                               wire_control, wire_run_stream, wire_run_end, wire_run_unwanted, wire_nothing>;

struct packed_entry {
  any_entry entry;
  std::vector<unsigned char> payload;

  [[nodiscard]] std::size_t bytes() const {
    return std::visit([](const auto& what) { return sizeof what + wire::padded(wire::payload_bytes(what)); }, entry);
  }
};

/// Any bits, but of its kind, and with a payload that is not too long.
template <class Entry>
any_entry random_bits(std::mt19937& dice, wire_kind kind, std::size_t largest) {
  Entry made;
  std::vector<unsigned char> bits(sizeof made);
  for (auto& each : bits) each = static_cast<unsigned char>(dice());
  std::memcpy(&made, bits.data(), sizeof made);
  made.tail.kind = kind;
  if constexpr (wire::carries_payload<Entry>) {
    made.bytes = std::min<std::uint64_t>(dice() % 4 == 0 ? dice() % (largest + 1) : dice() % 40, largest);
  }
  return made;
}

any_entry random_entry(std::mt19937& dice, wire_kind kind, std::size_t largest) {
  switch (kind) {
    case wire_kind::eager: return random_bits<wire_eager>(dice, kind, largest);
    case wire_kind::eager_synchronous: return random_bits<wire_synchronous>(dice, kind, largest);
    case wire_kind::large:
    case wire_kind::large_synchronous: return random_bits<wire_large>(dice, kind, largest);
    case wire_kind::matched:
    case wire_kind::cancel:
    case wire_kind::cancelled:
    case wire_kind::not_cancelled: return random_bits<wire_answer>(dice, kind, largest);
    case wire_kind::text: return random_bits<wire_text>(dice, kind, largest);
    case wire_kind::note: return random_bits<wire_note>(dice, kind, largest);
    case wire_kind::control: return random_bits<wire_control>(dice, kind, largest);
    case wire_kind::run_begins:
    case wire_kind::run_stream: return random_bits<wire_run_stream>(dice, kind, largest);
    case wire_kind::run_ends: return random_bits<wire_run_end>(dice, kind, largest);
    case wire_kind::run_unwanted: return random_bits<wire_run_unwanted>(dice, kind, largest);
    case wire_kind::nothing: break;
  }
  return random_bits<wire_nothing>(dice, kind, largest);
}

packed_entry random_packed(std::mt19937& dice, std::size_t largest) {
  const auto kind = static_cast<wire_kind>(dice() % (static_cast<unsigned>(wire_kind::last) + 1));
  packed_entry made{random_entry(dice, kind, largest), {}};
  made.payload.resize(std::visit([](const auto& what) { return wire::payload_bytes(what); }, made.entry));
  for (auto& byte : made.payload) byte = static_cast<unsigned char>(dice());
  return made;
}

std::byte* add(wire_writer& to, const any_entry& what) {
  return std::visit([&](const auto& each) { return to.add(each); }, what);
}

TEST(Wire, WhatTheSenderHasSeenTravelsWithTheFirstEntry) {
  const aligned_bytes memory = make_aligned(256);
  wire_writer writer(memory.get(), 256);
  const auto seen_after = [&](std::uint64_t before, std::uint64_t seen) {
    writer.clear();
    for (int i = 0; i < 2; ++i) static_cast<void>(writer.add(wire_answer{}));
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

TEST(Wire, WhatIsPackedComesOutInOrderAsWhatItIs) {
  std::mt19937 dice(20260403);
  for (const std::size_t capacity :
       {std::size_t{56}, std::size_t{64}, std::size_t{101}, std::size_t{1024}, std::size_t{16'384}}) {
    for (int round = 0; round < 200; ++round) {
      const aligned_bytes memory = make_aligned(capacity + 1);
      memory[capacity] = std::byte{0x5a};
      wire_writer writer(memory.get(), capacity);
      EXPECT_TRUE(writer.empty());
      std::vector<packed_entry> packed;
      std::size_t room = capacity - sizeof(wire_header);
      for (;;) {
        const packed_entry next = random_packed(dice, wire::largest_payload(capacity));
        std::byte* const at = add(writer, next.entry);
        ASSERT_EQ(at != nullptr, next.bytes() <= room) << "no room is wasted";
        if (at == nullptr) break;
        room -= next.bytes();
        if (!next.payload.empty()) std::memcpy(at, next.payload.data(), next.payload.size());
        packed.push_back(next);
      }
      if (packed.empty()) continue;
      const std::uint64_t seen = dice();
      const std::size_t bytes = writer.finish(seen);
      ASSERT_LE(bytes, capacity);
      EXPECT_EQ(memory[capacity], std::byte{0x5a});

      wire_reader reader(memory.get(), bytes);
      std::size_t count = 0;
      const auto compare = [&](const auto& got, const std::byte* payload) {
        ASSERT_LT(count, packed.size());
        const packed_entry& expected = packed[count++];
        using kind = std::remove_cvref_t<decltype(got)>;
        ASSERT_TRUE(std::holds_alternative<kind>(expected.entry));
        kind sent = std::get<kind>(expected.entry);
        if (count == 1) std::memcpy(sent.tail.seen, &seen, sizeof sent.tail.seen);
        EXPECT_EQ(std::memcmp(&got, &sent, sizeof got), 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload) % wire::alignment, 0U);
        EXPECT_TRUE(std::equal(expected.payload.begin(), expected.payload.end(),
                               reinterpret_cast<const unsigned char*>(payload)));
      };
      while (reader.next(compare)) {
      }
      EXPECT_EQ(count, packed.size());
      EXPECT_TRUE(reader.is_whole());
    }
  }
}

TEST(Wire, AMessageIsTheSameAtBothEndsWhateverItsKind) {
  for (int kinds = 0; kinds < 4; ++kinds) {
    message_entry sent;
    sent.who = {.context = 7, .source = -3, .tag = 1 << 30};
    sent.bytes = 24;
    sent.to = 5;
    sent.from = 6;
    sent.is_large = kinds % 2 == 1;
    sent.is_synchronous = kinds / 2 == 1;
    sent.record_number = 8;
    (sent.has_send_number() ? sent.send_number : sent.bare_tag) = 9;
    if (sent.is_large) {
      sent.payload_tag = 10;
      sent.stream = 11;
    }
    const aligned_bytes memory = make_aligned(128);
    wire_writer writer(memory.get(), 128);
    ASSERT_NE(sent.write(writer), nullptr);
    message_entry got;
    const auto take = [&]<class Entry>(const Entry& what, const std::byte*) {
      if constexpr (requires { message_entry::of(what); }) got = message_entry::of(what);
    };
    ASSERT_TRUE(wire_reader(memory.get(), writer.finish()).next(take));
    EXPECT_EQ(got.who.context, sent.who.context);
    EXPECT_EQ(got.who.source, sent.who.source);
    EXPECT_EQ(got.who.tag, sent.who.tag);
    EXPECT_EQ(got.bytes, sent.bytes);
    EXPECT_EQ(got.to, sent.to);
    EXPECT_EQ(got.from, sent.from);
    EXPECT_EQ(got.is_large, sent.is_large);
    EXPECT_EQ(got.is_synchronous, sent.is_synchronous);
    EXPECT_EQ(got.record_number, sent.record_number);
    EXPECT_EQ(got.send_number, sent.send_number);
    EXPECT_EQ(got.bare_tag, sent.bare_tag);
    EXPECT_EQ(got.payload_tag, sent.payload_tag);
    EXPECT_EQ(got.stream, sent.stream);
  }
}

TEST(Wire, TheLargestPayloadFits) {
  for (const std::size_t capacity : {std::size_t{48}, std::size_t{49}, std::size_t{1000}, std::size_t{16'384}}) {
    const aligned_bytes memory = make_aligned(capacity);
    wire_writer writer(memory.get(), capacity);
    wire_eager entry;
    entry.bytes = wire::largest_payload(capacity) + 1;
    EXPECT_EQ(writer.add(entry), nullptr);
    EXPECT_TRUE(writer.empty());
    --entry.bytes;
    EXPECT_NE(writer.add(entry), nullptr);
    writer.clear();
    EXPECT_TRUE(writer.empty());
    entry.bytes = ~std::uint64_t{0};
    EXPECT_EQ(writer.add(entry), nullptr);
    EXPECT_NE(writer.add(wire_answer{}), nullptr);
    writer.clear();
    EXPECT_EQ(writer.add(wire_large{}) != nullptr, capacity > 49) << "8 bytes more";
  }
}

// Reads all entries of a packet that is none.
bool is_refused(const std::byte* packet, std::size_t bytes) {
  wire_reader reader(packet, bytes);
  while (reader.next([](const auto&, const std::byte*) {})) {
  }
  return !reader.is_whole();
}

TEST(Wire, WhatIsNoPacketIsRefused) {
  const aligned_bytes memory = make_aligned(256);
  wire_writer writer(memory.get(), 256);
  wire_eager entry;
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
  EXPECT_TRUE(with(first + offsetof(wire_eager, bytes), std::uint64_t{1000}));
  EXPECT_TRUE(with(first + offsetof(wire_eager, bytes), ~std::uint64_t{0}));
  EXPECT_TRUE(with(first + wire::tail_at, std::uint8_t{200}));
}

}  // namespace
