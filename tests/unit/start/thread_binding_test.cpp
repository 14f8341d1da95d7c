// A rank's own thread and the share of the rank, by the kernel.
#include "start/thread_binding.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "machine/topology.hpp"

namespace {

using namespace pure::core;

using cpus = std::vector<int>;

cpus of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  cpus found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
  }
  return found;
}

class share_of_a_thread : public testing::Test {
 protected:
  void SetUp() override {
    const auto allowed = topology::of_this_machine().allowed_cpus();
    if (allowed.size() < 2) GTEST_SKIP() << "this process may use one cpu only";
    own = {allowed[0]};
    other = {allowed[1]};
    share = {allowed[0], allowed[1]};
    bound.emplace(own);
  }
  cpus own, other, share;
  std::optional<thread_binding> bound;
};

TEST_F(share_of_a_thread, is_used_for_a_while) {
  const share_of_rank rank(own, share);
  {
    const whole_share outer;
    EXPECT_EQ(of_this_thread(), share);
    { const whole_share inner; }
    EXPECT_EQ(of_this_thread(), share) << "the outer one has not ended";
  }
  EXPECT_EQ(of_this_thread(), own);
}

TEST_F(share_of_a_thread, is_not_used_where_the_program_has_bound_the_thread) {
  const share_of_rank rank(own, share);
  const thread_binding by_program(other);
  const whole_share nothing;
  EXPECT_EQ(of_this_thread(), other);
  EXPECT_FALSE(share_of_rank::use_own());
  EXPECT_EQ(of_this_thread(), other);
}

TEST_F(share_of_a_thread, ends_with_the_rank) {
  { const share_of_rank rank(own, share); }
  EXPECT_FALSE(share_of_rank::use_whole());
  EXPECT_EQ(of_this_thread(), own);
}

TEST_F(share_of_a_thread, is_that_of_a_child) {
  const share_of_rank rank(own, share);
  const pid_t child = fork();
  if (child == 0) _exit(of_this_thread() == share ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(of_this_thread(), own) << "the parent's is as before";
}

}  // namespace
