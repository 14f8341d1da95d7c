// copy_row: with every distance of the two that it treats in another way, and some that it does not; not a byte more is
// written.
#include "base/row_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "base/aligned_bytes.hpp"

namespace pure::core {
namespace {

constexpr std::size_t page = 4096;

TEST(copy_row, only_targets_of_1_to_15_bytes_ahead_in_a_page_are_apart_badly) {
  const aligned_bytes memory = make_aligned(4 * page);
  const std::byte* const from = memory.get() + page;
  for (std::size_t ahead = 0; ahead < page; ++ahead) {
    const bool is_bad = ahead >= 1 && ahead <= 15;
    EXPECT_EQ(are_apart_badly(from + ahead, from), is_bad) << ahead;
    EXPECT_EQ(are_apart_badly(from + page + ahead, from), is_bad) << ahead;
    EXPECT_EQ(are_apart_badly(from - page + ahead, from), is_bad) << ahead;
  }
}

TEST(copy_row, copies_exactly_that_many_bytes) {
  constexpr std::size_t longest = 3 * page;
  constexpr std::byte fence{0xA5};
  std::vector<std::byte> from(longest + page);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251 + 1);
  for (const std::size_t bytes :
       std::initializer_list<std::size_t>{0, 1, 63, 64, 2047, 2048, 2049, 2111, 2112, 4096, 4103, 3 * 4096}) {
    for (std::size_t ahead = 0; ahead <= 17; ++ahead) {
      std::vector<std::byte> room(longest + 3 * page, fence);
      const std::byte* const source = from.data() + ahead * 7 % 64;
      const std::size_t to_source = (reinterpret_cast<std::uintptr_t>(source) + 2 * page -
                                     reinterpret_cast<std::uintptr_t>(room.data()) % page) %
                                    page;
      const std::size_t at = (to_source + ahead) % page + page;
      copy_row(room.data() + at, source, bytes);
      std::vector<std::byte> expected(room.size(), fence);
      std::copy_n(source, bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_EQ(room, expected) << bytes << " bytes, " << ahead << " ahead";
      ASSERT_EQ(are_apart_badly(room.data() + at, source), ahead >= 1 && ahead <= 15);
    }
  }
}

TEST(copy_row, reads_and_writes_nothing_outside) {  // AddressSanitizer is the judge
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, 64, 100, 5000}) {
    const auto from = std::make_unique<std::byte[]>(bytes);
    const auto to = std::make_unique<std::byte[]>(bytes);
    std::fill_n(from.get(), bytes, std::byte{7});
    copy_row_in_blocks(to.get(), from.get(), bytes);
    EXPECT_TRUE(std::equal(from.get(), from.get() + bytes, to.get()));
  }
}

}  // namespace
}  // namespace pure::core
