// Whose children are whose: more in the course of time than there are places, numbers that come again, and ends that
// are told once. No process is started: the kernel is not asked.
#include "loader/child_processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "support/loaded_rank.hpp"

namespace {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;

constexpr pid_t first = 100'000'000;  // no process has such a number
constexpr int many = 5000;            // the table has 1024 places

void start(pid_t child) {
  starting_child starting;
  starting.has_made(child);
}

TEST(child_processes, are_known_as_long_as_they_have_not_been_waited_for) {
  hidden_state& one = new_rank(0);
  hidden_state& other = new_rank(1);
  {
    const as_rank rank(other);
    start(first);  // nobody waits for it
  }
  const as_rank rank(one);
  for (pid_t child = first + 1; child <= first + many; ++child) {
    start(child);
    ASSERT_EQ(rank_of_child(child), &one) << child - first;
    note_reaped(child, 0);
  }
  EXPECT_EQ(rank_of_child(first), &other);
  note_reaped(first, 0);
  EXPECT_EQ(rank_of_child(first + many + 1), nullptr);
}

TEST(child_processes, may_have_the_number_of_another_ranks_former_child) {
  hidden_state& one = new_rank(0);
  hidden_state& other = new_rank(1);
  {
    const as_rank rank(one);
    start(first);
    note_reaped(first, 0);
  }
  const as_rank rank(other);
  start(first);
  EXPECT_EQ(rank_of_child(first), &other);
  EXPECT_TRUE(is_first_to_tell(first)) << "the end of the former one was told";
  EXPECT_FALSE(is_first_to_tell(first));
  note_reaped(first, 0);
}

TEST(child_processes, of_other_threads_are_those_that_are_not_waited_for) {
  hidden_state& one = new_rank(0);
  const as_rank rank(one);
  for (pid_t child = first; child < first + 3; ++child) start(child);
  pid_t found[8];
  EXPECT_EQ(children_of_other_threads(found, 8), 0U) << "this thread has started them";
  std::thread([&] {
    const as_rank same(one);
    EXPECT_EQ(children_of_other_threads(found, 8), 3U);
    EXPECT_EQ(children_of_other_threads(found, 2), 2U) << "there is no more room";
    note_reaped(first + 1, 0);
    EXPECT_EQ(children_of_other_threads(found, 8), 2U);
  }).join();
  note_reaped(first, 0);
  note_reaped(first + 2, 0);
}

}  // namespace
