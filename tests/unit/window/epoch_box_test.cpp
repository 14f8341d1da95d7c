// The box of epochs, step by step.
#include "window/epoch_box.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace pure::core {
namespace {

/// The memory of a box for so many ranks.
struct made_box {
  explicit made_box(int ranks)
      : memory(epoch_box::bytes_for(ranks) / sizeof(line) + 1), box(epoch_box::make(memory.data(), ranks)) {}
  struct alignas(line_bytes) line {
    std::byte bytes[line_bytes];
  };
  std::vector<line> memory;
  epoch_box& box;
};

TEST(epoch_box, a_post_is_taken_once_and_names_a_place) {
  made_box of(3);
  EXPECT_EQ(of.box.take_post(2), epoch_box::none);
  EXPECT_FALSE(of.box.post(2, 0)) << "nobody sleeps";
  EXPECT_EQ(of.box.take_post(1), epoch_box::none) << "another rank's";
  EXPECT_EQ(of.box.take_post(2), 0);
  EXPECT_EQ(of.box.take_post(2), epoch_box::none);
  EXPECT_FALSE(of.box.post(0, epoch_box::no_place));
  EXPECT_EQ(of.box.take_post(0), epoch_box::no_place);
}

TEST(epoch_box, counts_the_origins_that_have_ended) {
  made_box of(3);
  EXPECT_EQ(of.box.ended(epoch_box::places), 0U);
  EXPECT_FALSE(of.box.tell(of.box.place_of(1), epoch_box::state::ended));
  EXPECT_FALSE(of.box.tell(of.box.place_of(0), epoch_box::state::filled));
  EXPECT_EQ(of.box.ended(epoch_box::places), 1U) << "the end of one that is filled comes by a message";
  EXPECT_EQ(of.box.ended(1), 0U);
}

TEST(epoch_box, who_sleeps_is_woken_by_whoever_tells_it_something_first) {
  made_box of(2);
  const auto has_come = [&] { return of.box.ended(2) > 0; };
  EXPECT_FALSE(of.box.look_or_sleep(has_come));
  EXPECT_FALSE(of.box.tell(of.box.place_of(0), epoch_box::state::filled)) << "a message will wake it";
  EXPECT_TRUE(of.box.post(1, 0));
  EXPECT_FALSE(of.box.tell(of.box.place_of(0), epoch_box::state::ended)) << "it has been told";
  EXPECT_TRUE(of.box.look_or_sleep(has_come));
  of.box.place_of(0).now.store(epoch_box::state::empty);
  EXPECT_FALSE(of.box.look_or_sleep(has_come));
  EXPECT_TRUE(of.box.tell(of.box.place_of(1), epoch_box::state::ended));
}

TEST(epoch_box, is_found_where_another_process_has_made_it) {
  made_box of(2);
  EXPECT_FALSE(of.box.post(1, 3));
  EXPECT_EQ(epoch_box::at(of.memory.data()).take_post(1), 3);
}

}  // namespace
}  // namespace pure::core
