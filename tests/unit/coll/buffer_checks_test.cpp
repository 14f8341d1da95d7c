// The arguments of a collective that its rank can see alone: which buffers may be null, and where.
#include "coll/buffer_checks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include <pure/error.hpp>

#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

/// The code with which the calling rank's call is refused; success: it is not.
errc refusal_of(const collective_arguments& what) {
  try {
    check_arguments(communicator_table::of(*self()).world(), {"collect", {"here.cpp", 3}}, what);
    return errc::success;
  } catch (const Error& error) {
    return error.code();
  }
}

/// The first rank gets nothing, the second all.
TEST(buffer_checks, a_scattered_reduction_in_place_has_all_operands_in_the_receive_buffer) {
  test_support::on_ranks(2, [](int me) {
    constexpr std::array<std::int64_t, 2> counts{0, 3};
    std::array<int, 3> operands{}, result{};
    collective_arguments what;
    what.kind = collective::reduce_scatter;
    what.count = operands.size();
    what.how.element_bytes = sizeof(int);
    what.recv_blocks.counts = counts.data();
    what.recv_blocks.element_bytes = sizeof(int);
    EXPECT_EQ(refusal_of(what), errc::buffer) << "its operands are nowhere";
    what.recv = operands.data();
    EXPECT_EQ(refusal_of(what), errc::success);
    what.send = operands.data();
    EXPECT_EQ(refusal_of(what), me == 0 ? errc::success : errc::buffer) << "its result overlaps, unless it has none";
    what.recv = result.data();
    EXPECT_EQ(refusal_of(what), errc::success);
    what.recv = nullptr;
    EXPECT_EQ(refusal_of(what), me == 0 ? errc::success : errc::buffer) << "no result needs no room";
  });
}

}  // namespace
}  // namespace pure::core
