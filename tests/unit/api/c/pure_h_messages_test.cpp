// pure.h, messages: every function that sends or receives, in jobs of 1 to 5 ranks.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <vector>

#include <pure/pure.hpp>

#include "base/settings.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::world;

int right() { return (pure_rank() + 1) % pure_size(); }
int left() { return (pure_rank() + pure_size() - 1) % pure_size(); }

class pure_h_messages : public testing::TestWithParam<int> {
 protected:
  template <class Function>
  static void on_all(Function function) {
    pure::run(GetParam(), function);
  }
};
INSTANTIATE_TEST_SUITE_P(ranks, pure_h_messages, testing::Values(1, 2, 3, 4, 5));

TEST_P(pure_h_messages, rank_and_size) {
  std::vector<int> seen(static_cast<std::size_t>(GetParam()), 0);
  on_all([&] {
    EXPECT_EQ(pure_size(), GetParam());
    ++seen[static_cast<std::size_t>(pure_rank())];
    int rank = -1, size = -1;
    EXPECT_EQ(pure_comm_rank(world, &rank), PURE_SUCCESS);
    EXPECT_EQ(pure_comm_size(world, &size), PURE_SUCCESS);
    EXPECT_EQ(rank, pure_rank());
    EXPECT_EQ(size, pure_size());
    EXPECT_EQ(pure_comm_rank(PURE_COMM_SELF, &rank), PURE_SUCCESS);
    EXPECT_EQ(pure_comm_size(PURE_COMM_SELF, &size), PURE_SUCCESS);
    EXPECT_EQ(rank, 0);
    EXPECT_EQ(size, 1);
  });
  for (const int each : seen) EXPECT_EQ(each, 1);
}

TEST_P(pure_h_messages, sizes_around_every_threshold) {
  const pure::core::settings defaults;
  const std::size_t eager = defaults.eager_limit_bytes, shared = defaults.shared_copy_min_bytes;
  const std::vector<std::size_t> sizes{0,         1,     39,        40,         41,     104,        105,
                                       eager - 1, eager, eager + 1, shared - 1, shared, shared + 1, 3'000'000};
  // Rank r sends the pattern from byte r on: all differ everywhere.
  std::vector<unsigned char> pattern(sizes.back() + static_cast<std::size_t>(GetParam()));
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<unsigned char>(i * 7);
  on_all([&] {
    for (const std::size_t bytes : sizes) {
      const auto count = static_cast<std::int64_t>(bytes);
      std::vector<unsigned char> out(bytes), in(bytes + 1, 0xff), expected(bytes + 1, 0xff);
      std::copy_n(pattern.begin() + pure_rank(), bytes, out.begin());
      std::copy_n(pattern.begin() + left(), bytes, expected.begin());
      pure_request request;
      EXPECT_EQ(pure_irecv_msg(in.data(), count, PURE_BYTE, left(), 3, world, &request), PURE_SUCCESS);
      EXPECT_EQ(pure_send_msg(out.data(), count, PURE_BYTE, right(), 3, world), PURE_SUCCESS);
      pure_status status;
      EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
      EXPECT_EQ(request, PURE_REQUEST_NULL);
      EXPECT_EQ(status.source, left());
      EXPECT_EQ(status.tag, 3);
      EXPECT_EQ(status.error, PURE_SUCCESS);
      EXPECT_EQ(status.bytes, count);
      EXPECT_TRUE(in == expected) << bytes << " bytes";
    }
  });
}

