// pure.h, one request twice in a call that completes or starts several: an error before anything has happened, whatever
// the request is (MPI 4.1, 3.7.5: the requests of a call are different ones).
#include <pure.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"

namespace requests_twice {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

constexpr int sizes[] = {1, 2, 3, 4, 9};
constexpr int tag = 5;

/// A request in one of the states that a program can give to wait or test, and how it is brought to its end.
struct case_of {
  const char* made_by;
  enum kind { pending_receive, done_receive, send, collective, persistent_collective, inactive_send, active_receive };
  kind which;
};
constexpr case_of cases[] = {
    {"pure_irecv_msg", case_of::pending_receive},
    {"pure_irecv_msg", case_of::done_receive},
    {"pure_issend_msg", case_of::send},
    {"pure_iallreduce", case_of::collective},
    {"pure_allreduce_init", case_of::persistent_collective},
    {"pure_send_init", case_of::inactive_send},
    {"pure_recv_init", case_of::active_receive},
};

class made {
 public:
  explicit made(case_of::kind which) : which_(which) {
    const int me = pure_rank();
    switch (which) {
      case case_of::pending_receive:
      case case_of::done_receive:
        EXPECT_OK(pure_irecv_msg(&in_, 1, PURE_INT, me, tag, world, &request));
        if (which == case_of::done_receive) give();
        break;
      case case_of::send: EXPECT_OK(pure_issend_msg(&out_, 1, PURE_INT, me, tag, world, &request)); break;
      case case_of::collective: EXPECT_OK(pure_iallreduce(&out_, &in_, 1, PURE_INT, PURE_MAX, world, &request)); break;
      case case_of::persistent_collective:
        EXPECT_OK(pure_allreduce_init(&out_, &in_, 1, PURE_INT, PURE_MAX, world, &request));
        EXPECT_OK(pure_start(&request));
        break;
      case case_of::inactive_send: EXPECT_OK(pure_send_init(&out_, 1, PURE_INT, me, tag, world, &request)); break;
      case case_of::active_receive:
        EXPECT_OK(pure_recv_init(&in_, 1, PURE_INT, me, tag, world, &request));
        EXPECT_OK(pure_start(&request));
        break;
    }
  }
  /// Completes it as if nothing had been said: the operation is still there.
  void end() {
    if (which_ == case_of::pending_receive || which_ == case_of::active_receive) give();
    if (which_ == case_of::send) {
      EXPECT_OK(pure_recv_msg(&in_, 1, PURE_INT, pure_rank(), tag, world, nullptr));
    }
    if (which_ == case_of::inactive_send) {
      EXPECT_OK(pure_start(&request));
      EXPECT_OK(pure_recv_msg(&in_, 1, PURE_INT, pure_rank(), tag, world, nullptr));
    }
    pure_status status{.source = 7, .tag = 7, .error = 7, .bytes = 7};
    EXPECT_OK(pure_wait(&request, &status));
    EXPECT_EQ(in_, out_);
    if (request != PURE_REQUEST_NULL) {
      EXPECT_OK(pure_request_free(&request));
    }
  }

  pure_request request = PURE_REQUEST_NULL;

 private:
  void give() { EXPECT_OK(pure_send_msg(&out_, 1, PURE_INT, pure_rank(), tag, world)); }
  case_of::kind which_;
  int out_ = 42, in_ = -1;
};

/// Every call that takes several requests, with statuses and without.
template <class Check>
void for_every_call(int count, pure_request* all, Check check) {
  int index = 7, flag = 7, outcount = 7;
  std::vector<int> indices(static_cast<std::size_t>(count), 7);
  std::vector<pure_status> statuses(static_cast<std::size_t>(count));
  for (pure_status* const out : {statuses.data(), static_cast<pure_status*>(nullptr)}) {
    check(pure_waitall(count, all, out), "pure_waitall");
    check(pure_waitany(count, all, &index, out), "pure_waitany");
    check(pure_waitsome(count, all, &outcount, indices.data(), out), "pure_waitsome");
    check(pure_testall(count, all, &flag, out), "pure_testall");
    check(pure_testany(count, all, &index, &flag, out), "pure_testany");
    check(pure_testsome(count, all, &outcount, indices.data(), out), "pure_testsome");
  }
  check(pure_startall(count, all), "pure_startall");
}

TEST(pure_h_requests_twice, is_an_error_of_every_call_that_changes_nothing) {
  for (const int ranks : sizes) {
    for (const case_of& each : cases) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, a request of " + each.made_by);
      on_ranks(ranks, [&each](int me) {
        made one(each.which), other(case_of::pending_receive);
        pure_request all[] = {PURE_REQUEST_NULL, one.request, other.request, PURE_REQUEST_NULL, one.request};
        const std::vector<pure_request> before(std::begin(all), std::end(all));
        for_every_call(5, all, [&](int code, const char* call) {
          expect_error(code, PURE_ERR_REQUEST,
                       {std::string(call) + ": rank " + std::to_string(me), "requests[1] and requests[4]", each.made_by,
                        "give each request once"});
          EXPECT_EQ(std::vector<pure_request>(std::begin(all), std::end(all)), before) << call;
        });
        if (each.which == case_of::pending_receive || each.which == case_of::done_receive ||
            each.which == case_of::active_receive) {
          one.end();  // in the order of their receives
          other.end();
        } else {
          other.end();
          one.end();
        }
      });
    }
  }
}

