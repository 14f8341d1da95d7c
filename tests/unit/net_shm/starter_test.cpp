// How the processes of a job see that purerun has ended: by a pipe of which it alone has the writing end.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "net_shm/job_segment.hpp"
#include "net_shm/shm_network.hpp"
#include "net_shm/starter.hpp"

namespace pure::net_shm {
namespace starters {  // of its own, for files are compiled together
namespace {

TEST(shm_starter, is_seen_while_it_lives_and_not_afterwards) {
  std::optional<starter> ours(std::in_place);
  const starter_watch by_number(ours->text().c_str());
  const starter_watch of_this_process(*ours);
  ASSERT_TRUE(by_number.is_open());
  EXPECT_FALSE(by_number.has_starter_ended());
  EXPECT_FALSE(of_this_process.has_starter_ended());
  ours.reset();
  EXPECT_TRUE(by_number.has_starter_ended());
  EXPECT_TRUE(of_this_process.has_starter_ended());
  EXPECT_FALSE(starter_watch("nonsense").is_open());
  EXPECT_FALSE(starter_watch("nonsense").has_starter_ended());
}

/// A script between the two may close what it has not opened: then the pipe is opened by way of /proc, which must not
/// make a writer of the process, or wait for one.
TEST(shm_starter, is_seen_behind_a_script_that_closes_files) {
  std::optional<starter> ours(std::in_place);
  int ready[2], answer[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(answer), 0);
  const std::string text = ours->text();
  const pid_t parent = getpid();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ours.reset();  // its copies of both ends
    std::optional<starter_watch> watch(std::in_place, text.c_str());
    char seen[2] = {static_cast<char>(watch->is_open() && getppid() == parent), 0};
    if (watch->has_starter_ended() || write(ready[1], seen, 1) != 1) _exit(1);
    close(answer[1]);
    if (read(answer[0], seen + 1, 1) != 0) _exit(2);
    _exit(watch->has_starter_ended() ? 0 : 3);
  }
  char is_open = 0;
  ASSERT_EQ(read(ready[0], &is_open, 1), 1);
  EXPECT_EQ(is_open, 1);
  ours.reset();
  for (const int each : {answer[0], answer[1], ready[0], ready[1]}) close(each);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(shm_starter, network_fails_once_when_it_has_ended) {
  std::optional<job_segment> ours(std::in_place, 2);
  std::vector<std::string> failures;
  core::network_opening opening;
  opening.failed = [](void* context, const char* text) {
    static_cast<std::vector<std::string>*>(context)->emplace_back(text);
  };
  opening.context = &failures;
  shm_network end(opening, std::make_shared<opened_segment>(*ours), 0);
  end.look_at_starter();
  EXPECT_TRUE(failures.empty());
  ours.reset();
  end.look_at_starter();
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_NE(failures.front().find("purerun has ended"), std::string::npos);
  // Who waits for others that never come hears of that, too.
  end.come();
  EXPECT_THROW({ end.meet_others(); }, Error);
  // Another process has said so already: this one ends in silence.
  EXPECT_EXIT(end.look_at_starter(), testing::ExitedWithCode(1), "");
}

/// One of the processes makes it, and leaves it to the others when all have opened it.
TEST(shm_starter, is_none_of_a_segment_that_a_process_has_made) {
  std::optional<job_segment> ours(std::in_place, 2, segment_maker::process);
  const std::string text = ours->text();
  EXPECT_LT(text.size(), 64U) << "what processes tell each other has that much room, and some more";
  const auto opened = std::make_shared<opened_segment>(text.c_str(), 2, segment_maker::process);
  const opened_segment of_it(*ours);
  EXPECT_THROW({ opened_segment(text.c_str(), 2); }, Error) << "a starter's has its pipe";
  ours.reset();
  EXPECT_FALSE(opened->has_starter_ended());
  EXPECT_FALSE(of_it.has_starter_ended());
  EXPECT_THROW({ opened_segment(text.c_str(), 2, segment_maker::process); }, Error);

  std::vector<std::string> failures;
  core::network_opening opening;
  opening.failed = [](void* context, const char* text_of) {
    static_cast<std::vector<std::string>*>(context)->emplace_back(text_of);
  };
  opening.context = &failures;
  shm_network end(opening, opened, 0);
  end.look_at_starter();
  EXPECT_TRUE(failures.empty());
}

}  // namespace
}  // namespace starters
}  // namespace pure::net_shm
