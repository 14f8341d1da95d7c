// pure.h, collectives whose two sides are one rank's own: every collective in every form on a communicator of one rank,
// with sizes that fit, that do not, none, null and in place; and what a rank gives itself among others. The oracle:
// what a rank gives itself is what it gets, and an error leaves all as it was.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/collective_forms.hpp"
#include "support/pure_h.hpp"

namespace collectives_sizes_c {

using test_support::expect_error;
using test_support::form;
using test_support::forms;
using test_support::on_ranks;
using test_support::world;
namespace of = test_support;

/// The two sides of one rank; displacements are in elements.
struct sides {
  const void* send;
  std::int64_t send_count;
  void* recv;
  std::int64_t recv_count;
  std::int64_t send_displ = 0, recv_displ = 0;
};

struct collective {
  const char* name;
  bool has_displs;
  bool is_scatter;  // in place stands for the receive buffer
  int (*call)(form how, pure_comm comm, const sides& s);
};

constexpr pure_datatype int_type = PURE_INT;

const collective two_sided[] = {
    {"gather", false, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::gather(how, comm, s.send, s.send_count, PURE_INT, s.recv, s.recv_count, PURE_INT, 0);
     }},
    {"gatherv", true, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::gatherv(how, comm, s.send, s.send_count, PURE_INT, s.recv, &s.recv_count, &s.recv_displ, PURE_INT, 0);
     }},
    {"scatter", false, true,
     [](form how, pure_comm comm, const sides& s) {
       return of::scatter(how, comm, s.send, s.send_count, PURE_INT, s.recv, s.recv_count, PURE_INT, 0);
     }},
    {"scatterv", true, true,
     [](form how, pure_comm comm, const sides& s) {
       return of::scatterv(how, comm, s.send, &s.send_count, &s.send_displ, PURE_INT, s.recv, s.recv_count, PURE_INT,
                           0);
     }},
    {"allgather", false, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::allgather(how, comm, s.send, s.send_count, PURE_INT, s.recv, s.recv_count, PURE_INT);
     }},
    {"allgatherv", true, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::allgatherv(how, comm, s.send, s.send_count, PURE_INT, s.recv, &s.recv_count, &s.recv_displ, PURE_INT);
     }},
    {"alltoall", false, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::alltoall(how, comm, s.send, s.send_count, PURE_INT, s.recv, s.recv_count, PURE_INT);
     }},
    {"alltoallv", true, false,
     [](form how, pure_comm comm, const sides& s) {
       return of::alltoallv(how, comm, s.send, &s.send_count, &s.send_displ, PURE_INT, s.recv, &s.recv_count,
                            &s.recv_displ, PURE_INT);
     }},
    {"alltoallw", true, false,
     [](form how, pure_comm comm, const sides& s) {
       const std::int64_t from = s.send_displ * 4, to = s.recv_displ * 4;
       return of::alltoallw(how, comm, s.send, &s.send_count, &from, &int_type, s.recv, &s.recv_count, &to, &int_type);
     }},
};

/// check(how, comm) in every form, alone in the job and alone in a communicator of one's own.
template <class Check>
void alone(Check check) {
  for (const int ranks : {1, 3}) {
    on_ranks(ranks, [&] {
      for (const form how : forms) {
        SCOPED_TRACE("form " + std::to_string(static_cast<int>(how)) + ", " + std::to_string(ranks) + " ranks");
        check(how, PURE_COMM_SELF);
        if (ranks == 1) check(how, world);
      }
    });
  }
}

constexpr std::size_t n = 16;
constexpr std::int64_t middle = 8;

struct buffers {
  std::vector<int> send = std::vector<int>(n), recv = std::vector<int>(n, -1);
  buffers() { std::iota(send.begin(), send.end(), 100); }
  [[nodiscard]] sides of(std::int64_t sent, std::int64_t received) {
    return {send.data() + middle, sent, recv.data() + middle, received};
  }
};

