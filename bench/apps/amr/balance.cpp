// Recursive bisection on sub-communicators: the ranks of a half know its blocks only, by their keys; the blocks
// themselves move once, at the end. balance.hpp says what comes out.
#include "balance.hpp"

#include <algorithm>
#include <array>

namespace amr {
namespace {

constexpr int centre_bits = 20;  // a coordinate of a block of the finest level, in halves of its edge

using keys = std::vector<std::uint64_t>;

class bisection {
 public:
  explicit bisection(const mesh& m) : m_(m) {}

  // The keys of the blocks that the rank is to own.
  keys run(keys mine) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(m_.comm, &comm);
    for (int size = m_.ranks; size > 1; MPI_Comm_size(comm, &size)) {
      int rank = 0;
      MPI_Comm_rank(comm, &rank);
      const int low_ranks = size / 2;
      const int axis = longest_edge(mine, comm);
      long long all = static_cast<long long>(mine.size());
      MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG_LONG, MPI_SUM, comm);
      const std::uint64_t cut = order_of_number(all * low_ranks / size, mine, axis, comm);
      mine = exchange_halves(mine, axis, cut, low_ranks, comm);
      MPI_Comm half = MPI_COMM_NULL;
      MPI_Comm_split(comm, rank < low_ranks ? 0 : 1, rank, &half);
      MPI_Comm_free(&comm);
      comm = half;
    }
    MPI_Comm_free(&comm);
    return mine;
  }

 private:
  // Twice the centre, in edges of a block of the finest level.
  int centre(std::uint64_t key, int axis) const {
    const block_id b = id_of(key);
    return (2 * b.at[axis] + 1) << (m_.finest - b.level);
  }

  // No two blocks have one centre: sorted by all coordinates, the cut one first, they can be cut anywhere.
  std::uint64_t order(std::uint64_t key, int axis) const {
    std::uint64_t result = 0;
    for (int i = 0; i < 3; ++i) {
      result = result << centre_bits | static_cast<std::uint64_t>(centre(key, (axis + i) % 3));
    }
    return result;
  }

  int longest_edge(const keys& mine, MPI_Comm comm) const {
    std::array<int, 6> ends{};  // the greatest of -centre, then of centre
    ends.fill(-(1 << (centre_bits + 1)));
    for (const std::uint64_t key : mine) {
      for (int axis = 0; axis < 3; ++axis) {
        int &low = ends[static_cast<unsigned>(axis)], &high = ends[static_cast<unsigned>(axis) + 3];
        low = std::max(low, -centre(key, axis));
        high = std::max(high, centre(key, axis));
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, ends.data(), 6, MPI_INT, MPI_MAX, comm);
    vec3 edges{};
    for (unsigned axis = 0; axis < 3; ++axis) edges[axis] = (ends[axis] + ends[axis + 3]) / (1.0 * m_.roots[axis]);
    return static_cast<int>(std::max_element(edges.begin(), edges.end()) - edges.begin());
  }

  // The `order` of the block before which there are `number` others: six bits after six, by histograms.
  std::uint64_t order_of_number(long long number, const keys& mine, int axis, MPI_Comm comm) const {
    std::uint64_t found = 0;
    for (int shift = 3 * centre_bits - 6; shift >= 0; shift -= 6) {
      std::array<long long, 64> counts{};
      for (const std::uint64_t key : mine) {
        const std::uint64_t o = order(key, axis);
        if (o >> shift >> 6 == found) ++counts[o >> shift & 63];
      }
      MPI_Allreduce(MPI_IN_PLACE, counts.data(), 64, MPI_LONG_LONG, MPI_SUM, comm);
      unsigned digit = 0;
      while (digit < 63 && counts[digit] <= number) number -= counts[digit++];
      found = found << 6 | digit;
    }
    return found;
  }

  // Keys go to the half that they belong to, in turn to its ranks.
  keys exchange_halves(const keys& mine, int axis, std::uint64_t cut, int low_ranks, MPI_Comm comm) const {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto ranks = static_cast<std::size_t>(size);
    const bool in_low_half = rank < low_ranks;
    std::vector<keys> to(ranks);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const bool low = order(mine[i], axis) < cut;
      const int others = low ? low_ranks : size - low_ranks;
      const int next = (low ? 0 : low_ranks) + (rank + static_cast<int>(i)) % others;
      to[static_cast<std::size_t>(low == in_low_half ? rank : next)].push_back(mine[i]);
    }
    std::vector<int> sent(ranks), sent_at(ranks), received(ranks), received_at(ranks);
    keys outgoing;
    for (std::size_t r = 0; r < ranks; ++r) {
      sent[r] = static_cast<int>(to[r].size());
      sent_at[r] = static_cast<int>(outgoing.size());
      outgoing.insert(outgoing.end(), to[r].begin(), to[r].end());
    }
    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm);
    int length = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      received_at[r] = length;
      length += received[r];
    }
    keys incoming(static_cast<std::size_t>(length));
    MPI_Alltoallv(outgoing.data(), sent.data(), sent_at.data(), MPI_UINT64_T, incoming.data(), received.data(),
                  received_at.data(), MPI_UINT64_T, comm);
    return incoming;
  }

  const mesh& m_;
};

}  // namespace

void balance(mesh& m) {
  keys mine;
  for (const block& b : m.blocks) mine.push_back(b.key);
  mine = bisection(m).run(std::move(mine));

  const auto ranks = static_cast<std::size_t>(m.ranks);
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(ranks), starts(ranks);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, m.comm);
  for (std::size_t r = 1; r < ranks; ++r) starts[r] = starts[r - 1] + counts[r - 1];
  keys all(m.all.leaves().size());
  MPI_Allgatherv(mine.data(), count, MPI_UINT64_T, all.data(), counts.data(), starts.data(), MPI_UINT64_T, m.comm);
  std::vector<int> owners(all.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (int i = starts[r]; i < starts[r] + counts[r]; ++i) {
      owners[static_cast<std::size_t>(m.all.find(id_of(all[static_cast<std::size_t>(i)])))] = static_cast<int>(r);
    }
  }
  move_blocks(m, owners);
}

}  // namespace amr
