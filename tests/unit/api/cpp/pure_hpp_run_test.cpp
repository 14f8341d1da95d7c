// pure::run: what its three forms take for a function, and that they do the same with it. More is in ../run_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <pure/pure.hpp>

namespace {

std::atomic<int> calls_of_run{0};

void plain_program(pure::comm world) { calls_of_run += world.size(); }
void plain_program_of_nothing() noexcept { ++calls_of_run; }
int program_that_returns(pure::comm world) { return world.rank() == 1 ? 7 : 0; }
void program_that_throws(pure::comm world) {
  if (world.rank() == 1) throw std::out_of_range("my cause");
  (void)world.recv<int>(1);  // left when rank 1 has thrown
}

struct functor {
  std::unique_ptr<int> only_moved = std::make_unique<int>(2);
  void operator()(pure::comm) const { calls_of_run += *only_moved / 2; }
};

// All three forms on two ranks; how often ranks were called, each of which adds what is said above.
template <class Function>
int calls(Function&& function) {
  calls_of_run = 0;
  char name[] = "program";
  char* argv[] = {name, nullptr};
  EXPECT_EQ(pure::run(2, function), 0);
  EXPECT_EQ(pure::run(function), 0);
  EXPECT_EQ(pure::run(1, argv, function), 0);
  return calls_of_run;
}

class two_ranks : public ::testing::Test {
 protected:
  void SetUp() override { setenv("PURE_RANKS", "2", 1); }
  void TearDown() override { unsetenv("PURE_RANKS"); }
};
using pure_hpp_run = two_ranks;

TEST_F(pure_hpp_run, takes_functions_by_their_name_and_by_pointer) {
  EXPECT_EQ(calls(plain_program), 3 * 2 * 2);
  EXPECT_EQ(calls(&plain_program), 3 * 2 * 2);
  EXPECT_EQ(calls(plain_program_of_nothing), 3 * 2);
  void (*const pointer)(pure::comm) = plain_program;
  EXPECT_EQ(calls(pointer), 3 * 2 * 2);
}

TEST_F(pure_hpp_run, takes_objects) {
  EXPECT_EQ(calls(functor{}), 3 * 2);
  const functor constant;
  EXPECT_EQ(calls(constant), 3 * 2);
  EXPECT_EQ(calls(std::function<void(pure::comm)>(plain_program)), 3 * 2 * 2);
  EXPECT_EQ(calls(std::function<void()>(plain_program_of_nothing)), 3 * 2);
  EXPECT_EQ(calls([](pure::comm) { ++calls_of_run; }), 3 * 2);
  EXPECT_EQ(calls([] { ++calls_of_run; }), 3 * 2);
  EXPECT_EQ(pure::run(2, functor{}), 0);  // lives until all ranks have ended
}

TEST_F(pure_hpp_run, returns_the_first_status_by_rank) {
  EXPECT_EQ(pure::run(3, program_that_returns), 7);
  EXPECT_EQ(pure::run(program_that_returns), 7);
  EXPECT_EQ(pure::run(0, nullptr, program_that_returns), 7);
  EXPECT_EQ(pure::run(3, [](pure::comm world) { return world.rank() == 0 ? 0 : 10 * world.rank(); }), 10);
}

TEST_F(pure_hpp_run, throws_what_the_first_rank_that_failed_threw) {
  for (const bool counted : {true, false}) {
    try {
      if (counted) {
        pure::run(2, program_that_throws);
      } else {
        pure::run(program_that_throws);
      }
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "my cause");
    }
  }
  EXPECT_EQ(pure::run(2, plain_program), 0);  // the next run knows nothing of it
}

TEST_F(pure_hpp_run, of_a_main_prints_the_failure_once_and_throws_nothing) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(pure::run(0, nullptr, program_that_throws), 1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("rank 1"), std::string::npos) << said;
  const std::size_t first = said.find("my cause");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("my cause", first + 1), std::string::npos) << said;
}

TEST_F(pure_hpp_run, refuses_what_cannot_be_started) {
  EXPECT_THROW(pure::run(0, plain_program), pure::Error);
  setenv("PURE_RANKS", "none", 1);
  EXPECT_THROW(pure::run(plain_program), pure::Error);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(pure::run(0, nullptr, plain_program), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("PURE_RANKS=none"), std::string::npos);
}

}  // namespace
