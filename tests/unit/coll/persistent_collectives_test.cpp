// What persistent collectives leave behind: nothing, when all ranks have freed them; and how many there may be.
#include "coll/collective_member.hpp"

#include <pure.h>

#include <gtest/gtest.h>

#include <malloc.h>

#include <stdexcept>
#include <vector>

#include <pure/pure.hpp>

#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"
#include "support/job_over_world.hpp"
#include "support/loopback_network.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

communicator& world_of_self() { return communicator_table::of(*self()).world(); }

TEST(persistent_collectives, are_gone_when_the_last_rank_has_freed_its_request) {
  for (const int ranks : {2, 3, 4}) {
    test_support::on_ranks(ranks, [ranks](int me) {
      collective_areas& areas = collective_areas::of(world_of_self());
      int in = me, out = 0;
      pure_request first = PURE_REQUEST_NULL, second = PURE_REQUEST_NULL;
      for (int round = 0; round < 8; ++round) {
        EXPECT_OK(pure_allreduce_init(&in, &out, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD, &first));
        EXPECT_OK(pure_allreduce_init(&in, &out, 0, PURE_INT, PURE_SUM, PURE_COMM_WORLD, &second));
        EXPECT_OK(pure_start(&first));
        EXPECT_OK(pure_start(&second));
        EXPECT_OK(pure_wait(&first));
        EXPECT_OK(pure_wait(&second));
        EXPECT_EQ(out, ranks * (ranks - 1) / 2);
        EXPECT_EQ(areas.persistent(), 1U) << "that of no elements needs none";
        EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
        const bool is_last = me == round % ranks;
        EXPECT_OK(is_last ? PURE_SUCCESS : pure_request_free(&first));
        EXPECT_OK(pure_request_free(&second));
        EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
        EXPECT_EQ(areas.persistent(), 1U) << "one rank has it";
        EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
        EXPECT_OK(is_last ? pure_request_free(&first) : PURE_SUCCESS);
        EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
        EXPECT_EQ(areas.persistent(), 0U);
        EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
      }
    });
  }
}

TEST(persistent_collectives, of_several_processes_leave_nothing_in_any) {
  test_support::loopback_world processes(2, test_support::loopback_limits{});
  processes.play(1);
  const int status = test_support::run_over(processes, 5, read_settings(), [](rank_context& self) {
    communicator& world = world_of_self();
    for (int round = 0; round < 5; ++round) {
      const std::vector<int> in(100, self.number());
      std::vector<int> sum(in.size()), most(in.size());
      pure_request all[2];
      EXPECT_OK(pure_allreduce_init(in.data(), sum.data(), 100, PURE_INT, PURE_SUM, PURE_COMM_WORLD, &all[0]));
      EXPECT_OK(pure_allreduce_init(in.data(), most.data(), 100, PURE_INT, PURE_MAX, PURE_COMM_WORLD, &all[1]));
      for (int start = 0; start < 3; ++start) {
        const int first = (self.number() + start) % 2;  // each rank has an order of its own
        EXPECT_OK(pure_start(&all[first]));
        EXPECT_OK(pure_start(&all[1 - first]));
        EXPECT_OK(pure_waitall(2, all));
        EXPECT_EQ(sum, std::vector<int>(100, 10));
        EXPECT_EQ(most, std::vector<int>(100, 4));
      }
      for (pure_request& each : all) EXPECT_OK(pure_request_free(&each));
      EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
      EXPECT_EQ(collective_areas::of(world).persistent(), 0U);
      EXPECT_EQ(collective_areas::of(*collective_member::of(world).over().here).persistent(), 0U);
      EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    }
    return 0;
  });
  EXPECT_EQ(status, 0);
}