TEST(pure_h_requests_twice, is_found_where_the_list_is_long) {
  constexpr std::size_t n = 3000;
  on_ranks(1, [] {
    std::vector<int> in(n, -1);
    std::vector<pure_request> all(n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_OK(pure_irecv_msg(&in[i], 1, PURE_INT, 0, static_cast<int>(i), world, &all[i]));
    }
    const auto count = static_cast<int>(n);
    for (const auto& [first, second] : {std::pair{0U, 1U}, {0U, 2999U}, {1500U, 1501U}, {2998U, 2999U}}) {
      const pure_request kept = std::exchange(all[second], all[first]);
      const std::string both = "requests[" + std::to_string(first) + "] and requests[" + std::to_string(second) + "]";
      for_every_call(count, all.data(), [&](int code, const char*) { expect_error(code, PURE_ERR_REQUEST, {both}); });
      all[second] = kept;
    }
    for (int tag_of = 0; tag_of < count; ++tag_of) EXPECT_OK(pure_send_msg(&tag_of, 1, PURE_INT, 0, tag_of, world));
    EXPECT_OK(pure_waitall(count, all.data(), nullptr));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(in[i], static_cast<int>(i));
  });
}

TEST(pure_h_requests_twice, the_same_list_again_and_the_same_null_twice_are_fine) {
  on_ranks(2, [](int me) {
    int in[2] = {-1, -1};
    pure_request all[4] = {};  // the last two stay null
    for (int i = 0; i < 2; ++i) EXPECT_OK(pure_irecv_msg(&in[i], 1, PURE_INT, me, i, world, &all[i]));
    int flag = 1, index = 7;
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(pure_testall(4, all, &flag, nullptr));
      EXPECT_EQ(flag, 0);
      EXPECT_OK(pure_testany(4, all, &index, &flag, nullptr));
      EXPECT_EQ(flag, 0);
    }
    for (int i = 0; i < 2; ++i) EXPECT_OK(pure_send_msg(&i, 1, PURE_INT, me, i, world));
    pure_request short_sends[2] = {};  // are complete at once, both under one name
    for (pure_request& each : short_sends) EXPECT_OK(pure_isend_msg(&me, 1, PURE_INT, me, 9, world, &each));
    EXPECT_OK(pure_waitall(2, short_sends, nullptr));
    EXPECT_OK(pure_waitall(4, all, nullptr));
    EXPECT_EQ(in[1], 1);
    for (int i = 0; i < 2; ++i) EXPECT_OK(pure_recv_msg(in, 1, PURE_INT, me, 9, world, nullptr));
  });
}

TEST(pure_h_requests_twice, copies_in_other_lists_are_errors_before_anything_is_waited_for) {
  on_ranks(3, [](int me) {
    int in = -1, later = -1;
    pure_request one = PURE_REQUEST_NULL, pending = PURE_REQUEST_NULL, freed = PURE_REQUEST_NULL;
    EXPECT_OK(pure_irecv_msg(&in, 1, PURE_INT, me, 1, world, &one));
    EXPECT_OK(pure_irecv_msg(&later, 1, PURE_INT, me, 2, world, &pending));
    EXPECT_OK(pure_recv_init(&in, 1, PURE_INT, me, 3, world, &freed));
    const pure_request copies[] = {one, one, one}, copy_of_freed = freed;
    EXPECT_OK(pure_send_msg(&me, 1, PURE_INT, me, 1, world));
    EXPECT_OK(pure_wait(&one, nullptr));
    EXPECT_OK(pure_request_free(&freed));
    // The pending receive is first: a call that waited for it would wait for ever.
    for (const pure_request stale : {copies[1], copy_of_freed}) {
      pure_request list[] = {pending, stale};
      for_every_call(2, list, [&](int code, const char* call) {
        if (std::string(call) == "pure_startall") return expect_error(code, PURE_ERR_REQUEST, {call});
        expect_error(code, PURE_ERR_REQUEST, {call, "completed or freed already"});
      });
      EXPECT_EQ(list[0], pending);
    }
    EXPECT_OK(pure_send_msg(&me, 1, PURE_INT, me, 2, world));
    EXPECT_OK(pure_wait(&pending, nullptr));
    EXPECT_EQ(later, me);
  });
}

TEST(pure_h_requests_twice, looks_that_change_nothing_may_see_one_twice) {
  on_ranks(1, [] {
    int in = -1, flag = 7, outcount = 7, index = 7, indices[2] = {};
    pure_request one = PURE_REQUEST_NULL;
    EXPECT_OK(pure_irecv_msg(&in, 1, PURE_INT, 0, 1, world, &one));
    EXPECT_OK(pure_send_msg(&flag, 1, PURE_INT, 0, 1, world));
    const pure_request both[] = {one, one};
    EXPECT_OK(pure_request_get_status_all(2, both, &flag, nullptr));
    EXPECT_EQ(flag, 1);
    EXPECT_OK(pure_request_get_status_any(2, both, &index, &flag, nullptr));
    EXPECT_EQ(index, 0);
    EXPECT_OK(pure_request_get_status_some(2, both, &outcount, indices, nullptr));
    EXPECT_EQ(outcount, 2);
    EXPECT_OK(pure_wait(&one, nullptr));
    EXPECT_EQ(in, 7);
  });
}

}  // namespace requests_twice
