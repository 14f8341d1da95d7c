// copy_at_most_40: every length at every alignment; not a byte more is written.
#include "base/small_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace pure::core {
namespace {

constexpr std::size_t longest = 40;

TEST(copy_at_most_40, copies_exactly_that_many_bytes) {
  constexpr std::size_t guard = 64;
  constexpr std::byte fence{0xA5};
  std::vector<std::byte> from(longest + 8);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);  // every byte another one
  for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
    for (std::size_t from_offset = 0; from_offset < 8; ++from_offset) {
      for (std::size_t to_offset = 0; to_offset < 8; ++to_offset) {
        std::vector<std::byte> to(2 * guard + longest + 8, fence);
        std::vector<std::byte> expected = to;
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_offset), bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(guard + to_offset));
        copy_at_most_40(to.data() + guard + to_offset, from.data() + from_offset, bytes);
        ASSERT_EQ(to, expected) << bytes << " bytes";
      }
    }
  }
}

TEST(copy_at_most_40, reads_and_writes_nothing_outside) {  // AddressSanitizer is the judge
  for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
    const auto from = std::make_unique<std::byte[]>(bytes);
    const auto to = std::make_unique<std::byte[]>(bytes);
    std::fill_n(from.get(), bytes, std::byte{7});
    copy_at_most_40(to.get(), from.get(), bytes);
    EXPECT_TRUE(std::equal(from.get(), from.get() + bytes, to.get()));
  }
}

TEST(copy_at_most_40, no_bytes_need_no_memory) { copy_at_most_40(nullptr, nullptr, 0); }

}  // namespace
}  // namespace pure::core
