// What is known of a rank's memory in an epoch, against a model that has a value, or nothing, for each byte; and how
// much is copied where an epoch begins.
#include "window/checks/compared_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace pure::core {
namespace {

using range = access_map::range;
using bytes_of_part = std::vector<std::byte>;

constexpr std::size_t block = compared_memory::block_bytes;
constexpr std::size_t large = compared_memory::small_part_bytes + 1;

void set(bytes_of_part& memory, std::uint64_t at, int value) { memory[at] = static_cast<std::byte>(value); }

/// The first of a row of known bytes that differ, as "begin end"; empty: none.
std::string text_of(const std::optional<range>& found) {
  return found ? std::to_string(found->begin) + " " + std::to_string(found->end) : "";
}

TEST(compared_memory, every_byte_that_is_known_is_compared) {
  std::mt19937 random(11);
  for (const std::size_t bytes : {std::size_t{1}, 3 * block - 5, large + 3 * block}) {
    compared_memory compared;
    bytes_of_part memory(bytes);
    std::vector<std::optional<std::byte>> model(bytes);
    compared.begin(memory.data(), bytes);
    const bool is_small = bytes <= compared_memory::small_part_bytes;
    if (is_small) model.assign(bytes, std::byte{0});
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t begin = random() % bytes;
      const std::uint64_t end = begin + 1 + random() % std::min<std::uint64_t>(bytes - begin, 2 * block + 10);
      switch (random() % 4) {
        case 0:  // an operation
          for (std::uint64_t at = begin; at < end; ++at) model[at] = memory[at] = static_cast<std::byte>(random() % 4);
          compared.know({begin, end}, memory.data() + begin);
          break;
        case 1:  // stores
          for (std::uint64_t at = begin; at < std::min(end, begin + 5); ++at)
            set(memory, at, static_cast<int>(random() % 4));
          break;
        case 2:
          for (std::uint64_t at = begin; at < end; ++at) model[at].reset();
          compared.forget({begin, end});
          break;
        default: compared.touch({begin, end});
      }
      const std::uint64_t from = random() % bytes;
      const std::uint64_t to = from + 1 + random() % std::min<std::uint64_t>(bytes - from, 3 * block);
      std::optional<range> expected;
      for (std::uint64_t at = from; at < to; ++at) {
        const bool differs = model[at] && *model[at] != memory[at];
        if (expected && !(differs && expected->end == at)) break;
        if (differs) expected = {expected ? expected->begin : at, at + 1};
      }
      ASSERT_EQ(text_of(compared.changed({from, to}, memory.data())), text_of(expected)) << bytes << " " << i;
    }
  }
}

TEST(compared_memory, a_small_part_is_known_from_the_beginning_and_a_large_one_where_it_is_used) {
  for (const std::size_t bytes : {large - 1, large}) {
    compared_memory compared;
    bytes_of_part memory(bytes);
    compared.begin(memory.data(), bytes);
    set(memory, bytes - 1, 1);
    const std::string end = std::to_string(bytes - 1) + " " + std::to_string(bytes);
    EXPECT_EQ(text_of(compared.changed({0, bytes}, memory.data())), bytes < large ? end : "");
    compared.know({bytes - 2, bytes}, memory.data() + bytes - 2);
    set(memory, bytes - 1, 2);
    EXPECT_EQ(text_of(compared.changed({0, bytes}, memory.data())), end);
  }
}

TEST(compared_memory, the_blocks_that_operations_touch_are_known_in_the_next_epochs) {
  compared_memory compared;
  bytes_of_part memory(large);
  compared.begin(memory.data(), large);
  compared.know({5 * block + 10, 5 * block + 20}, memory.data() + 5 * block + 10);
  compared.touch({9 * block, 9 * block + 1});
  EXPECT_EQ(compared.copied_bytes(), 2 * block);
  for (std::uint64_t epoch = 1; epoch <= compared_memory::epochs_kept + 1; ++epoch) {
    compared.begin(memory.data(), large);
    const bool is_kept = epoch <= compared_memory::epochs_kept;
    EXPECT_EQ(compared.copied_bytes(), is_kept ? 2 * block : 0) << epoch;
    for (const std::uint64_t at : {5 * block, 9 * block + 7}) {
      set(memory, at, static_cast<int>(epoch));
      EXPECT_EQ(compared.changed({at, at + 1}, memory.data()).has_value(), is_kept) << epoch;
    }
  }
}

TEST(compared_memory, no_more_than_the_limit_is_copied) {
  constexpr std::size_t limit = 20 * block, bytes = large + 30 * block;
  compared_memory compared(limit);
  bytes_of_part memory(bytes);
  compared.begin(memory.data(), bytes);
  compared.touch({0, limit - block});
  compared.know({bytes - 1, bytes}, memory.data() + bytes - 1);  // the last one that is copied
  compared.know({40 * block, 41 * block}, memory.data() + 40 * block);
  compared.touch({50 * block, 51 * block});
  EXPECT_EQ(compared.copied_bytes(), limit);
  set(memory, 40 * block, 1);
  set(memory, bytes - 1, 1);
  EXPECT_EQ(text_of(compared.changed({0, bytes}, memory.data())),
            std::to_string(bytes - 1) + " " + std::to_string(bytes));
}

TEST(compared_memory, nothing_is_compared_between_epochs) {
  compared_memory compared;
  bytes_of_part memory(64);
  compared.begin(memory.data(), 64);
  compared.end();
  set(memory, 3, 1);
  EXPECT_FALSE(compared.is_on());
  EXPECT_EQ(text_of(compared.changed({0, 64}, memory.data())), "");
  compared.know({0, 8}, memory.data());
  compared.begin(memory.data(), 64);
  EXPECT_EQ(text_of(compared.changed({0, 64}, memory.data())), "");
  compared.begin(memory.data(), 0);  // a part without memory
  EXPECT_FALSE(compared.is_on());
}

}  // namespace
}  // namespace pure::core
