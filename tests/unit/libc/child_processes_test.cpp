// Whose children are whose: more in the course of time than there are places, numbers that come again, and ends that
// are told once. But for one, no process is started: the kernel is not asked.
#include "libc/child_processes.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
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
  starting.note_made(child);
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
  EXPECT_TRUE(claim_telling(first)) << "the end of the former one was told";
  EXPECT_FALSE(claim_telling(first));
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

TEST(child_processes, have_been_reaped_when_somebody_has_waited_for_them_and_not_when_they_end) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(5);
  siginfo_t end{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(has_been_reaped(child));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(has_been_reaped(child));
}

TEST(child_processes, that_nobody_was_told_of_come_with_their_own_ends) {
  hidden_state& one = new_rank(0);
  const as_rank rank(one);
  pid_t made[2] = {};
  for (int i = 0; i < 2; ++i) {
    starting_child starting;
    made[i] = fork();
    ASSERT_GE(made[i], 0);
    if (made[i] == 0) _exit(20 + i);
    starting.note_made(made[i]);
    siginfo_t end{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(made[i]), &end, WEXITED | WNOWAIT), 0);
  }
  std::size_t place = 0;
  hidden_state* its = nullptr;
  siginfo_t end;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(next_untold_end(place, its, end));
    EXPECT_EQ(its, &one);
    EXPECT_EQ(end.si_status, end.si_pid == made[0] ? 20 : 21);
  }
  EXPECT_FALSE(next_untold_end(place, its, end));
  for (const pid_t each : made) {
    EXPECT_EQ(waitpid(each, nullptr, 0), each);
    note_reaped(each, 0);
  }
}

}  // namespace
