// What comes out of functions of the program: what passes, and what is said of the rest.
#include <gtest/gtest.h>

#include <pthread.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <pure/error.hpp>

#include "runtime/thrown.hpp"

namespace {

using namespace pure::core;

template <class Thrown>
thrown_text text_of_thrown(Thrown thrown) {
  return text_of(std::make_exception_ptr(thrown));
}

TEST(thrown, texts_by_kinds) {
  EXPECT_EQ(text_of_thrown(pure::Error(pure::errc::tag, "the tag")).kind, thrown_kind::error);
  EXPECT_EQ(text_of_thrown(pure::Error(pure::errc::tag, "the tag")).text, "the tag");
  EXPECT_EQ(text_of_thrown(std::bad_alloc()).kind, thrown_kind::no_memory);
  EXPECT_EQ(text_of_thrown(std::runtime_error("boom")).kind, thrown_kind::standard);
  EXPECT_EQ(text_of_thrown(std::runtime_error("boom")).text, "boom");
  EXPECT_EQ(text_of_thrown(42).kind, thrown_kind::unknown);
  EXPECT_EQ(text_of_thrown(42).text, "an exception that is no std::exception");
}

TEST(thrown, a_function_of_the_program_ends_or_is_answered_for) {
  const auto never = []() -> int {
    ADD_FAILURE() << "nothing was thrown";
    return 0;
  };
  EXPECT_EQ(call_program([] { return 3; }, never), 3);
  EXPECT_EQ(call_program([]() -> int { throw 1; }, [] { return 4; }), 4);
  EXPECT_EQ(call_program([]() -> int { throw std::bad_alloc(); }, [] { return 5; }), 5);
  EXPECT_THROW(call_program([]() -> int { throw job_ended(); }, never), job_ended);
  bool is_answered = false;
  call_program([] { throw pure::Error(pure::errc::tag, "x"); }, [&] { is_answered = true; });
  EXPECT_TRUE(is_answered);
}

TEST(thrown, the_end_of_a_thread_passes) {
  pthread_t thread{};
  bool is_answered = false;
  const auto body = [](void* answered) -> void* {
    call_program([] { pthread_exit(nullptr); }, [&] { *static_cast<bool*>(answered) = true; });
    ADD_FAILURE() << "the thread went on";
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, body, &is_answered), 0);
  pthread_join(thread, nullptr);
  EXPECT_FALSE(is_answered);
}

}  // namespace
