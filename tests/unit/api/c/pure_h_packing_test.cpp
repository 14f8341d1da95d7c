// pure.h, packing: what is packed is what a message would be, and positions stay in the buffer.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstdint>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

TEST(pure_h_packing, what_comes_out_is_what_went_in) {
  on_ranks(2, [](int me) {
    const std::array<int, 5> ints{1, 2, 3, 4, 5};
    const double number = 2.5;
    pure_datatype odd = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_vector(3, 1, 2, PURE_INT, &odd));
    std::int64_t size = 0;
    int size_of_double = 0, position = 0;
    EXPECT_OK(pure_pack_size(1, odd, world, &size));
    EXPECT_OK(pure_pack_size(1, PURE_DOUBLE, world, &size_of_double));
    EXPECT_TRUE(size == 12 && size_of_double == 8);
    std::array<std::byte, 20> packed;
    if (me == 0) {
      EXPECT_OK(pure_pack(ints.data(), 1, odd, packed.data(), 20, &position, world));
      EXPECT_EQ(position, 12);
      std::int64_t wide = position;
      EXPECT_OK(pure_pack(&number, 1, PURE_DOUBLE, packed.data(), 20, &wide, world));
      EXPECT_EQ(wide, 20);
      // No byte is left: nothing is written, and the position stays.
      expect_error(pure_pack(&number, 1, PURE_DOUBLE, packed.data(), 27, &wide, world), PURE_ERR_ARG, {"8 bytes"});
      EXPECT_EQ(wide, 20);
      EXPECT_OK(pure_send_msg(packed.data(), 20, PURE_PACKED, 1, 0, world));
      EXPECT_OK(pure_send_msg(packed.data(), 12, PURE_PACKED, 1, 1, world));
    } else {
      EXPECT_OK(pure_recv_msg(packed.data(), 20, PURE_PACKED, 0, 0, world));
      std::array<int, 3> got{};
      double value = 0;
      EXPECT_OK(pure_unpack(packed.data(), 20, &position, got.data(), 3, PURE_INT, world));
      EXPECT_OK(pure_unpack(packed.data(), 20, &position, &value, 1, PURE_DOUBLE, world));
      EXPECT_EQ(got, (std::array{1, 3, 5}));
      EXPECT_TRUE(value == number && position == 20);
      expect_error(pure_unpack(packed.data(), 20, &position, &value, 1, PURE_BYTE, world), PURE_ERR_ARG, {});
      // Packed data may be received as what it was made of.
      std::array<int, 5> apart{};
      EXPECT_OK(pure_recv_msg(apart.data(), 1, odd, 0, 1, world));
      EXPECT_EQ(apart, (std::array{1, 0, 3, 0, 5}));
    }
    EXPECT_OK(pure_type_free(&odd));
    pure_datatype packed_type = PURE_PACKED;
    expect_error(pure_type_free(&packed_type), PURE_ERR_TYPE, {});
    EXPECT_EQ(pure_type_size(PURE_PACKED), 1U);
  });
}

TEST(pure_h_packing, ints_that_are_too_small) {
  on_ranks(1, [] {
    int small = 7;
    std::int64_t wide = 0;
    expect_error(pure_pack_size(INT_MAX, PURE_INT, world, &small), PURE_ERR_ARG, {"no int"});
    EXPECT_EQ(small, 7);
    EXPECT_OK(pure_pack_size(INT_MAX, PURE_INT, world, &wide));
    EXPECT_EQ(wide, std::int64_t{INT_MAX} * 4);
    pure_status status;
    status.bytes = wide;
    EXPECT_OK(pure_get_count(&status, PURE_BYTE, &small));
    EXPECT_EQ(small, PURE_UNDEFINED);
    EXPECT_OK(pure_get_count(&status, PURE_INT, &small));
    EXPECT_EQ(small, INT_MAX);
    EXPECT_OK(pure_get_count(&status, PURE_BYTE, &wide));
    EXPECT_EQ(wide, status.bytes);
  });
}

}  // namespace
