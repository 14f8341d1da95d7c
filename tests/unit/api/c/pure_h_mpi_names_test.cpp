// pure.h, communicators of programs of mpi.h: the same ones, by the names of either (MPI 5.0, 20.2).
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

MPI_ABI_Comm* named(std::uintptr_t name) { return reinterpret_cast<MPI_ABI_Comm*>(name); }

MPI_ABI_Comm* const null = named(0x100);

TEST(pure_h_mpi_names, predefined_ones) {
  on_ranks(2, [](int) {
    constexpr std::pair<std::uintptr_t, pure_comm> both[] = {
        {0x100, PURE_COMM_NULL}, {0x101, PURE_COMM_WORLD}, {0x102, PURE_COMM_SELF}};
    for (const auto& [name, comm] : both) {
      auto found = pure_comm{77};
      EXPECT_OK(pure_comm_from_mpi(named(name), &found));
      EXPECT_EQ(found, comm);
      MPI_ABI_Comm* back = nullptr;
      EXPECT_OK(pure_comm_to_mpi(comm, &back));
      EXPECT_EQ(back, named(name));
    }
  });
}

TEST(pure_h_mpi_names, made_ones_until_they_are_freed) {
  on_ranks(2, [](int me) {
    pure_comm copy, found;
    MPI_ABI_Comm* name = nullptr;
    EXPECT_OK(pure_comm_dup(world, &copy));
    EXPECT_OK(pure_comm_to_mpi(copy, &name));
    EXPECT_GE(reinterpret_cast<std::uintptr_t>(name), 4096U);
    EXPECT_OK(pure_comm_from_mpi(name, &found));
    EXPECT_EQ(found, copy);
    int sum = 0;
    const int one = me + 1;
    EXPECT_OK(pure_allreduce(&one, &sum, 1, PURE_INT, PURE_SUM, found));
    EXPECT_EQ(sum, 3);
    EXPECT_OK(pure_comm_free(&copy));
    expect_error(pure_comm_from_mpi(name, &found), PURE_ERR_COMM, {"pure_comm_from_mpi"});
    expect_error(pure_comm_to_mpi(found, &name), PURE_ERR_COMM, {"pure_comm_to_mpi"});
  });
}

TEST(pure_h_mpi_names, what_is_no_communicator) {
  on_ranks(1, [](int) {
    auto found = pure_comm{77};
    for (const std::uintptr_t name : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{2}, std::uintptr_t{0xff},
                                      std::uintptr_t{0x103}, std::uintptr_t{4095}, std::uintptr_t{4096}}) {
      expect_error(pure_comm_from_mpi(named(name), &found), PURE_ERR_COMM, {"pure_comm_from_mpi"});
    }
    EXPECT_EQ(found, pure_comm{77});
    expect_error(pure_comm_from_mpi(null, nullptr), PURE_ERR_ARG, {"comm"});
    expect_error(pure_comm_to_mpi(world, nullptr), PURE_ERR_ARG, {"mpi"});
  });
}

}  // namespace
