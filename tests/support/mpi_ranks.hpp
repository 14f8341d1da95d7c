// For tests of the door to MPI, from inside: ranks that need no MPI_Init, and whose errors are returned.
#pragma once

#include <gtest/gtest.h>

#include <exception>

#include "api/mpi/mpi_h.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"

#define EXPECT_MPI(call) EXPECT_EQ(call, MPI_SUCCESS)
#define EXPECT_CLASS(call, error_class) EXPECT_EQ(test_support::mpi_class_of(call), error_class)

namespace test_support {

inline int mpi_class_of(int code) {
  int error_class = -1;
  EXPECT_MPI(MPI_Error_class(code, &error_class));
  return error_class;
}

/// function(rank) on each, whose errors are fatal, as MPI has it.
template <class Function>
void on_usual_mpi_ranks(int ranks, Function function) {
  using namespace pure::core;
  const outcome end = run_ranks({.values = {}, .ranks = ranks}, attach_services, [&](rank_context& self) {
    function(self.number());
    return 0;
  });
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
  EXPECT_EQ(end.status, 0);
}

/// The same, with errors that are returned.
template <class Function>
void on_mpi_ranks(int ranks, Function function) {
  on_usual_mpi_ranks(ranks, [&](int rank) {
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    function(rank);
  });
}

}  // namespace test_support
