// The MPI twin of histogram.cpp: there is no aggregation, so all numbers are sorted by their rank first, and exchanged
// at once.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

constexpr std::uint64_t numbers = 200'000;  // of all ranks
constexpr std::uint32_t bins = 50;

std::uint32_t bin_of(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x ^= x >> 31;
  return static_cast<std::uint32_t>(x % 25 + (x >> 32) % 26);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int my_rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto rank = static_cast<std::uint32_t>(my_rank), size = static_cast<std::uint32_t>(ranks);
  std::vector<long> mine(bins / size + 1);  // bin b is number b / size of rank b % size

  std::vector<std::vector<std::uint32_t>> by_rank(size);
  for (std::uint64_t i = rank; i < numbers; i += size) {
    const std::uint32_t bin = bin_of(i);
    by_rank[bin % size].push_back(bin / size);
  }
  std::vector<std::uint32_t> outgoing;
  std::vector<int> send_counts, send_displs, counts(size), displs(size);
  for (const auto& items : by_rank) {
    send_displs.push_back(static_cast<int>(outgoing.size()));
    send_counts.push_back(static_cast<int>(items.size()));
    outgoing.insert(outgoing.end(), items.begin(), items.end());
  }
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(counts.begin(), counts.end(), displs.begin(), 0);
  std::vector<std::uint32_t> incoming(static_cast<std::size_t>(displs.back() + counts.back()));
  MPI_Alltoallv(outgoing.data(), send_counts.data(), send_displs.data(), MPI_UINT32_T, incoming.data(), counts.data(),
                displs.data(), MPI_UINT32_T, MPI_COMM_WORLD);
  for (const std::uint32_t bin : incoming) ++mine[bin];

  std::vector<long> expected(mine.size());
  for (std::uint64_t i = 0; i < numbers; ++i) {
    const std::uint32_t bin = bin_of(i);
    if (bin % size == rank) ++expected[bin / size];
  }
  const int wrong_here = mine == expected ? 0 : 1;
  const long all_here = std::reduce(mine.begin(), mine.end()),
             fullest_here = *std::max_element(mine.begin(), mine.end());
  int wrong = 0;
  long all = 0, fullest = 0;
  MPI_Allreduce(&wrong_here, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&all_here, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&fullest_here, &fullest, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld numbers, %ld of them in the fullest bin, %d ranks wrong\n", all, fullest, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
