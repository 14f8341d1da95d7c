// A program of mpi.h and of pure/pure.hpp: the same ranks in both, whatever these are.
//
// mixed right PRIVATE     all is right; PRIVATE: 1 where each rank has globals of its own. Prints "right", and how many
//                         chunks others than their rank did ("shared N")
// mixed error             an error of Pure that nobody catches
#include <mpi.h>
#include <pure/paper_task.hpp>
#include <pure/pure.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mixed.hpp"

int rank_of_image = -1;  // where each rank has its own: its number

namespace {

std::atomic<int> wrong{0};

void expect(bool is_right, const char* what) {
  if (!is_right && wrong++ < 5) std::printf("%s\n", what);
}

/// What call() throws.
template <class Thrown, class Call>
std::string thrown_by(const Call& call) {
  std::string text = "nothing";
  try {
    call();
  } catch (const Thrown& error) {
    text = error.what();
  }
  expect(std::uncaught_exceptions() == 0, "an exception that was caught counts still");
  return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void communicators(pure::comm world, int rank, int size) {
  expect(world.rank() == rank && world.size() == size, "the rank or the size of MPI_COMM_WORLD");
  expect(static_cast<MPI_Comm>(world) == MPI_COMM_WORLD, "MPI_COMM_WORLD and back");
  expect(pure::comm(MPI_COMM_SELF).size() == 1, "MPI_COMM_SELF");

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  const pure::comm same(half);
  int place = -1;
  MPI_Comm_rank(half, &place);
  expect(same.rank() == place && static_cast<MPI_Comm>(same) == half, "a part of MPI_COMM_WORLD");

  const pure::comm copy = world.dup();
  const auto of_copy = static_cast<MPI_Comm>(copy);
  int is = -1;
  MPI_Comm_compare(of_copy, MPI_COMM_WORLD, &is);
  expect(is == MPI_CONGRUENT, "a copy that Pure has made");

  // What one interface sends, the other receives, in order; the wildcards mean the same.
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int in = -1;
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, right, 3, of_copy, &request);
  expect(copy.recv<int>(left, 3) == left, "a message of MPI, received by Pure");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  auto sending = copy.isend(rank, right, 4);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, of_copy, MPI_STATUS_IGNORE);
  sending.wait();
  expect(in == left, "a message of Pure, received by MPI");
  if (rank % 2 == 0) {
    expect(copy.all_reduce(1, std::plus{}) == size, "a collective, by Pure here and by MPI there");
  } else {
    const int one = 1;
    MPI_Allreduce(&one, &in, 1, MPI_INT, MPI_SUM, of_copy);
    expect(in == size, "a collective, by MPI here and by Pure there");
  }
  MPI_Barrier(MPI_COMM_WORLD);

  expect(has(thrown_by<pure::Error>([] { pure::comm none(MPI_COMM_NULL); }), "MPI_COMM_NULL"), "MPI_COMM_NULL");
  MPI_Comm freed = of_copy;
  MPI_Comm_free(&freed);
  expect(has(thrown_by<pure::Error>([&] { copy.send(1, 0); }), "freed"), "a communicator that MPI has freed");
  expect(has(thrown_by<pure::Error>([&] { pure::comm gone(of_copy); }), "freed"), "one that is gone");
  MPI_Comm_free(&half);
}

int loops(const pure::comm& world, int rank, bool is_private) {
  constexpr std::size_t count = 4000;
  std::vector<int> done(count);
  std::atomic<int> of_others{0}, of_other_image{0};
  const pthread_t owner = pthread_self();
  world.barrier();
  if (rank == 0) {
    pure::parallel_for(
        count,
        [&](pure::index_range part) {
          for (const std::size_t i : part) done[i] += 1;
          if (rank_of_image != rank) of_other_image += 1;
          if (pthread_equal(pthread_self(), owner) == 0) of_others += 1;
          std::this_thread::sleep_for(std::chrono::microseconds(50));
        },
        pure::chunk_size(16));
  }
  world.barrier();
  if (rank == 0) expect(std::accumulate(done.begin(), done.end(), 0) == int{count}, "a loop, each iteration once");
  expect(!is_private || of_other_image == 0, "a chunk in another image than its rank's");

  const double sum = pure::parallel_reduce(
      0, 1000, 0.0, [&](std::size_t i) { return static_cast<double>(i); }, std::plus{});
  expect(sum == 499500.0, "a reduction");

  std::vector<double> values(1000);
  PureTask task = [&](chunk_id_t first, chunk_id_t last) {
    const auto [from, to] = pure_aligned_idx_range<double>(values.size(), first, last);
    for (auto i = from; i <= to; ++i) values[static_cast<std::size_t>(i)] += static_cast<double>(rank + 1);
  };
  task.execute();
  expect(std::accumulate(values.begin(), values.end(), 0.0) == 1000.0 * (rank + 1), "a task");

  // A rank's exception leaves its loop, whoever did the chunk.
  struct own_error : std::runtime_error {
    using runtime_error::runtime_error;
  };
  const auto failing = [&] {
    pure::parallel_for(count, [&](std::size_t i) {
      if (i == count / 2) throw own_error("in " + std::to_string(i));
    });
  };
  expect(thrown_by<own_error>(failing) == "in 2000", "an exception of a loop");
  const auto call_in_loop = [&] { pure::parallel_for(8, [&](std::size_t) { world.send(1, 0); }); };
  expect(has(thrown_by<pure::Error>(call_in_loop), "inside a chunk of a task"), "a call in a loop");
  return of_others;
}

void windows(const pure::comm& world, int rank, int size) {
  auto all = pure::window<long>::allocate(world, 4);
  all.local()[0] = 0;
  all.fence();
  for (int to = 0; to < size; ++to) all.accumulate(long{rank} + 1, {to, 0}, std::plus{});
  all.fence();
  expect(all.local()[0] == long{size} * (size + 1) / 2, "accumulates of a window");
}

void aggregations(const pure::comm& world, int rank, int size) {
  std::uint64_t sum = 0;
  pure::aggregation items(world);
  auto numbers = items.on<std::uint64_t>([&](const std::uint64_t& each) { sum += each; });
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.send(i, static_cast<int>(i) % size);
  items.finish();
  const std::uint64_t all = world.all_reduce(sum, std::plus{});
  expect(all == 499500 * static_cast<std::uint64_t>(size), "items of an aggregation");
  (void)rank;
}

void errors(const pure::comm& world, int size) {
  expect(has(thrown_by<pure::Error>([&] { world.send(1, size); }), "mixed.cpp:"), "the place of an error");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Send(&size, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  expect(code == MPI_ERR_RANK, "the code of an error of MPI");
  expect(std::uncaught_exceptions() == 0, "an error of MPI counts as an exception");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string how = argc > 1 ? argv[1] : "";
  const bool is_private = argc > 2 && std::strcmp(argv[2], "1") == 0;
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_of_image = rank;
  const pure::comm world(MPI_COMM_WORLD);
  if (how == "error") world.send(1, size);
  communicators(world, rank, size);
  const int of_others = loops(world, rank, is_private);
  windows(world, rank, size);
  aggregations(world, rank, size);
  errors(world, size);
  expect(rank_as_pure_h_has_it(MPI_COMM_WORLD) == rank, "the rank that pure.h says");
  int all_wrong = wrong, sum = 0, shared = 0;
  if (!is_private && rank != 0 && size > 1) all_wrong = 0;  // one count for all, maybe
  MPI_Allreduce(&all_wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&of_others, &shared, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\nshared %d\n", sum == 0 ? "right" : "wrong", shared);
  MPI_Finalize();
  return sum != 0;
}
