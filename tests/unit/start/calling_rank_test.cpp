// pure_init and pure_finalize: who may call them, when, and how often.
#include <pure.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include <pure/error.hpp>
#include <pure/pure.hpp>

#include "runtime/cut_off_job.hpp"
#include "runtime/rank.hpp"
#include "start/calling_rank.hpp"
#include "support/in_a_child.hpp"

namespace pure::core {
namespace {

const call by{"calling_rank_test", {}};

void begin() { begin_calling_rank(by, failure_action::end_process); }

template <class Call>
std::string refusal_of(Call what) {
  try {
    what();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), errc::state);
    return error.what();
  }
  return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(calling_rank, begins_and_ends_any_number_of_times) {
  int is_begun = -1, has_ended = -1;
  for (int i = 0; i < 3; ++i) {
    begin();
    EXPECT_EQ(pure_size(), 1);
    EXPECT_EQ(pure_initialized(&is_begun), PURE_SUCCESS);
    EXPECT_EQ(pure_finalized(&has_ended), PURE_SUCCESS);
    EXPECT_EQ(is_begun, 1);
    EXPECT_EQ(has_ended, 0);
    EXPECT_EQ(end_calling_rank(by, 0).status, 0);
    EXPECT_TRUE(has_calling_rank_begun());
    EXPECT_TRUE(has_calling_rank_ended());
  }
}

TEST(calling_rank, has_to_come_to_its_end_and_those_after_it_to_theirs) {
  EXPECT_STREQ(missing_end(0), "");
  begin();
  EXPECT_TRUE(has(missing_end(0), "pure_finalize() has to come first"));
  end_calling_rank(by, 0);
  EXPECT_STREQ(missing_end(0), "") << "a rank of pure::run ends when its main returns";
}

TEST(calling_rank, is_one_at_a_time) {
  begin();
  EXPECT_TRUE(has(refusal_of(begin), "the calling thread is a rank already"));
  std::thread([] {
    EXPECT_TRUE(has(refusal_of(begin), "another thread of this process is a rank already"));
    EXPECT_TRUE(has(refusal_of([] { end_calling_rank(by, 0); }), "the calling thread is no rank"));
  }).join();
  end_calling_rank(by, 0);
  EXPECT_TRUE(has(refusal_of([] { end_calling_rank(by, 0); }), "the calling thread is no rank"));
}

TEST(calling_rank, is_there_for_other_threads_but_for_its_end) {
  EXPECT_EQ(rank_of_other_thread(), nullptr);
  begin();
  EXPECT_EQ(rank_of_other_thread(), nullptr) << "it is the caller's own";
  std::thread([own = self()] {
    EXPECT_EQ(rank_of_other_thread(), own);
    own->calls().add_guest();
    EXPECT_TRUE(has(refusal_of([] { end_calling_rank(by, 0); }), "the calling thread is no rank"));
  }).join();
  EXPECT_EQ(0, test_support::in_a_child([] { return rank_of_other_thread() == nullptr ? 0 : 1; }));
  end_calling_rank(by, 0);
  std::thread([] { EXPECT_EQ(rank_of_other_thread(), nullptr); }).join();
}

TEST(calling_rank, may_be_another_thread_the_next_time) {
  begin();
  end_calling_rank(by, 0);
  std::thread([] {
    begin();
    EXPECT_EQ(pure_rank(), 0);
    end_calling_rank(by, 0);
  }).join();
}

TEST(calling_rank, is_not_there_in_a_child) {
  begin();
  EXPECT_EQ(0, test_support::in_a_child([] {
              // More than once: what it refuses it leaves as it was.
              for (int i = 0; i < 2; ++i) {
                if (refusal_of([] { end_calling_rank(by, 0); }).empty()) return 1;
              }
              return 0;
            }));
  end_calling_rank(by, 0);
}

TEST(calling_rank, is_one_for_each_process) {
  begin();
  end_calling_rank(by, 0);
  setenv("PURE_RANKS", "2", 1);  // NOLINT(concurrency-mt-unsafe): no other thread is there
  const std::string why = refusal_of(begin);
  unsetenv("PURE_RANKS");  // NOLINT(concurrency-mt-unsafe): likewise
  EXPECT_TRUE(has(why, "2 ranks are asked for") && has(why, "--ranks-as processes -n 2")) << why;
  EXPECT_TRUE(has_calling_rank_ended()) << "what was refused leaves all as it was";
  begin();  // and is not in the way
  end_calling_rank(by, 0);
}

TEST(calling_rank, is_none_of_pure_run) {
  const auto begin_on_rank = [] {
    EXPECT_TRUE(has(refusal_of(begin), "the calling thread is a rank already"));
    EXPECT_TRUE(has(refusal_of([] { end_calling_rank(by, 0); }), "the calling thread is no rank that has begun so"));
  };
  EXPECT_EQ(pure::run(2, begin_on_rank), 0);
}

TEST(calling_rank, environment_is_one) {
  {
    const pure::environment here;
    EXPECT_EQ(here.world().size(), 1);
    EXPECT_EQ(here.world().all_reduce(3, std::plus<>{}), 3);
  }
  EXPECT_TRUE(has_calling_rank_ended());
}

TEST(calling_rank_death, an_exception_that_passes_an_environment) {
  const auto passed = [] {
    try {
      const pure::environment here;
      throw 1;
    } catch (int) {
    }
  };
  EXPECT_EXIT(passed(), testing::ExitedWithCode(1),
              "rank 0: an exception leaves the scope in which the thread is this rank");
}

}  // namespace
}  // namespace pure::core
