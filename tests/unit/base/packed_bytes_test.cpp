// Numbers and texts in a row of bytes: what is read is what was written; and what ends too early says so.
#include "base/packed_bytes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace pure::core {
namespace {

enum class color : unsigned char { red, green };

std::string all_kinds() {
  byte_packer to;
  to.add(color::green).add(std::string_view("a text")).add(std::int64_t{-5}).add(true).add(std::string_view()).add(7U);
  return to.bytes();
}

TEST(packed_bytes, are_read_as_they_were_written) {
  const std::string bytes = all_kinds();
  byte_unpacker from(bytes);
  EXPECT_EQ(from.number<color>(), color::green);
  EXPECT_EQ(from.text(), "a text");
  EXPECT_EQ(from.number<std::int64_t>(), -5);
  EXPECT_TRUE(from.number<bool>());
  EXPECT_EQ(from.text(), "");
  EXPECT_EQ(from.number<unsigned>(), 7U);
  EXPECT_TRUE(from.is_whole());
  EXPECT_EQ(from.number<unsigned>(), 0U);  // beyond the end
  EXPECT_FALSE(from.is_whole());
}

TEST(packed_bytes, that_end_too_early_are_not_whole) {
  const std::string bytes = all_kinds();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    byte_unpacker from(std::string_view(bytes).substr(0, length));
    static_cast<void>(from.number<color>());
    static_cast<void>(from.text());
    static_cast<void>(from.number<std::int64_t>());
    static_cast<void>(from.number<bool>());
    static_cast<void>(from.text());
    static_cast<void>(from.number<unsigned>());
    EXPECT_FALSE(from.is_whole()) << length << " bytes";
  }
}

TEST(packed_bytes, do_not_promise_more_elements_than_there_are_bytes) {
  byte_packer to;
  to.add(1000U).add('x');
  const std::string bytes = to.bytes();
  byte_unpacker from(bytes);
  EXPECT_EQ(from.count(), 0U);
  EXPECT_FALSE(from.is_whole());
}

}  // namespace
}  // namespace pure::core
