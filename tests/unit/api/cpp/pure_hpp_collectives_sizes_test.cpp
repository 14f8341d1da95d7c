// pure.hpp, collectives on a comm of one rank: sizes that fit, that do not, none, in place. What pure.h does in
// pure_h_collectives_sizes_test.cpp, as far as the types leave it to be said.
#include <pure/pure.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "support/pure_hpp.hpp"

namespace collectives_sizes_cpp {

using test_support::expect_error;

using numbers = std::vector<int>;
using counts = std::vector<std::int64_t>;

TEST(pure_hpp_collectives_sizes, alone_what_fits_is_copied_also_nothing) {
  pure::run(1, [](const pure::comm& world) {
    for (const numbers& in : {numbers{}, numbers{7}, numbers{1, 2, 3}}) {
      const counts all = {static_cast<std::int64_t>(in.size())};
      const auto gets = [&](auto call) {
        numbers out(in.size(), -1);
        call(out);
        EXPECT_EQ(out, in);
      };
      gets([&](numbers& out) { world.gather_into(in, out); });
      gets([&](numbers& out) { world.igather_into(in, out).wait(); });
      gets([&](numbers& out) { world.gatherv_into(in, out, all); });
      gets([&](numbers& out) { world.igatherv_into(in, out, all).wait(); });
      gets([&](numbers& out) { world.scatter_into(in, out); });
      gets([&](numbers& out) { world.scatterv_into(in, all, out); });
      gets([&](numbers& out) { world.all_gather_into(in, out); });
      gets([&](numbers& out) { world.all_gatherv_into(in, out, all); });
      gets([&](numbers& out) { world.all_to_all_into(in, out); });
      gets([&](numbers& out) { world.all_to_allv_into(in, all, out, all); });
      gets([&](numbers& out) { world.iall_to_allv_into(in, all, out, all).wait(); });
      gets([&](numbers& out) {
        pure::persistent_request again = world.all_to_allv_init(in, all, out, all);
        again.start();
        again.wait();
      });
      gets([&](numbers& out) { world.reduce_into(in, out, std::plus{}); });
      gets([&](numbers& out) { world.all_reduce_into(in, out, std::plus{}); });
      gets([&](numbers& out) { world.scan_into(in, out, std::plus{}); });
      numbers there = in;
      world.gather_into(pure::in_place, there);
      world.scatter_into(there, pure::in_place);
      world.all_gather_into(pure::in_place, there);
      world.all_gatherv_into(pure::in_place, there, all);
      world.all_to_all_into(pure::in_place, there);
      world.all_to_allv_into(pure::in_place, {}, there, all);
      world.all_reduce_into(pure::in_place, there, std::plus{});
      EXPECT_EQ(there, in);
    }
  });
}

TEST(pure_hpp_collectives_sizes, alone_sides_that_differ_are_an_error) {
  using enum pure::errc;
  pure::run(1, [](const pure::comm& world) {
    const numbers in(4, 7);
    for (const std::size_t size : {0U, 2U, 6U}) {
      numbers out(size, -1);
      const counts sent = {4}, received = {static_cast<std::int64_t>(size)};
      expect_error(count, {"gather_into"}, [&] { world.gather_into(in, out); });
      expect_error(count, {"gatherv_into"}, [&] { world.gatherv_into(in, out, received); });
      expect_error(count, {"scatter_into"}, [&] { world.scatter_into(in, out); });
      expect_error(count, {"scatterv_into"}, [&] { world.scatterv_into(in, sent, out); });
      expect_error(count, {"all_gather_init"}, [&] { (void)world.all_gather_init(in, out); });
      expect_error(count, {"all_gatherv_into"}, [&] { world.all_gatherv_into(in, out, received); });
      expect_error(count, {"all_to_all_into"}, [&] { world.all_to_all_into(in, out); });
      // Both lists of counts are the program's: what the rank gives itself is not what it expects.
      const std::string gives = "gives itself 16 bytes where it expects " + std::to_string(4 * size);
      expect_error(mismatch, {"all_to_allv_into", gives}, [&] { world.all_to_allv_into(in, sent, out, received); });
      expect_error(mismatch, {"iall_to_allv_into", gives},
                   [&] { world.iall_to_allv_into(in, sent, out, received).wait(); });
      expect_error(mismatch, {"all_to_allv_init", gives},
                   [&] { (void)world.all_to_allv_init(in, sent, out, received); });
      EXPECT_EQ(out, numbers(size, -1));
    }
  });
}

}  // namespace collectives_sizes_cpp
