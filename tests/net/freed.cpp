// Communicators of several processes that are freed while operations on them are pending, or can be started again, and
// the two sides of collectives that a rank has to itself: freed
//
// The same as inside a process (tests/unit/api/c/pure_h_comm_free_test.cpp, pure_h_collectives_sizes_test.cpp).
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>
#include <pure/pure.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "net/refusals.hpp"

namespace {

using net_test::check;
using net_test::neighbours;
using net_test::refused;

constexpr std::size_t sizes[] = {1, 1000, 50'000};  // small, more than a packet, large

/// One rank after the other: what a rank starts is pending when it goes on, because those after it have not come.
template <class Do>
void in_turn(const pure::comm& world, Do what) {
  if (world.rank() > 0) (void)world.recv<int>(world.rank() - 1, 77);
  what();
  if (world.rank() + 1 < world.size()) world.send(0, world.rank() + 1, 77);
}

bool all_are(const std::vector<int>& data, int value) {
  return std::all_of(data.begin(), data.end(), [value](int each) { return each == value; });
}

void collectives(const pure::comm& world) {
  const int me = world.rank(), ranks = world.size(), sum = ranks * (ranks - 1) / 2;
  for (const std::size_t size : sizes) {
    const std::vector<int> mine(size, me);
    std::vector<int> summed(size, -1), data = mine, gathered(size * static_cast<std::size_t>(ranks), -1);
    std::vector<int> again(size, -1);
    std::vector<pure::request> pending;
    std::vector<pure::persistent_request> kept;
    const pure::comm made = world.dup();
    in_turn(world, [&] {
      pending.push_back(made.iall_reduce_into(mine, summed, std::plus{}));
      pending.push_back(made.ibcast(data, ranks - 1));
      pending.push_back(made.iall_gather_into(mine, gathered));
      pending.push_back(made.ibarrier());
      kept.push_back(made.all_reduce_init(mine, again, std::plus{}));
      made.free();
    });
    for (int i = 0; i < 300; ++i) world.dup().free();  // nothing of it is remembered by its table
    pure::wait_all(pending);
    check(all_are(summed, sum), "a sum on a freed communicator");
    check(all_are(data, ranks - 1), "a broadcast on a freed communicator");
    for (int q = 0; q < ranks; ++q) {
      check(gathered[static_cast<std::size_t>(q) * size] == q, "an all-gather on a freed communicator");
    }
    for (int round = 0; round < 3; ++round) {
      std::fill(again.begin(), again.end(), -1);
      pure::start_all(kept);
      pure::wait_all(kept);
      check(all_are(again, sum), "a persistent sum on a freed communicator");
    }
  }
}

void messages(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  for (const std::size_t size : sizes) {
    const std::vector<int> out(size, world.rank());
    std::vector<int> in(size, -1), in_again(size, -1);
    std::vector<pure::request> pending;
    std::vector<pure::persistent_request> kept;
    const pure::comm made = world.dup();
    in_turn(world, [&] {
      pending.push_back(made.irecv_into(in, left, 1));
      pending.push_back(made.isend(out, right, 1));
      kept.push_back(made.recv_init(in_again, left, 2));
      kept.push_back(made.send_init(out, right, 2));
      made.free();
    });
    pure::wait_all(pending);
    check(all_are(in, left), "a message on a freed communicator");
    for (int round = 0; round < 3; ++round) {
      std::fill(in_again.begin(), in_again.end(), -1);
      pure::start_all(kept);
      pure::wait_all(kept);
      check(all_are(in_again, left), "a persistent message on a freed communicator");
    }
  }
}

/// Nobody completes these: the ranks end with them.
void left_behind(const pure::comm& world, int& in, int& out) {
  const pure::comm made = world.dup();
  pure_request never = PURE_REQUEST_NULL;
  pure_comm c_made = PURE_COMM_NULL;
  pure_comm_dup(PURE_COMM_WORLD, &c_made);
  pure_allreduce_init(&in, &out, 1, PURE_INT, PURE_SUM, c_made, &never);
  pure_comm_free(&c_made);
  made.free();
}

/// All ranks are refused the same call. For one that has others beside it, in a job of several processes, that was the
/// last collective on the communicator (coll/refused_calls.hpp); if there is none, all go on.
void own_sides(const pure::comm& world) {
  const pure::comm made = world.dup();
  const pure::comm beside = *world.split_type(pure::split_by::process);
  const auto ranks = static_cast<std::size_t>(world.size());
  const auto me = static_cast<std::size_t>(world.rank());
  const std::vector<int> in(4 * ranks, 1);
  std::vector<int> out(4 * ranks, -1);
  std::vector<std::int64_t> sent(ranks, 2), received(ranks, 2);
  sent[me] = 4;
  refused(pure::errc::mismatch, [&] { made.all_to_allv_into(in, sent, out, received); },
          {"gives itself 16 bytes where it expects 8"});
  check(all_are(out, -1), "an all-to-all that did not take place");
  const bool all_go_on = world.all_reduce(beside.size(), pure::max{}) == 1 || beside.size() == world.size();
  if (all_go_on) {
    sent[me] = 2;
    made.all_to_allv_into(in, sent, out, received);
    out.resize(2 * ranks);
    check(all_are(out, 1), "the next all-to-all");
  } else if (beside.size() > 1) {
    refused(pure::errc::state, [&] { made.barrier(); }, {"gives itself 16 bytes where it expects 8", "by dup"});
  }
  made.free();
}

/// Empty blocks are nowhere.
void nothing(const pure::comm& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::vector<std::int64_t> none(ranks, 0), displs(ranks, -5);
  pure_set_errhandler(PURE_ERRORS_RETURN);
  const pure_comm all = PURE_COMM_WORLD;
  check(pure_alltoallv(nullptr, none.data(), displs.data(), PURE_INT, nullptr, none.data(), displs.data(), PURE_INT,
                       all) == PURE_SUCCESS,
        "an all-to-all of nothing");
  check(pure_allgatherv(nullptr, 0, PURE_INT, nullptr, none.data(), displs.data(), PURE_INT, all) == PURE_SUCCESS,
        "an all-gather of nothing");
  check(pure_gatherv(nullptr, 0, PURE_INT, nullptr, none.data(), displs.data(), PURE_INT, 0, all) == PURE_SUCCESS,
        "a gather of nothing");
  check(pure_scatterv(nullptr, none.data(), displs.data(), PURE_INT, nullptr, 0, PURE_INT, 0, all) == PURE_SUCCESS,
        "a scatter of nothing");
}

int run_on(const pure::comm& world) {
  collectives(world);
  messages(world);
  own_sides(world);
  nothing(world);
  int in = 0, out = 0;
  left_behind(world, in, out);
  world.barrier();
  if (world.rank() == 0 && net_test::wrong == 0) std::puts("freed: right");
  return net_test::wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  return pure::run([](const pure::comm& world) { return run_on(world); });
}
