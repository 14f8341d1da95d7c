// pure_mpi_lock and pure::mpi_lock in a job of one process: ranks exclude each other. (With an MPI:
// tests/net/own_mpi.sh)
#include <pure.h>

#include <gtest/gtest.h>

#include <string>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

TEST(own_mpi, one_rank_at_a_time) {
  constexpr long each = 3'000;
  for (const int ranks : {1, 2, 3, 4, 7}) {
    for (const char* spin_us : {"50000", "0"}) {  // 0: those that wait sleep at once
      const test_support::environment spin{{"PURE_SPIN_US", spin_us}};
      long count = 0;  // a plain one: a race would be a wrong sum, and an error of ThreadSanitizer
      pure::run(ranks, [&] {
        for (long i = 0; i < each; i += 2) {
          const pure::mpi_lock alone;
          ++count;
        }
        for (long i = 0; i < each; i += 2) {
          EXPECT_OK(pure_mpi_lock());
          ++count;
          EXPECT_OK(pure_mpi_unlock());
        }
      });
      EXPECT_EQ(count, each * ranks) << ranks << " ranks, PURE_SPIN_US=" << spin_us;
    }
  }
}

TEST(own_mpi, misuse_is_an_error) {
  on_ranks(2, [] {
    expect_error(pure_mpi_unlock(), PURE_ERR_STATE, {"pure_mpi_unlock", "pure_mpi_lock comes first"});
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_mpi_lock());
    expect_error(pure_mpi_lock(), PURE_ERR_STATE, {"pure_mpi_lock", "it has the MPI already (pure_mpi_lock at"});
    EXPECT_THROW(const pure::mpi_lock another, pure::Error);
    EXPECT_OK(pure_mpi_unlock());
    expect_error(pure_mpi_unlock(), PURE_ERR_STATE, {"pure_mpi_lock comes first"});
  });
}

TEST(own_mpi, outside_a_rank_it_is_an_error) { EXPECT_THROW(const pure::mpi_lock alone, pure::Error); }

/// What the failure of a job says.
template <class Function>
std::string failure_of(Function function) {
  try {
    pure::run(2, function);
  } catch (const pure::Error& error) {
    return error.what();
  }
  return "no failure";
}

TEST(own_mpi, a_main_that_returns_with_it_is_a_failure) {
  const std::string text = failure_of([] { pure_mpi_lock(); });
  EXPECT_NE(text.find("its main has returned while it has the MPI to itself (pure_mpi_lock at"), std::string::npos)
      << text;
}

TEST(own_mpi, a_rank_that_waits_for_ever_says_for_whom) {
  const std::string text = failure_of([](pure::comm on) {
    if (on.rank() == 0) {
      const pure::mpi_lock alone;
      on.send(1, 1);
      static_cast<void>(on.recv<int>(1));  // which never sends
    } else {
      static_cast<void>(on.recv<int>(0));
      const pure::mpi_lock never;
    }
  });
  EXPECT_NE(text.find("rank 1 waits in mpi_lock for the end of the MPI calls of rank 0, at"), std::string::npos)
      << text;
}

TEST(own_mpi, an_exception_gives_it_back) {
  int caught = 0;
  pure::run(1, [&] {
    try {
      const pure::mpi_lock alone;
      throw 7;
    } catch (int) {
      ++caught;
    }
    const pure::mpi_lock again;
    ++caught;
  });
  EXPECT_EQ(caught, 2);
}

}  // namespace
