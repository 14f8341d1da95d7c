// The boundary of a door, here of one that exists in this test only: which exceptions become codes, which pass, and
// which end the job.
#include <gtest/gtest.h>

#include <pthread.h>

#include <new>
#include <stdexcept>
#include <string>

#include <pure/run.hpp>

#include "objects/boundary.hpp"
#include "runtime/job.hpp"

namespace {

using pure::core::boundary;
using pure::core::error_state;
using pure::core::job_ended;
using pure::core::rank_context;
using pure::core::run_callback;

struct test_door {
  static inline thread_local error_state errors;  // of the rank, for it keeps its thread

  static constexpr int success = 100;
  static int code_of(pure::errc code) noexcept { return 1000 + static_cast<int>(code); }
  static error_state& errors_of(const rank_context&) noexcept { return errors; }
};

template <class Body>
int through_door(Body body) {
  return boundary<test_door>::call("call_me", body);
}

constexpr int no_memory = 1000 + static_cast<int>(pure::errc::no_memory);

/// In a rank to which errors are returned.
template <class Test>
void where_errors_are_returned(Test test) {
  pure::run(1, [&] {
    test_door::errors = {.returns_errors = true, .last_text = {}};
    test();
  });
}

TEST(boundary_of_doors, a_call_that_goes_well) {
  where_errors_are_returned([] {
    bool has_run = false;
    EXPECT_EQ(through_door([&] { has_run = true; }), test_door::success);
    EXPECT_TRUE(has_run);
    EXPECT_EQ(test_door::errors.last_text, "");
  });
}

TEST(boundary_of_doors, errors_have_the_codes_of_the_door) {
  where_errors_are_returned([] {
    EXPECT_EQ(through_door([] { throw pure::Error(pure::errc::tag, "the tag"); }),
              1000 + static_cast<int>(pure::errc::tag));
    EXPECT_EQ(test_door::errors.last_text, "the tag");
    EXPECT_EQ(through_door([] { throw pure::Error(pure::errc::win, "next"); }),
              1000 + static_cast<int>(pure::errc::win));
    EXPECT_EQ(test_door::errors.last_text, "next");
  });
}

TEST(boundary_of_doors, missing_memory_is_an_error) {
  where_errors_are_returned([] {
    EXPECT_EQ(through_door([] { throw std::bad_alloc(); }), no_memory);
    EXPECT_EQ(test_door::errors.last_text, "call_me: rank 0: out of memory");
    test_door::errors.last_text = {};
    EXPECT_EQ(through_door([] { throw std::bad_array_new_length(); }), no_memory);
    EXPECT_EQ(test_door::errors.last_text, "call_me: rank 0: out of memory");
    test_door::errors.last_text = {};
    EXPECT_EQ(through_door([] { throw std::length_error("vector"); }), no_memory);
    EXPECT_EQ(test_door::errors.last_text, "call_me: rank 0: out of memory");
  });
}

TEST(boundary_of_doors, fatal_errors_go_to_whoever_has_called_run) {
  try {
    pure::run(1, [] {
      test_door::errors = {};
      through_door([] { throw pure::Error(pure::errc::root, "the root"); });
      ADD_FAILURE() << "errors are fatal";
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::root);
    EXPECT_STREQ(error.what(), "the root");
  }
  EXPECT_THROW(pure::run(1,
                         [] {
                           test_door::errors = {};
                           through_door([] { throw std::length_error("vector"); });
                         }),
               pure::Error);
}

TEST(boundary_of_doors, the_end_of_the_job_passes) {
  where_errors_are_returned([] { EXPECT_THROW(through_door([] { throw job_ended(); }), job_ended); });
}

TEST(boundary_of_doors, the_end_of_the_thread_passes) {
  pthread_t thread{};
  bool is_over = false;
  const auto body = [](void* over) -> void* {
    through_door([&] {
      struct noted {
        ~noted() { *is_over = true; }
        bool* is_over;
      } at_end{static_cast<bool*>(over)};
      pthread_exit(nullptr);
    });
    ADD_FAILURE() << "the thread went on";
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &is_over), 0);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(is_over);
}

/// What pure::run throws when its rank does `wrong`.
template <class Wrong>
std::string end_by(Wrong wrong) {
  try {
    where_errors_are_returned([&] {
      wrong();
      ADD_FAILURE() << "the job goes on";
    });
  } catch (const std::exception& error) {
    return error.what();
  } catch (const int number) {
    return std::to_string(number);
  }
  return "nothing";
}

TEST(boundary_of_doors, anything_else_ends_the_job) {
  EXPECT_EQ(end_by([] { through_door([] { throw std::runtime_error("boom"); }); }), "boom");
  EXPECT_EQ(end_by([] { through_door([] { throw 42; }); }), "42");
}

TEST(boundary_of_doors, whatever_a_callback_throws_ends_the_job) {
  EXPECT_EQ(end_by([] { through_door([] { run_callback("call_me", [] { throw std::runtime_error("boom"); }); }); }),
            "boom");
  EXPECT_EQ(end_by([] { through_door([] { run_callback("call_me", [] { throw 43; }); }); }), "43");
  EXPECT_EQ(end_by([] { through_door([] { run_callback("call_me", [] { throw std::bad_alloc(); }); }); }),
            std::bad_alloc().what())
      << "no error of the call";
  EXPECT_EQ(end_by([] {
              through_door([] { run_callback("call_me", [] { throw pure::Error(pure::errc::tag, "inner"); }); });
            }),
            "inner");
}

TEST(boundary_of_doors, a_callback_that_goes_well_has_a_result) {
  where_errors_are_returned([] { EXPECT_EQ(run_callback("call_me", [] { return 7; }), 7); });
}

TEST(boundary_of_doors_DeathTest, a_thread_that_is_no_rank_has_nobody_to_hand_an_error_to) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(through_door([] { throw pure::Error(pure::errc::state, "outside"); }), testing::ExitedWithCode(1),
              "outside");
  EXPECT_EXIT(through_door([] { throw std::bad_alloc(); }), testing::ExitedWithCode(1), "call_me: out of memory");
  EXPECT_EXIT(through_door([] { throw std::runtime_error("boom"); }), testing::ExitedWithCode(1),
              "call_me: a function of the program that it calls has thrown: boom");
  EXPECT_EXIT(through_door([] { throw 44; }), testing::ExitedWithCode(1), "no std::exception");
}

}  // namespace
