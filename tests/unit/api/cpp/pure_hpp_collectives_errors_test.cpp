// pure.hpp, wrong calls of collectives: each is refused on the rank that makes it, with the numbers concerned.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/pure_hpp.hpp"

namespace {

using test_support::expect_error;

using counts = std::vector<std::int64_t>;

TEST(pure_hpp_collectives_errors, sizes_that_do_not_fit) {
  pure::run(3, [](pure::comm world) {
    const std::string me = ": rank " + std::to_string(world.rank()) + " of world: ";
    const std::vector<int> four(4);
    std::vector<int> three(3);
    const auto wrong = [&](const char* operation, const std::vector<std::string>& words, auto call) {
      std::vector<std::string> all{operation + me};
      all.insert(all.end(), words.begin(), words.end());
      expect_error(pure::errc::count, all, call);
    };
    const std::vector<std::string> output{"the output has 3 elements, where 4 are needed"};
    wrong("all_reduce_into", output, [&] { world.all_reduce_into(four, three, std::plus()); });
    wrong("iall_reduce_into", output, [&] { (void)world.iall_reduce_into(four, three, std::plus()); });
    wrong("all_reduce_init", output, [&] { (void)world.all_reduce_init(four, three, std::plus()); });
    wrong("reduce_into", output, [&] { world.reduce_into(four, three, std::plus(), world.rank()); });
    wrong("scan_into", output, [&] { world.scan_into(four, three, std::plus()); });
    wrong("all_to_all_into", output, [&] { world.all_to_all_into(four, three); });
    const std::vector<std::string> twelve{"the output has 3 elements, where 12 are needed"};
    wrong("all_gather_into", twelve, [&] { world.all_gather_into(four, three); });
    wrong("gather_into", twelve, [&] { world.gather_into(four, three, world.rank()); });
    wrong("scatter_into", {"the input has 4 elements, where 9 are needed"},
          [&] { world.scatter_into(four, three, world.rank()); });
    wrong("scatter_value", {"the input has 4 elements, where 3 are needed"},
          [&] { (void)world.scatter_value(four, world.rank()); });

    const std::vector<std::string> uneven{"4 elements cannot be parted evenly among 3 ranks"};
    wrong("all_to_all", uneven, [&] { (void)world.all_to_all(four); });
    wrong("reduce_scatter", uneven, [&] { (void)world.reduce_scatter(four, std::plus()); });
    wrong("all_gather_into", uneven, [&] { world.all_gather_into(pure::in_place, std::vector<int>(4)); });
    wrong("scatter", uneven, [&] { (void)world.scatter(world.rank() == 1 ? four : three, 1); });  // on every rank

    const counts two{1, 1}, ones{1, 1, 1}, negative{1, -1, 1}, many{1, 1, 2}, twos{2, 1, 1};
    wrong("all_gatherv_into", {"the list of counts has 2 elements, where 3 are needed"},
          [&] { world.all_gatherv_into(1, three, two); });
    wrong("all_gatherv_into", {"the list of displs has 2 elements, where 3 are needed"},
          [&] { world.all_gatherv_into(1, three, ones, two); });
    wrong("all_gatherv_into", {"the block of rank 1, -1 elements from 1, is not inside the output, which has 3"},
          [&] { world.all_gatherv_into(1, three, negative); });
    wrong("all_gatherv_into", {"the block of rank 2, 2 elements from 2, is not inside the output, which has 3"},
          [&] { world.all_gatherv_into(1, three, many); });
    const counts far{0, 1, std::numeric_limits<std::int64_t>::max()};
    wrong("all_gatherv_into", {"the block of rank 2, 1 elements from 9223372036854775807"},
          [&] { world.all_gatherv_into(1, three, ones, far); });
    wrong("gatherv_into", {"this rank's part has 2 elements, where 1 are needed"},
          [&] { world.gatherv_into(std::vector<int>(2), three, ones, world.rank()); });
    wrong("all_to_allv", {"the block of rank 2, 1 elements from 3, is not inside the input, which has 3"},
          [&] { (void)world.all_to_allv(three, twos); });
    wrong("scatterv_into", {"the output has 3 elements, where 1 are needed"},
          [&] { world.scatterv_into(four, ones, three, world.rank()); });
    wrong("reduce_scatter", {"the input has 4 elements, where 3 are needed"},
          [&] { (void)world.reduce_scatter(four, ones, std::plus()); });
    EXPECT_EQ(world.all_reduce(1, std::plus()), 3) << "none of these has begun";
  });
}

TEST(pure_hpp_collectives_errors, roots) {
  pure::run(3, [](pure::comm world) {
    int x = 0;
    std::vector<int> range(3);
    for (const int root : {-1, 3}) {
      const std::string named = "root " + std::to_string(root) + " is out of range";
      const auto wrong = [&](auto call) { expect_error(pure::errc::root, {named, "0 to 2"}, call); };
      wrong([&] { world.bcast(x, root); });
      wrong([&] { world.bcast_resized(range, root); });
      wrong([&] { (void)world.ibcast(x, root); });
      wrong([&] { (void)world.bcast_init(x, root); });
      wrong([&] { (void)world.reduce(x, std::plus(), root); });
      wrong([&] { (void)world.gather(x, root); });
      wrong([&] { (void)world.gatherv(range, root); });
      wrong([&] { (void)world.scatter(range, root); });
      wrong([&] { (void)world.scatter_value(range, root); });
      wrong([&] { (void)world.scatterv(range, counts{1, 1, 1}, root); });
    }
  });
}

TEST(pure_hpp_collectives_errors, buffers) {
  pure::run(3, [](pure::comm world) {
    std::vector<int> data(9);
    const std::span<int> all(data);
    const auto overlap = [](auto call) { expect_error(pure::errc::buffer, {"overlap"}, call); };
    overlap([&] { world.all_reduce_into(data, data, std::plus()); });
    overlap([&] { world.scan_into(all.first(5), all.last(5), std::plus()); });
    overlap([&] { world.all_gather_into(all[4], all.first(6).last(3)); });
    overlap([&] { world.all_to_all_into(all.first(6), all.last(6)); });
    if (world.rank() != 1) {
      const auto not_here = [](auto call) {
        expect_error(pure::errc::buffer, {"pure::in_place is for the root only, which is rank 1"}, call);
      };
      not_here([&] { world.gather_into(pure::in_place, data, 1); });
      not_here([&] { world.gatherv_into(pure::in_place, data, counts{3, 3, 3}, 1); });
      not_here([&] { world.scatter_into(data, pure::in_place, 1); });
    }
  });
}

TEST(pure_hpp_collectives_errors, a_comm_that_cannot_be_used) {
  pure::run(2, [](pure::comm world) {
    const pure::comm freed = world.dup();
    freed.free();
    std::vector<int> three(3);
    expect_error(pure::errc::comm, {"barrier", "freed"}, [&] { freed.barrier(); });
    expect_error(pure::errc::comm, {"ibarrier", "freed"}, [&] { (void)freed.ibarrier(); });
    expect_error(pure::errc::comm, {"barrier_init", "freed"}, [&] { (void)freed.barrier_init(); });
    expect_error(pure::errc::comm, {"all_to_all", "freed"}, [&] { (void)freed.all_to_all(three); });
    expect_error(pure::errc::comm, {"reproducible_sum", "freed"}, [&] { (void)freed.reproducible_sum(1.0); });
    std::thread([&] {
      expect_error(pure::errc::state, {"all_reduce", "rank's own thread"},
                   [&] { (void)world.all_reduce(1, std::plus()); });
    }).join();
  });
}

TEST(pure_hpp_collectives_errors, ranks_that_do_not_call_the_same) {
  const test_support::environment set{{"PURE_CHECK", "1"}};
  const auto disagree = [](const std::vector<std::string>& words, auto on_rank_0, auto on_the_others) {
    pure::run(3, [&](pure::comm world) {
      EXPECT_EQ(world.all_reduce(1, std::plus()), 3);
      expect_error(pure::errc::mismatch, words, [&] { world.rank() == 0 ? on_rank_0(world) : on_the_others(world); });
    });
  };
  const auto sum = [](pure::comm world) { (void)world.all_reduce(1, std::plus()); };
  disagree(
      {"different collectives", "barrier", "all_reduce"}, [](pure::comm world) { world.barrier(); }, sum);
  disagree({"different"}, sum, [](pure::comm world) { (void)world.all_reduce(1, std::multiplies()); });
  disagree({"different"}, sum, [](pure::comm world) { (void)world.all_reduce(1, [](int, int b) { return b; }); });
  disagree({"different"}, sum, [](pure::comm world) { (void)world.all_reduce(1.0F, std::plus()); });
  disagree({"different"}, sum, [](pure::comm world) { (void)world.all_reduce(std::vector{1, 2}, std::plus()); });
  const auto in_place = [](pure::comm world) {
    int x = 1;
    world.all_reduce_into(pure::in_place, x, std::plus());
  };
  pure::run(3, [&](pure::comm world) { world.rank() == 0 ? sum(world) : in_place(world); });  // is the same
  const auto cast = [](auto value, int root) {
    return [=](pure::comm world) {
      auto x = value;
      world.bcast(x, root);
    };
  };
  disagree({"different roots, 0 and 1"}, cast(1, 0), cast(1, 1));
  disagree({"different types"}, cast(1, 0), cast(1.0F, 0));
}

// In a tree a rank has its data from another one than the root: where that one has another size, nobody below it takes
// what it has for the data.
TEST(pure_hpp_collectives_errors, a_size_that_is_wrong_inside_a_tree) {
  const std::string table = std::filesystem::absolute("wrong_in_tree.json").string();
  std::ofstream(table) << R"({"collectives": [
      {"collective": "bcast", "tree_radix": 2}, {"collective": "bcast", "shared_cores": true, "tree_radix": 2},
      {"collective": "allreduce", "tree_radix": 2}, {"collective": "allreduce", "shared_cores": true, "tree_radix": 2}]})";
  const test_support::environment set{{"PURE_CHECK", "0"}, {"PURE_TUNING", table.c_str()}};
  for (int wrong = 0; wrong < 7; ++wrong) {
    pure::run(7, [&](pure::comm world) {
      const auto size = [&](int usual) { return static_cast<std::size_t>(world.rank() == wrong ? usual + 1 : usual); };
      for (const int usual : {1, 100}) {
        std::vector<int> data(size(usual), world.rank() == 0 ? 7 : 0);
        bool is_refused = false;
        try {
          world.bcast(data, 0);
        } catch (const pure::Error& error) {
          EXPECT_EQ(error.code(), pure::errc::mismatch) << error.what();
          is_refused = true;
        }
        EXPECT_TRUE(is_refused || data == std::vector<int>(size(usual), 7)) << "rank " << world.rank();
        EXPECT_TRUE(is_refused || world.rank() == 0 || (world.rank() != wrong && wrong != 0))
            << "rank " << world.rank();

        std::vector<int> sums(data.size());
        expect_error(pure::errc::mismatch, {"disagree on a size"},
                     [&] { world.all_reduce_into(data, sums, std::plus()); });
      }
    });
  }
  std::filesystem::remove(table);
}

}  // namespace
