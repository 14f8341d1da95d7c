// pure.hpp, messages: everything that can be sent, in every form in which it can be sent and received.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::some_doubles;

struct particle {
  double position[3];
  int species;
  bool operator==(const particle&) const = default;
};

enum class color : unsigned char { red, green };

class pure_hpp_messages : public testing::TestWithParam<int> {
 protected:
  /// Calls function(world, right, left) on every rank.
  template <class Function>
  static void in_a_ring(Function function) {
    pure::run(GetParam(), [&](pure::comm world) {
      function(world, (world.rank() + 1) % world.size(), (world.rank() + world.size() - 1) % world.size());
    });
  }
};
INSTANTIATE_TEST_SUITE_P(ranks, pure_hpp_messages, testing::Values(1, 2, 3, 5));

TEST_P(pure_hpp_messages, values) {
  in_a_ring([](pure::comm world, int right, int left) {
    world.send(world.rank(), right);
    EXPECT_EQ(world.recv<int>(left), left);
    world.send(2.5 * world.rank(), right);
    EXPECT_EQ(world.recv<double>(left), 2.5 * left);
    world.send(color::green, right);
    EXPECT_EQ(world.recv<color>(left), color::green);
    world.send(true, right);
    EXPECT_TRUE(world.recv<bool>(left));
    world.send(std::complex<double>(1, world.rank()), right);
    EXPECT_EQ(world.recv<std::complex<double>>(left), std::complex<double>(1, left));
    const particle sent{{1, 2, 3}, world.rank()};
    world.send(sent, right);
    EXPECT_EQ(world.recv<particle>(left), (particle{{1, 2, 3}, left}));
    world.send(std::pair(1, 'x').first, right);
    EXPECT_EQ(world.recv<int>(left), 1);
  });
}

TEST_P(pure_hpp_messages, ranges) {
  in_a_ring([](pure::comm world, int right, int left) {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{1000}, std::size_t{50'000}}) {
      const std::vector<double> expected = some_doubles(n, left);
      std::vector<double> out = some_doubles(n, world.rank());
      const std::vector<double>& constant = out;

      pure::request sending = world.isend(out, right);
      EXPECT_EQ(world.recv<std::vector<double>>(left), expected);
      sending.wait();
      sending = world.isend(constant, right);
      std::vector<double> in(n + 3, -1);
      const pure::status got = world.recv_into(in, left);
      EXPECT_EQ(got.count<double>(), n);
      EXPECT_EQ(in.size(), n + 3) << "an existing range is not resized";
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), in.begin()));
      EXPECT_EQ(in.back(), -1);
      sending.wait();
      sending = world.isend(std::span(out), right);
      EXPECT_EQ(world.recv_into(std::span(in).first(n), left).bytes(), n * sizeof(double));
      sending.wait();
    }
  });
}

TEST_P(pure_hpp_messages, a_vector_that_is_sent_and_kept) {
  in_a_ring([](pure::comm world, int right, int left) {
    std::vector<int> kept{1, 2, world.rank()};
    const std::vector<int> constant{3, 4, world.rank()};
    world.send(kept, right);
    world.send(constant, right);
    EXPECT_EQ(world.recv<std::vector<int>>(left), (std::vector<int>{1, 2, left}));
    EXPECT_EQ(world.recv<std::vector<int>>(left), (std::vector<int>{3, 4, left}));
    EXPECT_EQ(kept, (std::vector<int>{1, 2, world.rank()}));
  });
}

TEST_P(pure_hpp_messages, arrays_and_texts) {
  in_a_ring([](pure::comm world, int right, int left) {
    world.send(std::array{1, 2, world.rank()}, right);
    EXPECT_EQ((world.recv<std::array<int, 3>>(left)), (std::array{1, 2, left}));
    int plain[3] = {7, 8, world.rank()};
    world.send(plain, right);
    int in[3] = {};
    EXPECT_EQ(world.recv_into(in, left).count<int>(), 3U);
    EXPECT_EQ(in[2], left);
    const std::string text = "rank " + std::to_string(world.rank());
    world.send(text, right);
    EXPECT_EQ(world.recv<std::string>(left), "rank " + std::to_string(left));
    world.send(std::string_view("a view"), right);
    EXPECT_EQ(world.recv<std::string>(left), "a view");
    world.send(std::string(), right);
    EXPECT_EQ(world.recv<std::string>(left), "");
    world.send(std::wstring(L"wide"), right);
    EXPECT_EQ(world.recv<std::wstring>(left), L"wide");
  });
}

TEST_P(pure_hpp_messages, moved_vectors_change_hands) {
  in_a_ring([](pure::comm world, int right, int left) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{200'000}}) {
      for (const bool blocks : {true, false}) {
        std::vector<double> out = some_doubles(n, world.rank());
        const auto address = reinterpret_cast<std::uintptr_t>(out.data());
        if (blocks) {
          world.send(std::move(out), right, 1);
        } else {
          pure::request started = world.isend(std::move(out), right, 1);
          started.wait();
        }
        EXPECT_TRUE(out.empty());
        world.send(address, right, 2);
        const std::vector<double> in = world.recv<std::vector<double>>(left, 1);
        EXPECT_EQ(in, some_doubles(n, left));
        const auto sent_address = world.recv<std::uintptr_t>(left, 2);
        if (n > 0) {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.data()), sent_address) << "nothing is copied";
        }
      }
    }
  });
}