TEST(pure_h_collectives_sizes, alone_what_fits_is_copied) {
  alone([](form how, pure_comm comm) {
    for (const collective& each : two_sided) {
      for (const std::int64_t displ : {0, 2, -2}) {
        if (displ != 0 && !each.has_displs) continue;
        for (const std::int64_t count : {0, 1, 3}) {
          SCOPED_TRACE(each.name);
          buffers b;
          sides s = b.of(count, count);
          s.send_displ = displ;
          s.recv_displ = -displ;
          EXPECT_OK(each.call(how, comm, s));
          // Where a side has no displacements, it begins in the middle.
          const std::string name = each.name;
          const bool from_displ = each.is_scatter || name == "alltoallv" || name == "alltoallw";
          const std::int64_t from = middle + (from_displ ? displ : 0);
          const std::int64_t to = middle - (each.is_scatter ? 0 : displ);
          std::vector<int> expected(n, -1);
          for (std::int64_t i = 0; i < count; ++i) {
            expected[static_cast<std::size_t>(to + i)] = b.send[static_cast<std::size_t>(from + i)];
          }
          EXPECT_EQ(b.recv, expected);
        }
      }
    }
  });
}

TEST(pure_h_collectives_sizes, alone_sides_that_differ_are_an_error) {
  alone([](form how, pure_comm comm) {
    for (const collective& each : two_sided) {
      for (const auto& [sent, received] : {std::pair{4, 2}, {2, 4}, {3, 0}, {0, 3}}) {
        for (const bool is_null : {false, true}) {  // an empty side may be null
          SCOPED_TRACE(each.name);
          buffers b;
          sides s = b.of(sent, received);
          if (is_null && sent == 0) s.send = nullptr;
          if (is_null && received == 0) s.recv = nullptr;
          expect_error(
              each.call(how, comm, s), PURE_ERR_MISMATCH,
              {std::string("pure_"), each.name, "disagree on a size",
               "gives itself " + std::to_string(4 * sent) + " bytes where it expects " + std::to_string(4 * received)});
          EXPECT_EQ(b.recv, std::vector<int>(n, -1));
        }
      }
    }
  });
}

TEST(pure_h_collectives_sizes, alone_null_is_an_error_where_there_is_data) {
  alone([](form how, pure_comm comm) {
    for (const collective& each : two_sided) {
      for (const std::int64_t displ : {0, 2, -2}) {
        SCOPED_TRACE(each.name);
        buffers b;
        sides s = b.of(3, 3);
        s.send_displ = s.recv_displ = displ;
        s.send = nullptr;
        expect_error(each.call(how, comm, s), PURE_ERR_BUFFER, {each.name, "null"});
        s = b.of(3, 3);
        s.send_displ = s.recv_displ = displ;
        s.recv = nullptr;
        expect_error(each.call(how, comm, s), PURE_ERR_BUFFER, {each.name, "null"});
        EXPECT_EQ(b.recv, std::vector<int>(n, -1));
        // Empty, wherever it is.
        EXPECT_OK(each.call(how, comm, {nullptr, 0, nullptr, 0, displ, displ}));
        EXPECT_OK(each.call(how, comm, {b.send.data(), 0, nullptr, 0, displ, displ}));
        EXPECT_OK(each.call(how, comm, {nullptr, 0, b.recv.data(), 0, displ, displ}));
      }
    }
  });
}

TEST(pure_h_collectives_sizes, alone_in_place) {
  alone([](form how, pure_comm comm) {
    for (const collective& each : two_sided) {
      SCOPED_TRACE(each.name);
      buffers b;
      // What stands for the other side is not looked at.
      const sides s = each.is_scatter ? sides{b.send.data(), 3, PURE_IN_PLACE, 7}
                                      : sides{PURE_IN_PLACE, 7, b.recv.data(), 3};
      EXPECT_OK(each.call(how, comm, s));
      EXPECT_EQ(b.recv, std::vector<int>(n, -1));
      EXPECT_EQ(b.send, buffers().send);
      const sides wrong = each.is_scatter ? sides{PURE_IN_PLACE, 3, b.recv.data(), 3}
                                          : sides{b.send.data(), 3, PURE_IN_PLACE, 3};
      expect_error(each.call(how, comm, wrong), PURE_ERR_BUFFER, {each.name, "PURE_IN_PLACE"});
    }
  });
}

