// The boundary of pure.h: which exceptions become codes, which pass, and which end the job; callbacks of the program
// that throw.
#include <pthread.h>

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "api/c/door.hpp"
#include "runtime/job.hpp"
#include "support/pure_h.hpp"

namespace {

using pure::core::c_door;
using test_support::on_ranks;

TEST(pure_h_door, errors_and_missing_memory_are_codes) {
  on_ranks(1, [] {
    EXPECT_EQ(c_door([] {}), PURE_SUCCESS);
    EXPECT_EQ(c_door([] { throw pure::Error(pure::errc::tag, "the tag"); }), PURE_ERR_TAG);
    EXPECT_STREQ(pure_last_error(), "the tag");
    EXPECT_EQ(c_door("pure_something", [] { throw std::bad_alloc(); }), PURE_ERR_NO_MEM);
    EXPECT_STREQ(pure_last_error(), "pure_something: rank 0: out of memory");
    EXPECT_EQ(c_door([] { throw std::bad_array_new_length(); }), PURE_ERR_NO_MEM);
    EXPECT_EQ(c_door("pure_other", [] { throw std::length_error("vector"); }), PURE_ERR_NO_MEM);
    EXPECT_STREQ(pure_last_error(), "pure_other: rank 0: out of memory");
    EXPECT_STREQ(pure_error_string(PURE_ERR_NO_MEM), "there is not so much memory");
  });
}

TEST(pure_h_door, missing_memory_is_an_error_of_pure_run_where_errors_are_fatal) {
  pure::run(1, [] {
    try {
      c_door("pure_something", [] { throw std::bad_alloc(); });
      ADD_FAILURE() << "errors are fatal";
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::no_memory);
    }
  });
}

TEST(pure_h_door, the_name_is_that_of_the_function) {
  on_ranks(1, [] {
    const auto function_of_pure_h = [] { return c_door([] { throw std::bad_alloc(); }); };
    EXPECT_EQ(function_of_pure_h(), PURE_ERR_NO_MEM);
    EXPECT_NE(std::string(pure_last_error()).find("operator()"), std::string::npos) << pure_last_error();
  });
}

TEST(pure_h_door, the_end_of_a_thread_and_that_of_the_job_pass) {
  pthread_t thread{};
  const auto body = [](void* is_over) -> void* {
    struct noted {
      ~noted() { *is_over = true; }
      bool* is_over;
    };
    c_door([&] {
      const noted at_end{static_cast<bool*>(is_over)};
      pthread_exit(nullptr);
    });
    ADD_FAILURE() << "the thread went on";
    return nullptr;
  };
  bool is_over = false;
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &is_over), 0);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(is_over);
  on_ranks(1, [] { EXPECT_THROW(c_door([] { throw pure::core::job_ended(); }), pure::core::job_ended); });
}

/// What pure::run throws when rank 0 has failed in `call`, and the others wait for it.
template <class Call>
std::string end_by(Call call) {
  try {
    on_ranks(2, [&](int me) {
      if (me == 0) {
        call();
        ADD_FAILURE() << "the call has returned";
      }
      pure_barrier(PURE_COMM_WORLD);
    });
  } catch (const std::exception& error) {
    return error.what();
  } catch (const int number) {
    return std::to_string(number);
  }
  return "nothing";
}

TEST(pure_h_door, any_other_exception_ends_the_job) {
  EXPECT_EQ(end_by([] { c_door([] { throw std::runtime_error("boom"); }); }), "boom");
  EXPECT_EQ(end_by([] { c_door([] { throw 42; }); }), "42");
}

TEST(pure_h_door, callbacks_that_throw_end_the_job) {
  EXPECT_EQ(end_by([] {
              pure_agg items = PURE_AGG_NULL;
              EXPECT_OK(pure_agg_create(PURE_COMM_SELF, nullptr, &items));
              pure_agg_finish_with(
                  items, [](void*) -> int { throw std::runtime_error("by work"); }, nullptr);
            }),
            "by work");
  EXPECT_EQ(end_by([] {
              pure_agg items = PURE_AGG_NULL;
              EXPECT_OK(pure_agg_create(PURE_COMM_SELF, nullptr, &items));
              pure_agg_finish_with(
                  items, [](void*) -> int { throw std::bad_alloc(); }, nullptr);
            }),
            std::bad_alloc().what());
  EXPECT_EQ(end_by([] {
              pure_agg items = PURE_AGG_NULL;
              pure_agg_channel channel;
              EXPECT_OK(pure_agg_create(PURE_COMM_SELF, nullptr, &items));
              EXPECT_OK(pure_agg_on(
                  items, 1, [](void*, const void*, std::size_t, int) { throw std::runtime_error("by handler"); },
                  nullptr, &channel));
              EXPECT_OK(pure_agg_send(channel, "x", 0));
              pure_agg_finish(items);
            }),
            "by handler");
}

TEST(pure_h_door, an_operator_that_throws_ends_the_job) {
  EXPECT_THROW(on_ranks(3,
                        [] {
                          pure_op op = PURE_OP_NULL;
                          const auto fails = [](const void*, void*, std::int64_t, pure_datatype) {
                            throw std::runtime_error("by operator");
                          };
                          EXPECT_OK(pure_op_create(fails, true, &op));
                          const int in = 1;
                          int out = 0;
                          pure_allreduce(&in, &out, 1, PURE_INT, op, PURE_COMM_WORLD);
                          pure_barrier(PURE_COMM_WORLD);
                        }),
               std::runtime_error);
}

}  // namespace
