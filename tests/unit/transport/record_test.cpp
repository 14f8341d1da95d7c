// Records: sizes and marks.
#include "transport/record.hpp"

#include <gtest/gtest.h>

#include <new>

namespace pure::core {
namespace {

TEST(record, a_payload_fills_the_lines_that_its_header_and_bytes_need) {
  for (std::size_t bytes = 0; bytes <= 10'000; ++bytes) {
    std::size_t lines = 1;  // the oracle adds lines until it fits
    while (lines * 64 < 24 + bytes) ++lines;
    ASSERT_EQ(record::lines_for_payload(bytes), lines) << bytes << " bytes";
  }
}

TEST(record, short_messages_are_one_line) {
  EXPECT_EQ(record::lines_for_payload(0), 1U);
  EXPECT_EQ(record::lines_for_payload(40), 1U);
  EXPECT_EQ(record::lines_for_payload(41), 2U);
}

TEST(record, a_mark_holds_lines_kind_and_lap) {
  for (const record_kind kind :
       {record_kind::eager, record_kind::rendezvous, record_kind::moved, record_kind::wrap, record_kind::synchronous}) {
    for (const std::uint32_t lines : {1U, 2U, 1023U, (1U << 27) - 1}) {
      for (const std::uint32_t lap : {ring_mark::even_lap, ring_mark::odd_lap}) {
        const std::uint32_t mark = ring_mark::of(lines, static_cast<std::uint32_t>(kind), lap);
        EXPECT_EQ(mark & (ring_mark::even_lap | ring_mark::odd_lap), lap);
        EXPECT_EQ(ring_mark::lines_in(mark), lines);
        EXPECT_EQ(ring_mark::kind_in(mark), static_cast<std::uint32_t>(kind));
      }
    }
  }
}

TEST(record, the_mark_and_the_first_payload_bytes_share_a_line) {
  EXPECT_EQ(sizeof(record), line_bytes);
  EXPECT_EQ(alignof(record), line_bytes);
  EXPECT_EQ(offsetof(record, mark), 0U);
  EXPECT_EQ(offsetof(record, payload) + record::first_line_payload, line_bytes);
  EXPECT_EQ(offsetof(record, payload) % alignof(void*), 0U) << "it may hold a pointer or an object";
}

}  // namespace
}  // namespace pure::core