TEST(pure_h_collectives_sizes, displacements_that_no_buffer_has_are_errors) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  alone([](form how, pure_comm comm) {
    for (const collective& each : two_sided) {
      if (!each.has_displs || std::string(each.name) == "alltoallw") continue;  // that one's are in bytes
      SCOPED_TRACE(each.name);
      for (const std::int64_t far : {most / 4, -most / 4 - 2}) {
        buffers b;
        sides s = b.of(1, 1);
        s.send_displ = s.recv_displ = far;
        expect_error(each.call(how, comm, s), PURE_ERR_ARG, {each.name, "displs[0] is " + std::to_string(far)});
        s.send_count = s.recv_count = 0;  // an empty block is nowhere
        EXPECT_OK(each.call(how, comm, s));
      }
    }
    int out = 1, in_there = -1;
    const std::int64_t one = 1, near = 0, far = most - 3;
    expect_error(of::alltoallw(how, comm, &out, &one, &near, &int_type, &in_there, &one, &far, &int_type), PURE_ERR_ARG,
                 {"recv_displs[0]", "too far"});
  });
}

// ---- collectives with one size
// ----------------------------------------------------------------------------------------

struct one_sized {
  const char* name;
  bool gives;  // false: rank 0 gets nothing
  int (*call)(form how, pure_comm comm, const void* send, void* recv, std::int64_t count);
};

const one_sized reductions[] = {
    {"reduce", true,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::reduce(how, comm, send, recv, count, PURE_INT, PURE_SUM, 0);
     }},
    {"allreduce", true,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::allreduce(how, comm, send, recv, count, PURE_INT, PURE_SUM);
     }},
    {"scan", true,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::scan(how, comm, send, recv, count, PURE_INT, PURE_SUM);
     }},
    {"exscan", false,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::exscan(how, comm, send, recv, count, PURE_INT, PURE_SUM);
     }},
    {"reduce_scatter", true,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::reduce_scatter(how, comm, send, recv, &count, PURE_INT, PURE_SUM);
     }},
    {"reduce_scatter_block", true,
     [](form how, pure_comm comm, const void* send, void* recv, std::int64_t count) {
       return of::reduce_scatter_block(how, comm, send, recv, count, PURE_INT, PURE_SUM);
     }},
};

TEST(pure_h_collectives_sizes, alone_reductions) {
  alone([](form how, pure_comm comm) {
    for (const one_sized& each : reductions) {
      SCOPED_TRACE(each.name);
      buffers b;
      for (const std::int64_t count : {0, 3}) {
        EXPECT_OK(each.call(how, comm, b.send.data(), b.recv.data(), count));
        std::vector<int> expected(n, -1);
        for (std::size_t i = 0; each.gives && i < static_cast<std::size_t>(count); ++i) expected[i] = b.send[i];
        EXPECT_EQ(b.recv, expected);
      }
      b.recv.assign(n, -1);
      EXPECT_OK(each.call(how, comm, PURE_IN_PLACE, b.recv.data(), 3));
      EXPECT_EQ(b.recv, std::vector<int>(n, -1));
      EXPECT_OK(each.call(how, comm, nullptr, nullptr, 0));
      EXPECT_OK(each.call(how, comm, PURE_IN_PLACE, nullptr, 0));
      expect_error(each.call(how, comm, nullptr, b.recv.data(), 3), PURE_ERR_BUFFER, {each.name, "null"});
      expect_error(each.call(how, comm, PURE_IN_PLACE, nullptr, 3), PURE_ERR_BUFFER, {each.name, "null"});
      if (each.gives) {
        expect_error(each.call(how, comm, b.send.data(), nullptr, 3), PURE_ERR_BUFFER, {each.name, "null"});
      } else {
        EXPECT_OK(each.call(how, comm, b.send.data(), nullptr, 3));
      }
      EXPECT_EQ(b.recv, std::vector<int>(n, -1));
    }
  });
}

TEST(pure_h_collectives_sizes, alone_barrier_and_broadcast) {
  alone([](form how, pure_comm comm) {
    EXPECT_OK(of::barrier(how, comm));
    buffers b;
    EXPECT_OK(of::bcast(how, comm, static_cast<void*>(b.send.data()), 3, PURE_INT, 0));
    EXPECT_OK(of::bcast(how, comm, nullptr, 0, PURE_INT, 0));
    expect_error(of::bcast(how, comm, nullptr, 3, PURE_INT, 0), PURE_ERR_BUFFER, {"bcast", "null"});
    EXPECT_EQ(b.send, buffers().send);
  });
}

// ---- what a rank gives itself among others
// ----------------------------------------------------------------------------