TEST_P(pure_h_messages, sendrecv_in_a_ring_needs_no_order) {
  on_all([] {
    for (const std::size_t doubles : {std::size_t{1}, std::size_t{1000}, std::size_t{100'000}}) {
      const std::vector<double> out(doubles, pure_rank());
      std::vector<double> in(doubles, -1);
      pure_status status;
      EXPECT_EQ(
          pure_sendrecv_msg(out.data(), static_cast<std::int64_t>(doubles), PURE_DOUBLE, right(), pure_rank(),
                            in.data(), static_cast<std::int64_t>(doubles), PURE_DOUBLE, left(), left(), world, &status),
          PURE_SUCCESS);
      EXPECT_EQ(status.source, left());
      EXPECT_EQ(status.tag, left());
      EXPECT_EQ(in, std::vector<double>(doubles, left()));
    }
  });
}

TEST_P(pure_h_messages, all_tags_of_the_range) {
  on_all([] {
    for (const int tag : {0, 1, 65535, 65536, 1 << 24, PURE_TAG_UB - 1, +PURE_TAG_UB}) {
      int in = -1;
      pure_status status;
      pure_sendrecv_msg(&tag, 1, PURE_INT, right(), tag, &in, 1, PURE_INT, left(), PURE_ANY_TAG, world, &status);
      EXPECT_EQ(status.tag, tag);
      EXPECT_EQ(in, tag);
    }
  });
}

TEST_P(pure_h_messages, proc_null_takes_and_gives_nothing) {
  on_all([] {
    int value = 42;
    pure_status status{.source = 5, .tag = 5, .error = 5, .bytes = 5};
    EXPECT_EQ(pure_send_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world), PURE_SUCCESS);
    EXPECT_EQ(pure_recv_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &status), PURE_SUCCESS);
    EXPECT_EQ(status.source, PURE_PROC_NULL);
    EXPECT_EQ(status.tag, PURE_ANY_TAG);
    EXPECT_EQ(status.error, PURE_SUCCESS);
    EXPECT_EQ(status.bytes, 0);
    pure_request requests[2];
    pure_status statuses[2];
    EXPECT_EQ(pure_isend_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &requests[0]), PURE_SUCCESS);
    EXPECT_EQ(pure_irecv_msg(&value, 1, PURE_INT, PURE_PROC_NULL, PURE_ANY_TAG, world, &requests[1]), PURE_SUCCESS);
    EXPECT_EQ(pure_waitall(2, requests, statuses), PURE_SUCCESS);
    EXPECT_EQ(statuses[1].source, PURE_PROC_NULL);
    EXPECT_EQ(statuses[1].bytes, 0);
    // One side of a sendrecv: the end of a line of ranks.
    const int before = pure_rank() > 0 ? pure_rank() - 1 : +PURE_PROC_NULL;
    const int after = pure_rank() + 1 < pure_size() ? pure_rank() + 1 : +PURE_PROC_NULL;
    int in = -1;
    pure_sendrecv_msg(&value, 1, PURE_INT, after, 0, &in, 1, PURE_INT, before, 0, world, &status);
    EXPECT_EQ(status.source, before);
    EXPECT_EQ(in, pure_rank() > 0 ? 42 : -1);
    EXPECT_EQ(value, 42);
  });
}

