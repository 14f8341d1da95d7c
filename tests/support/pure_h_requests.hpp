// Requests of pure.h in the states that the tests of their completion need.
#pragma once

#include <pure.h>

#include <gtest/gtest.h>

#include <vector>

namespace test_support {

/// What a status says when there was nothing to complete (MPI 4.1, 3.7.3: an empty status).
inline void expect_empty(const pure_status& status) {
  EXPECT_EQ(status.source, PURE_ANY_SOURCE);
  EXPECT_EQ(status.tag, PURE_ANY_TAG);
  EXPECT_EQ(status.error, PURE_SUCCESS);
  EXPECT_EQ(status.bytes, 0);
  std::int64_t count = -1;
  EXPECT_EQ(pure_get_count(&status, PURE_INT, &count), PURE_SUCCESS);
  EXPECT_EQ(count, 0);
}

inline const pure_status used{.source = 7, .tag = 7, .error = 7, .bytes = 7};

/// Receives of rank 0 from itself, tags 0 to n-1, none of which has a message yet.
struct pending_receives {
  std::vector<int> in;
  std::vector<pure_request> requests;

  explicit pending_receives(std::size_t n) : in(n, -1), requests(n, PURE_REQUEST_NULL) {
    for (std::size_t i = 0; i < n; ++i) {
      pure_irecv_msg(&in[i], 1, PURE_INT, pure_rank(), static_cast<int>(i), PURE_COMM_WORLD, &requests[i]);
    }
  }
  ~pending_receives() {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (requests[i] != PURE_REQUEST_NULL) give(static_cast<int>(i));
    }
    pure_waitall(count(), requests.data());
  }
  pending_receives(const pending_receives&) = delete;
  pending_receives& operator=(const pending_receives&) = delete;

  static void give(int tag) {
    const int value = 100 + tag;
    pure_send_msg(&value, 1, PURE_INT, pure_rank(), tag, PURE_COMM_WORLD);
  }
  [[nodiscard]] int count() const { return static_cast<int>(requests.size()); }
};

}  // namespace test_support
