// Exceptions of the library as failures: what of them goes on to the program, and what a failure keeps until it is
// released. Through the doors: tests/unit/api/cpp/boundary_test.cpp.
#include "runtime/failure_of_thrown.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>

#include <pure/error.hpp>

#include "runtime/program_exception.hpp"

namespace pure::core {
namespace failures {  // of its own, for files are compiled together
namespace {

using detail::failure;
using detail::failure_kind;

struct releaser {
  void operator()(failure* made) const noexcept { detail::pure_cxx_release(made); }
};
using owned_failure = std::unique_ptr<failure, releaser>;

template <class Function>
owned_failure failure_of(Function throws) {
  try {
    throws();
  } catch (...) {
    return owned_failure(detail::failure_of_thrown());
  }
  return nullptr;
}

TEST(failure_of_thrown, an_error_keeps_its_code_text_and_site) {
  const owned_failure made = failure_of([] { throw Error(errc::tag, "the tag", {"halo.cpp", 12}); });
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->kind, failure_kind::error);
  EXPECT_EQ(made->code, static_cast<int>(errc::tag));
  EXPECT_STREQ(made->text, "the tag");
  EXPECT_STREQ(made->site.file, "halo.cpp");
  EXPECT_EQ(made->site.line, 12U);
  EXPECT_EQ(made->original, nullptr) << "the library has thrown it";
}

TEST(failure_of_thrown, others_of_the_library_keep_their_kind) {
  const owned_failure length = failure_of([] { throw std::length_error("long"); });
  EXPECT_EQ(length->kind, failure_kind::length);
  EXPECT_STREQ(length->text, "long");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(failure_of([] { throw std::bad_alloc(); })->kind, failure_kind::no_memory);
  EXPECT_EQ(failure_of([] { throw job_ended(); })->kind, failure_kind::job_ended);
}

/// An exception of the program, of which a test sees how many there are.
struct counted_by_owners {
  std::shared_ptr<int> owners;
};

void rethrow_original(const failure& made) {
  std::rethrow_exception(*reinterpret_cast<std::exception_ptr*>(made.original->thrown));
}

TEST(failure_of_thrown, what_has_come_past_is_kept_until_it_is_released) {
  const auto owners = std::make_shared<int>(7);
  owned_failure made = failure_of([&] { throw counted_by_owners{owners}; });
  ASSERT_NE(made->original, nullptr);
  EXPECT_EQ(owners.use_count(), 2);
  EXPECT_THROW(rethrow_original(*made), counted_by_owners);
  made.reset();
  EXPECT_EQ(owners.use_count(), 1);
}

TEST(failure_of_thrown, so_is_what_stands_for_an_exception_of_the_program) {
  const auto owners = std::make_shared<int>(7);
  owned_failure made = failure_of([&] { detail::in_program([&] { throw counted_by_owners{owners}; }); });
  ASSERT_NE(made->original, nullptr);
  EXPECT_EQ(owners.use_count(), 2);
  EXPECT_THROW(rethrow_original(*made), counted_by_owners);
  made.reset();
  EXPECT_EQ(owners.use_count(), 1);
}

}  // namespace
}  // namespace failures
}  // namespace pure::core