/// The ranks of one process copy more at once than those of the whole communicator would (coll/tuning.cpp).
TEST(persistent_collectives, of_several_processes_have_room_for_what_the_ranks_of_one_copy) {
  constexpr int here = 6, starts = 4, count = 2500;
  test_support::loopback_world processes(2, test_support::loopback_limits{});
  const int status = test_support::run_over(processes, 2 * here, read_settings(), [](rank_context& self) {
    const int me = self.number();
    EXPECT_GT(collective_member::of(world_of_self()).here().choice_of(detail::collective::bcast).copied_bytes,
              collective_member::of(world_of_self()).choice_of(detail::collective::bcast).copied_bytes);
    std::vector<int> data(count);
    pure_request request = PURE_REQUEST_NULL;
    EXPECT_OK(pure_bcast_init(data.data(), count, PURE_INT, 0, PURE_COMM_WORLD, &request));
    // The root's other ranks come when it has posted all: what one start has copied, the next leaves alone.
    int token = 0;
    if (me > 0 && me < here) {
      EXPECT_OK(pure_recv_msg(&token, 1, PURE_INT, 0, 1, PURE_COMM_WORLD));
    }
    for (int start = 0; start < starts; ++start) {
      data.assign(count, me == 0 ? start : -1);
      EXPECT_OK(pure_start(&request));
      EXPECT_OK(pure_wait(&request));
      EXPECT_EQ(data, std::vector<int>(count, start));
    }
    for (int other = 1; me == 0 && other < here; ++other)
      EXPECT_OK(pure_send_msg(&token, 1, PURE_INT, other, 1, PURE_COMM_WORLD));
    EXPECT_OK(pure_request_free(&request));
    return 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(persistent_collectives, keep_room_for_copies_of_their_own_data_only) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the allocator is the sanitizer's";
#endif
  constexpr std::size_t many = 50, elements = 100;
  constexpr std::size_t most_bytes = 24 * 1024 +
                                     2 * dropbox::slots * elements * sizeof(double);  // of one, for one rank
  test_support::on_ranks(2, [](int me) {
    const auto allocated = [] {
      const struct mallinfo2 now = mallinfo2();
      return now.uordblks + now.hblkhd;
    };
    const std::vector<double> in(elements, me + 1);
    std::vector<double> out(elements);
    std::vector<pure_request> all(many);
    EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    const std::size_t before = allocated();
    EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    for (pure_request& each : all) {
      EXPECT_OK(pure_allreduce_init(in.data(), out.data(), elements, PURE_DOUBLE, PURE_SUM, PURE_COMM_WORLD, &each));
      EXPECT_OK(pure_start(&each));
      EXPECT_OK(pure_wait(&each));
    }
    EXPECT_EQ(out, std::vector<double>(elements, 3));
    EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    EXPECT_LT(allocated(), before + 2 * many * most_bytes);
    EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    for (pure_request& each : all) EXPECT_OK(pure_request_free(&each));
  });
}

TEST(persistent_collectives, have_numbers_until_their_tags_come_again) {
  test_support::on_ranks(2, [](int me) {
    if (me != 0) return;
    communicator& world = world_of_self();
    collective_areas& areas = collective_areas::of(world);
    constexpr std::uint64_t number = 7, many = collective_areas::most_persistent;
    collective_area& first = areas.join(world, number);
    EXPECT_EQ(&areas.join(world, number), &first);
    EXPECT_THROW(areas.join(world, number + many), Error);
    EXPECT_THROW(areas.join(world, number + 3 * many), Error);
    areas.join(world, number + many - 1);
    areas.join(world, number + many + 1);
    areas.leave(number);
    EXPECT_THROW(areas.join(world, number + many), Error) << "the other rank has not left";
    areas.leave(number);
    areas.join(world, number + many);
    EXPECT_THROW(areas.join(world, number + 2 * many), Error);
    EXPECT_EQ(areas.persistent(), 3U);
    for (const std::uint64_t each : {number + many - 1, number + many, number + many + 1}) {
      areas.leave(each);
      areas.leave(each);
    }
    EXPECT_EQ(areas.persistent(), 0U);
  });
}

TEST(persistent_collectives, may_be_made_again_after_they_could_not_be_kept) {
  test_support::on_ranks(2, [](int me) {
    if (me == 0) {  // and is never kept, as for want of memory
      EXPECT_NE(collective_member::make_persistent(world_of_self(), sizeof(int)), nullptr);
    }
    const std::vector<int> in(200, me + 1);
    std::vector<int> out(in.size());
    pure_request request = PURE_REQUEST_NULL;
    EXPECT_OK(pure_allreduce_init(in.data(), out.data(), 200, PURE_INT, PURE_SUM, PURE_COMM_WORLD, &request));
    for (int round = 0; round < 10; ++round) {
      EXPECT_OK(pure_start(&request));
      EXPECT_OK(pure_wait(&request));
      EXPECT_EQ(out, std::vector<int>(200, 3));
    }
    EXPECT_OK(pure_request_free(&request));
    EXPECT_OK(pure_barrier(PURE_COMM_WORLD));
    EXPECT_EQ(collective_areas::of(world_of_self()).persistent(), 0U);
  });
}

TEST(persistent_collectives, one_whose_start_has_failed_half_way_is_not_started_again) {
  pure::run(2, [](pure::comm of_all) {
    int in = of_all.rank(), out = 0;
    const auto fails = [](int, int) -> int { throw std::runtime_error("no sum today"); };
    pure::persistent_request request = of_all.all_reduce_init(in, out, fails);
    request.start();
    EXPECT_THROW(request.wait(), Error);
    try {
      request.start();
      ADD_FAILURE() << "it was started";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::state) << error.what();
    }
  });
}

}  // namespace
}  // namespace pure::core
