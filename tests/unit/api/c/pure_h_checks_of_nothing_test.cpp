// pure.h with PURE_CHECK: elements of which there are none match any type (MPI 4.1, 3.3.1: the signatures are empty),
// in messages and where a rank has no part in a collective; one element of another type is an error as ever.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "support/environment.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::on_ranks;
using test_support::world;
constexpr int ranks = 3;

class pure_h_checks_of_nothing : public testing::Test {
 private:
  const test_support::environment set_{{"PURE_CHECK", "1"}};
};

TEST_F(pure_h_checks_of_nothing, an_empty_message_matches_any_type) {
  on_ranks(2, [](int me) {
    double got = 1;
    const int sent = 2;
    pure_status status{};
    for (const std::int64_t count : {0, 1}) {
      const int expected = count == 0 ? PURE_SUCCESS : PURE_ERR_TYPE;
      if (me == 0) {
        for (int i = 0; i < 2; ++i) EXPECT_EQ(pure_send_msg(&sent, count, PURE_INT, 1, 0, world), PURE_SUCCESS);
        continue;
      }
      EXPECT_EQ(pure_recv_msg(&got, 1, PURE_DOUBLE, 0, 0, world, &status), expected) << "blocking, " << count;
      pure_request request = PURE_REQUEST_NULL;
      EXPECT_EQ(pure_irecv_msg(&got, 1, PURE_DOUBLE, 0, 0, world, &request), PURE_SUCCESS);
      EXPECT_EQ(pure_wait(&request, &status), expected) << "a request, " << count;
    }
  });
}

TEST_F(pure_h_checks_of_nothing, a_rank_without_elements_may_name_any_type) {
  on_ranks(ranks, [](int me) {
    // Rank 1 has none, and calls them doubles.
    const std::array<std::int64_t, ranks> counts{1, 0, 1}, displs{0, 0, 1};
    const pure_datatype type = me == 1 ? PURE_DOUBLE : PURE_INT;
    const int mine = 10 + me;
    std::array<int, 2> all{};
    EXPECT_EQ(pure_allgatherv(&mine, counts[static_cast<std::size_t>(me)], type, all.data(), counts.data(),
                              displs.data(), PURE_INT, world),
              PURE_SUCCESS);
    EXPECT_EQ(all, (std::array{10, 12}));
    EXPECT_EQ(pure_alltoall(&mine, 0, type, all.data(), 0, type, world), PURE_SUCCESS);

    // Of all to all: rank 1 is sent nothing, and sends nothing.
    const std::array<std::int64_t, ranks> none{};
    const bool takes_part = me != 1;
    const std::array<int, 2> to{me * 10, me * 10 + 2};
    all = {};
    EXPECT_EQ(pure_alltoallv(to.data(), takes_part ? counts.data() : none.data(), displs.data(), type, all.data(),
                             takes_part ? counts.data() : none.data(), displs.data(), type, world),
              PURE_SUCCESS);
    EXPECT_EQ(all, takes_part ? (std::array{me, 20 + me}) : (std::array{0, 0}));
  });
}

TEST_F(pure_h_checks_of_nothing, all_ranks_with_elements_name_the_same_type) {
  on_ranks(ranks, [](int me) {
    const std::array<std::int64_t, ranks> counts{1, 1, 1}, displs{0, 1, 2};
    const std::array<float, ranks> mine{};
    std::array<float, ranks> all{};
    const pure_datatype type = me == 1 ? PURE_FLOAT : PURE_INT;
    EXPECT_EQ(pure_alltoallv(mine.data(), counts.data(), displs.data(), type, all.data(), counts.data(), displs.data(),
                             type, world),
              PURE_ERR_MISMATCH);
    EXPECT_EQ(pure_alltoall(mine.data(), 1, type, all.data(), 1, type, world), PURE_ERR_MISMATCH);
  });
}

}  // namespace
