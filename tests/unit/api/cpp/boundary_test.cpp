// The two boundaries of the typed interface: from the library to the program, and from the program to the library.
#include "api/cpp/boundary.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/resource.h>

#include <cerrno>
#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <pure/detail/failure.hpp>

#include "runtime/program_exception.hpp"
#include "runtime/thrown.hpp"
#include "support/in_a_child.hpp"

namespace {

using pure::core::thrown_kind;
using pure::detail::at_boundary;
using pure::detail::check;
using pure::detail::failure;
using pure::detail::failure_kind;
using pure::detail::in_program;

TEST(boundary_of_the_library, nothing_thrown_is_no_failure) {
  int calls = 0;
  EXPECT_EQ(at_boundary([&] { ++calls; }), nullptr);
  check(nullptr);
  EXPECT_EQ(calls, 1);
}

TEST(boundary_of_the_library, errors_keep_code_text_and_site) {
  failure* const made = at_boundary([] { throw pure::Error(pure::errc::tag, "the tag", {"halo.cpp", 12}); });
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->kind, failure_kind::error);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  try {
    check(made);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::tag);
    EXPECT_STREQ(error.what(), "the tag");
    EXPECT_STREQ(error.site().file, "halo.cpp");
    EXPECT_EQ(error.site().line, 12U);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  }
}

TEST(boundary_of_the_library, others_keep_their_kind) {
  EXPECT_THROW(check(at_boundary([] { throw std::bad_alloc(); })), std::bad_alloc);
  EXPECT_THROW(check(at_boundary([] { throw std::length_error("long"); })), std::length_error);
  EXPECT_THROW(check(at_boundary([] { throw pure::core::job_ended(); })), pure::core::job_ended);
  EXPECT_THROW(check(at_boundary([] { throw std::system_error(EIO, std::generic_category()); })), std::system_error);
  EXPECT_THROW(check(at_boundary([] { throw 42; })), int) << "of a callback of pure.h";
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end a process that has no memory left
TEST(boundary_of_the_library, a_failure_may_be_the_last_of_the_memory) {
  const pure::Error too_long(pure::errc::tag, std::string(std::size_t{256} << 20, 'x'));  // its copies share the text
  EXPECT_EQ(0, test_support::in_a_child([&] {
              std::size_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t most = (pages + 1000) * 4096;
              const rlimit limit{most, most};  // also below a hard limit, which nobody may raise
              if (setrlimit(RLIMIT_AS, &limit) != 0) return 3;
              failure* const made = at_boundary([&] { throw pure::Error(too_long); });
              if (made == nullptr || made->kind != failure_kind::no_memory) return 1;
              try {
                check(made);
              } catch (const std::bad_alloc&) {
                return 0;
              }
              return 2;
            }));
}
#endif

/// How the library sees what the program throws.
template <class Function>
pure::core::thrown_text seen_by_library(Function function) {
  try {
    in_program(function);
  } catch (const pure::core::program_exception&) {
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    return pure::core::text_of(std::current_exception());
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(boundary_of_the_program, the_library_knows_kind_and_text) {
  const auto error = seen_by_library([] { throw pure::Error(pure::errc::tag, "the tag"); });
  EXPECT_EQ(error.kind, thrown_kind::error);
  EXPECT_EQ(error.text, "the tag");
  EXPECT_EQ(seen_by_library([] { throw std::bad_alloc(); }).kind, thrown_kind::no_memory);
  EXPECT_EQ(seen_by_library([] { throw std::bad_alloc(); }).text, std::bad_alloc().what());
  EXPECT_EQ(seen_by_library([] { throw std::length_error("long"); }).text, "long");
  const auto standard = seen_by_library([] { throw std::domain_error("mine"); });
  EXPECT_EQ(standard.kind, thrown_kind::standard);
  EXPECT_EQ(standard.text, "mine");
  EXPECT_EQ(seen_by_library([] { throw 42; }).kind, thrown_kind::unknown);
  EXPECT_EQ(seen_by_library([] { throw 42; }).text, "an exception that is no std::exception");
}

TEST(boundary_of_the_program, the_library_catches_it_as_its_own) {
  const auto thrown = [](auto what) { in_program([=] { throw what; }); };
  try {
    thrown(pure::Error(pure::errc::dims, "mine", {"own.cpp", 5}));
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::dims);
    EXPECT_EQ(error.site().line, 5U);
  }
  EXPECT_THROW(thrown(std::bad_alloc()), std::bad_alloc);
  EXPECT_THROW(thrown(std::length_error("long")), std::length_error);
  EXPECT_THROW(thrown(std::domain_error("mine")), std::exception);
}

TEST(boundary_of_the_program, the_end_of_a_job_passes_both) {
  EXPECT_THROW(in_program([] { throw pure::core::job_ended(); }), pure::core::job_ended);
  EXPECT_THROW(check(at_boundary([] { in_program([] { throw pure::core::job_ended(); }); })), pure::core::job_ended);
}

TEST(boundary_of_the_program, exceptions_pass_any_number_of_both) {
  const auto through = [](auto function) { check(at_boundary([&] { in_program(function); })); };
  EXPECT_THROW(through([] { throw std::domain_error("mine"); }), std::domain_error);
  EXPECT_THROW(through([&] { through([&] { through([] { throw 42; }); }); }), int);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(boundary_of_the_program, one_exception_is_kept_in_two_places) {
  std::exception_ptr in_library;
  failure* const made = at_boundary([&] {
    try {
      in_program([] { throw std::string("a text that is too long to be in the object"); });
    } catch (...) {
      in_library = std::current_exception();  // as a job does
      throw;
    }
  });
  EXPECT_THROW(check(made), std::string);
  try {
    check(at_boundary([&] { std::rethrow_exception(std::exchange(in_library, nullptr)); }));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::string& text) {
    EXPECT_EQ(text, "a text that is too long to be in the object");
  }
}

TEST(boundary_of_the_program, results_and_what_throws_nothing) {
  EXPECT_EQ(in_program([] { return 3; }), 3);
  int value = 4;
  in_program([&]() noexcept { ++value; });
  EXPECT_EQ(value, 5);
}

TEST(boundaries, the_end_of_a_thread_passes) {
  static bool has_returned;
  has_returned = false;
  pthread_t thread{};
  ASSERT_EQ(0, pthread_create(
                   &thread, nullptr,
                   [](void*) -> void* {
                     check(at_boundary([] { in_program([] { pthread_exit(nullptr); }); }));
                     has_returned = true;
                     return nullptr;
                   },
                   nullptr));
  pthread_join(thread, nullptr);
  EXPECT_FALSE(has_returned);
}

}  // namespace