TEST_P(pure_hpp_messages, a_moved_vector_is_also_a_message_like_any_other) {
  in_a_ring([](pure::comm world, int right, int left) {
    const std::vector<double> expected = some_doubles(100, left);
    const auto send = [&] { world.send(some_doubles(100, world.rank()), right); };
    send();
    std::array<double, 120> array{};
    const pure::status got = world.recv_into(array, left);
    EXPECT_EQ(got.count<double>(), 100U);
    EXPECT_EQ(got.source(), left);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), array.begin()));
    send();
    std::vector<double> in(100);
    world.irecv_into(in, left).wait();
    EXPECT_EQ(in, expected);
    send();
    EXPECT_EQ(world.recv<std::vector<char>>(left).size(), 800U) << "another type: its bytes are copied";
    send();
    EXPECT_EQ(world.recv<std::string>(left).size(), 800U);
    world.send(std::vector<int>{4}, right);
    EXPECT_EQ(world.recv<int>(left), 4);
    // Out of order, so that both are kept by the receiver meanwhile.
    world.send(some_doubles(3, 1), right, 1);
    world.send(some_doubles(4, 2), right, 2);
    EXPECT_EQ(world.recv<std::vector<double>>(left, 2), some_doubles(4, 2));
    EXPECT_EQ(world.recv<std::vector<double>>(left, 1), some_doubles(3, 1));
    // And in a receive that was posted before.
    pure::request receiving = world.irecv_into(in, left);
    send();
    receiving.wait();
    EXPECT_EQ(in, expected);
  });
}

TEST_P(pure_hpp_messages, moved_vectors_that_nobody_receives_are_freed) {
  in_a_ring([](pure::comm world, int right, int) {
    for (int i = 0; i < 10; ++i) world.send(some_doubles(1000, i), right, i);  // for the leak check of a sanitizer
  });
}

TEST_P(pure_hpp_messages, wildcards_and_status) {
  in_a_ring([](pure::comm world, int right, int left) {
    world.send(std::vector<int>(7, world.rank()), right, 11);
    std::vector<int> in(10, -1);
    const pure::status got = world.recv_into(in, pure::any_source, pure::any_tag);
    EXPECT_EQ(got.source(), left);
    EXPECT_EQ(got.tag(), 11);
    EXPECT_EQ(got.bytes(), 28U);
    EXPECT_EQ(got.count<int>(), 7U);
    EXPECT_EQ(got.count<double>(), 3U) << "whole elements";
    EXPECT_EQ(in[6], left);
    world.send(1, right);
    EXPECT_EQ(world.recv<int>(), 1) << "any source by default";
  });
}

TEST_P(pure_hpp_messages, proc_null) {
  in_a_ring([](pure::comm world, int, int) {
    world.send(1, pure::proc_null);
    world.send(std::vector<int>(5), pure::proc_null);
    world.isend(std::vector<int>(5), pure::proc_null).wait();
    int value = 42;
    EXPECT_EQ(world.recv_into(value, pure::proc_null).source(), pure::proc_null);
    EXPECT_EQ(value, 42);
    EXPECT_EQ(world.recv<int>(pure::proc_null), 0);
    EXPECT_TRUE(world.recv<std::vector<int>>(pure::proc_null).empty());
    const pure::status got = world.irecv_into(value, pure::proc_null).wait();
    EXPECT_EQ(got.source(), pure::proc_null);
    EXPECT_EQ(got.tag(), pure::any_tag);
    EXPECT_EQ(got.bytes(), 0U);
  });
}

TEST_P(pure_hpp_messages, sendrecv) {
  in_a_ring([](pure::comm world, int right, int left) {
    double in = -1;
    const pure::status got = world.sendrecv(1.5 * world.rank(), right, in, left, 3);
    EXPECT_EQ(in, 1.5 * left);
    EXPECT_EQ(got.source(), left);
    EXPECT_EQ(got.tag(), 3);
    const std::vector<double> out = some_doubles(100'000, world.rank());
    std::vector<double> all(100'000);
    world.sendrecv(out, right, all, left);
    EXPECT_EQ(all, some_doubles(100'000, left));
  });
}

TEST_P(pure_hpp_messages, comms_are_handles) {
  in_a_ring([](pure::comm world, int right, int left) {
    pure::comm copy = world;
    copy.send(world.rank(), right);
    world = copy;
    EXPECT_EQ(world.recv<int>(left), left);
    EXPECT_EQ(copy.rank(), world.rank());
    EXPECT_EQ(copy.size(), world.size());
  });
}

}  // namespace