TEST(pure_h_collectives_sizes, among_others_the_own_block_must_fit_too) {
  for (const int ranks : {2, 3, 4, 9}) {
    on_ranks(ranks, [ranks](int me) {
      const auto all = static_cast<std::size_t>(ranks);
      for (const form how : forms) {
        SCOPED_TRACE("form " + std::to_string(static_cast<int>(how)) + ", " + std::to_string(ranks) + " ranks");
        for (const auto& [sent, received] : {std::pair{4, 2}, {2, 4}}) {
          std::vector<int> send(4 * all, me), recv(4 * all, -1);
          std::vector<std::int64_t> to_each(all, 2), from_each(all, 2), displs(all);
          for (std::size_t q = 0; q < all; ++q) displs[q] = static_cast<std::int64_t>(4 * q);
          to_each[static_cast<std::size_t>(me)] = sent;
          from_each[static_cast<std::size_t>(me)] = received;
          const std::vector<std::string> words = {"rank " + std::to_string(me) + " of world", "gives itself"};
          expect_error(of::allgather(how, world, send.data(), sent, PURE_INT, recv.data(), received, PURE_INT),
                       PURE_ERR_MISMATCH, words);
          expect_error(of::allgatherv(how, world, send.data(), sent, PURE_INT, recv.data(), from_each.data(),
                                      displs.data(), PURE_INT),
                       PURE_ERR_MISMATCH, words);
          expect_error(of::alltoall(how, world, send.data(), sent, PURE_INT, recv.data(), received, PURE_INT),
                       PURE_ERR_MISMATCH, words);
          expect_error(of::alltoallv(how, world, send.data(), to_each.data(), displs.data(), PURE_INT, recv.data(),
                                     from_each.data(), displs.data(), PURE_INT),
                       PURE_ERR_MISMATCH, words);
          // Each its own root: the others have nothing to disagree about.
          expect_error(of::gather(how, world, send.data(), sent, PURE_INT, recv.data(), received, PURE_INT, me),
                       PURE_ERR_MISMATCH, words);
          expect_error(of::scatter(how, world, send.data(), sent, PURE_INT, recv.data(), received, PURE_INT, me),
                       PURE_ERR_MISMATCH, words);
          EXPECT_EQ(recv, std::vector<int>(4 * all, -1));
        }
      }
      EXPECT_OK(pure_barrier(world));  // nothing has been sent: the ranks can go on
    });
  }
}

TEST(pure_h_collectives_sizes, among_others_empty_blocks_are_nowhere) {
  for (const int ranks : {2, 3, 4, 9}) {
    on_ranks(ranks, [ranks](int me) {
      const auto all = static_cast<std::size_t>(ranks);
      for (const form how : forms) {
        for (const std::int64_t displ : {5, -5}) {
          const std::vector<std::int64_t> none(all, 0), displs(all, displ);
          const std::vector<pure_datatype> types(all, PURE_INT);
          EXPECT_OK(of::gatherv(how, world, nullptr, 0, PURE_INT, nullptr, none.data(), displs.data(), PURE_INT, 0));
          EXPECT_OK(of::scatterv(how, world, nullptr, none.data(), displs.data(), PURE_INT, nullptr, 0, PURE_INT, 0));
          EXPECT_OK(of::allgatherv(how, world, nullptr, 0, PURE_INT, nullptr, none.data(), displs.data(), PURE_INT));
          EXPECT_OK(of::alltoallv(how, world, nullptr, none.data(), displs.data(), PURE_INT, nullptr, none.data(),
                                  displs.data(), PURE_INT));
          EXPECT_OK(of::alltoallw(how, world, nullptr, none.data(), displs.data(), types.data(), nullptr, none.data(),
                                  displs.data(), types.data()));
          EXPECT_OK(of::alltoallv(how, world, PURE_IN_PLACE, nullptr, nullptr, PURE_INT, nullptr, none.data(),
                                  displs.data(), PURE_INT));
          // One rank has data, and the others' empty blocks are still nowhere.
          std::vector<std::int64_t> of_last(all, 0);
          of_last.back() = 1;
          int value = 40 + me, got = -1;
          const bool is_last = me == ranks - 1;
          std::vector<std::int64_t> places(all, displ);
          places.back() = 0;
          EXPECT_OK(of::allgatherv(how, world, is_last ? &value : nullptr, is_last ? 1 : 0, PURE_INT, &got,
                                   of_last.data(), places.data(), PURE_INT));
          EXPECT_EQ(got, 40 + ranks - 1);
        }
      }
    });
  }
}

}  // namespace collectives_sizes_c