TEST_P(pure_h_messages, to_oneself_on_both_communicators) {
  on_all([] {
    for (const std::size_t ints : {std::size_t{1}, std::size_t{100'000}}) {
      const auto count = static_cast<std::int64_t>(ints);
      const std::vector<int> to_world(ints, 1), to_self(ints, 2);
      std::vector<int> from_world(ints), from_self(ints);
      pure_request requests[2];
      pure_isend_msg(to_world.data(), count, PURE_INT, pure_rank(), 0, world, &requests[0]);
      pure_isend_msg(to_self.data(), count, PURE_INT, 0, 0, PURE_COMM_SELF, &requests[1]);
      // A communicator's messages never meet another's receives, wildcards or not.
      pure_status status;
      pure_recv_msg(from_self.data(), count, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, PURE_COMM_SELF, &status);
      EXPECT_EQ(status.source, 0);
      pure_recv_msg(from_world.data(), count, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, world, &status);
      EXPECT_EQ(status.source, pure_rank());
      EXPECT_EQ(pure_waitall(2, requests), PURE_SUCCESS);
      EXPECT_EQ(from_world, to_world);
      EXPECT_EQ(from_self, to_self);
    }
  });
}

TEST_P(pure_h_messages, any_source_gets_one_message_of_each) {
  on_all([] {
    const int rank = pure_rank();
    if (rank != 0) {
      pure_send_msg(&rank, 1, PURE_INT, 0, 100 + rank, world);
      return;
    }
    std::vector<int> got(static_cast<std::size_t>(pure_size()), 0);
    for (int i = 1; i < pure_size(); ++i) {
      int in = -1;
      pure_status status;
      pure_recv_msg(&in, 1, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, world, &status);
      EXPECT_EQ(status.source, in);
      EXPECT_EQ(status.tag, 100 + in);
      ++got[static_cast<std::size_t>(in)];
    }
    for (std::size_t i = 1; i < got.size(); ++i) EXPECT_EQ(got[i], 1);
  });
}

TEST_P(pure_h_messages, any_number_in_flight_in_order) {
  on_all([] {
    constexpr int many = 20'000;  // far more than a ring holds
    std::vector<int> out(many), in(many, -1);
    std::iota(out.begin(), out.end(), 0);
    std::vector<pure_request> requests(2 * many);
    for (std::size_t i = 0; i < many; ++i) pure_isend_msg(&out[i], 1, PURE_INT, right(), 9, world, &requests[i]);
    for (std::size_t i = 0; i < many; ++i) pure_irecv_msg(&in[i], 1, PURE_INT, left(), 9, world, &requests[many + i]);
    EXPECT_EQ(pure_waitall(2 * many, requests.data()), PURE_SUCCESS);
    EXPECT_EQ(in, out);
  });
}

TEST_P(pure_h_messages, receives_in_another_order_than_sends) {
  on_all([] {
    constexpr int tags = 50;
    std::vector<int> out(tags);
    std::vector<pure_request> requests(tags);
    for (std::size_t tag = 0; tag < tags; ++tag) {
      out[tag] = static_cast<int>(tag);
      pure_isend_msg(&out[tag], 1, PURE_INT, right(), static_cast<int>(tag), world, &requests[tag]);
    }
    for (int tag = tags - 1; tag >= 0; --tag) {
      int in = -1;
      pure_recv_msg(&in, 1, PURE_INT, left(), tag, world);
      EXPECT_EQ(in, tag);
    }
    pure_waitall(tags, requests.data());
  });
}

TEST(pure_h_types, a_larger_receive_takes_a_smaller_message) {
  pure::run(2, [] {
    int values[4] = {1, 2, 3, 4};
    if (pure_rank() == 0) {
      pure_send_msg(values, 3, PURE_INT, 1, 0, world);
    } else {
      int in[4] = {-1, -1, -1, -1};
      pure_status status;
      pure_recv_msg(in, 4, PURE_INT, 0, 0, world, &status);
      std::int64_t count = 0;
      EXPECT_EQ(pure_get_count(&status, PURE_INT, &count), PURE_SUCCESS);
      EXPECT_EQ(count, 3);
      EXPECT_EQ(pure_get_count(&status, PURE_BYTE, &count), PURE_SUCCESS);
      EXPECT_EQ(count, 12);
      EXPECT_EQ(pure_get_count(&status, PURE_DOUBLE, &count), PURE_SUCCESS);
      EXPECT_EQ(count, PURE_UNDEFINED) << "12 bytes are no whole number of doubles";
      EXPECT_EQ(in[2], 3);
      EXPECT_EQ(in[3], -1);
    }
  });
}

TEST(pure_h_types, sizes_are_those_of_the_language) {
  EXPECT_EQ(pure_type_size(PURE_BYTE), 1U);
  EXPECT_EQ(pure_type_size(PURE_CHAR), sizeof(char));
  EXPECT_EQ(pure_type_size(PURE_SIGNED_CHAR), sizeof(signed char));
  EXPECT_EQ(pure_type_size(PURE_UNSIGNED_CHAR), sizeof(unsigned char));
  EXPECT_EQ(pure_type_size(PURE_WCHAR), sizeof(wchar_t));
  EXPECT_EQ(pure_type_size(PURE_SHORT), sizeof(short));
  EXPECT_EQ(pure_type_size(PURE_UNSIGNED_SHORT), sizeof(unsigned short));
  EXPECT_EQ(pure_type_size(PURE_INT), sizeof(int));
  EXPECT_EQ(pure_type_size(PURE_UNSIGNED), sizeof(unsigned));
  EXPECT_EQ(pure_type_size(PURE_LONG), sizeof(long));
  EXPECT_EQ(pure_type_size(PURE_UNSIGNED_LONG), sizeof(unsigned long));
  EXPECT_EQ(pure_type_size(PURE_LONG_LONG), sizeof(long long));
  EXPECT_EQ(pure_type_size(PURE_UNSIGNED_LONG_LONG), sizeof(unsigned long long));
  EXPECT_EQ(pure_type_size(PURE_FLOAT), sizeof(float));
  EXPECT_EQ(pure_type_size(PURE_DOUBLE), sizeof(double));
  EXPECT_EQ(pure_type_size(PURE_LONG_DOUBLE), sizeof(long double));
  EXPECT_EQ(pure_type_size(PURE_BOOL), sizeof(bool));
  EXPECT_EQ(pure_type_size(PURE_INT8_T), 1U);
  EXPECT_EQ(pure_type_size(PURE_INT16_T), 2U);
  EXPECT_EQ(pure_type_size(PURE_INT32_T), 4U);
  EXPECT_EQ(pure_type_size(PURE_INT64_T), 8U);
  EXPECT_EQ(pure_type_size(PURE_UINT8_T), 1U);
  EXPECT_EQ(pure_type_size(PURE_UINT16_T), 2U);
  EXPECT_EQ(pure_type_size(PURE_UINT32_T), 4U);
  EXPECT_EQ(pure_type_size(PURE_UINT64_T), 8U);
  EXPECT_EQ(pure_type_size(PURE_COMPLEX_FLOAT), sizeof(std::complex<float>));
  EXPECT_EQ(pure_type_size(PURE_COMPLEX_DOUBLE), sizeof(std::complex<double>));
  EXPECT_EQ(pure_type_size(PURE_SIZE_T), sizeof(std::size_t));
  EXPECT_EQ(pure_type_size(PURE_DATATYPE_NULL), 0U);
  EXPECT_EQ(pure_type_size(static_cast<pure_datatype>(PURE_LONG_DOUBLE_INT + 1)), 0U);
  EXPECT_EQ(pure_type_size(static_cast<pure_datatype>(~std::uint64_t{0})), 0U);
}

TEST(pure_h_clock, seconds_pass) {
  const double before = pure_wtime();
  double after = before;
  while (after <= before) after = pure_wtime();
  EXPECT_LT(after - before, 1.0);
  EXPECT_GT(pure_wtick(), 0.0);
  EXPECT_LE(pure_wtick(), 1e-3);
}

}  // namespace
