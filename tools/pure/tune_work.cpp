#include "pure/tune_work.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <fmt/core.h>

namespace pure::tool {

namespace {

using detail::collective;

// The first word of what rank `from` contributes, for rank `to` where it matters. Sums stay exact: below 2^53.
double first_word(long rep, int from, int to = 0) noexcept {
  return static_cast<double>(rep % 0x40'0000 + 0x40'0000L * from + 0x8000'0000L * to);
}

double first_word_of_sum(long rep, int first, int last) noexcept {
  double sum = 0;
  for (int r = first; r <= last; ++r) sum += first_word(rep, r);
  return sum;
}

void write(double* words, std::size_t count, double first) noexcept {
  for (std::size_t i = 0; i < count; ++i) words[i] = first + static_cast<double>(static_cast<std::int64_t>(i));
}

// Word i is first + slope * i: the sum of `slope` ranks' words has that slope.
void check(const double* words, std::size_t count, double first, int slope) {
  bool right = true;
  for (std::size_t i = 0; i < count; ++i) {
    right &= words[i] == first + slope * static_cast<double>(static_cast<std::int64_t>(i));
  }
  if (!right) throw std::runtime_error("a collective gave a wrong result");
}

bool has_blocks_to_send(collective kind) noexcept {
  return kind == collective::scatter || kind == collective::alltoall;
}
bool has_blocks_to_receive(collective kind) noexcept {
  return kind == collective::gather || kind == collective::allgather || kind == collective::alltoall;
}

std::size_t words_to_send(collective kind, int ranks, std::size_t count) noexcept {
  return has_blocks_to_send(kind) || kind == collective::reduce_scatter ? count * static_cast<std::size_t>(ranks)
                                                                        : count;
}
std::size_t words_to_receive(collective kind, int ranks, std::size_t count) noexcept {
  return has_blocks_to_receive(kind) ? count * static_cast<std::size_t>(ranks) : count;
}

}  // namespace

std::size_t words_of(collective kind, int ranks, std::size_t bytes) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  switch (kind) {
    case collective::reduce_scatter: return bytes / (n * sizeof(double));
    case collective::scatter:
    case collective::alltoall: {  // all blocks but the own one, and their offsets (coll/packed_blocks.hpp)
      const std::size_t offsets = 8 * (n + 1);
      return bytes <= offsets ? 0 : (bytes - offsets) / (n - 1) / sizeof(double);
    }
    default: return bytes / sizeof(double);
  }
}

std::size_t buffer_bytes(collective kind, int ranks, std::size_t bytes) noexcept {
  const std::size_t count = words_of(kind, ranks, bytes);
  return sizeof(double) * static_cast<std::size_t>(ranks) *
         (words_to_send(kind, ranks, count) + words_to_receive(kind, ranks, count));
}

tune_work::words tune_work::make(std::size_t count) {
  constexpr std::size_t page = 4096;
  words made(static_cast<double*>(std::aligned_alloc(page, (count * sizeof(double) / page + 1) * page)));
  if (made == nullptr) throw std::bad_alloc();
  std::fill_n(made.get(), count, 0.0);
  return made;
}

tune_work::tune_work(collective kind, std::size_t bytes, pure_comm reversed)
    : kind_(kind),
      reversed_(reversed),
      ranks_(pure_size()),
      rank_(pure_rank()),
      count_(words_of(kind, ranks_, bytes)),
      send_(make(words_to_send(kind, ranks_, count_))),
      recv_(make(words_to_receive(kind, ranks_, count_))) {}

// Chained: the next root of a broadcast or scatter is the rank below, which is served last in the usual trees and has
// just received; that of a reduction or gather is the rank above, which lacks what the last root contributes.
int tune_work::root(long rep) const noexcept {
  const int turn = static_cast<int>(rep % ranks_);
  return kind_ == collective::bcast || kind_ == collective::scatter ? ranks_ - 1 - turn : turn;
}

void tune_work::prepare(long rep) {
  switch (kind_) {
    case collective::barrier: return;
    case collective::bcast:
      if (rank_ == root(rep)) write(recv_.get(), count_, first_word(rep, rank_));
      return;
    case collective::scatter:
    case collective::alltoall:
      if (kind_ == collective::scatter && rank_ != root(rep)) return;
      for (int to = 0; to < ranks_; ++to) {
        write(send_.get() + static_cast<std::size_t>(to) * count_, count_, first_word(rep, rank_, to));
      }
      return;
    default: write(send_.get(), words_to_send(kind_, ranks_, count_), first_word(rep, rank_));
  }
}

void tune_work::run(long rep) {
  constexpr pure_comm world = PURE_COMM_WORLD;
  constexpr pure_datatype type = PURE_DOUBLE;
  const auto n = static_cast<std::int64_t>(count_);
  double* const in = send_.get();
  double* const out = recv_.get();
  switch (kind_) {
    case collective::barrier: pure_barrier(world); return;
    case collective::bcast: pure_bcast(out, n, type, root(rep), world); return;
    case collective::reduce: pure_reduce(in, out, n, type, PURE_SUM, root(rep), world); return;
    case collective::allreduce: pure_allreduce(in, out, n, type, PURE_SUM, world); return;
    case collective::scan: pure_scan(in, out, n, type, PURE_SUM, rep % 2 == 0 ? world : reversed_); return;
    case collective::reduce_scatter: pure_reduce_scatter_block(in, out, n, type, PURE_SUM, world); return;
    case collective::gather: pure_gather(in, n, type, out, n, type, root(rep), world); return;
    case collective::scatter: pure_scatter(in, n, type, out, n, type, root(rep), world); return;
    case collective::allgather: pure_allgather(in, n, type, out, n, type, world); return;
    case collective::alltoall: pure_alltoall(in, n, type, out, n, type, world); return;
    case collective::exscan: return;  // is not measured: its algorithms are those of the scan
  }
}

void tune_work::consume(long rep) {
  const int last = ranks_ - 1;
  const auto offset = static_cast<double>(static_cast<std::int64_t>(count_)) * rank_;
  switch (kind_) {
    case collective::barrier:
    case collective::exscan: return;
    case collective::bcast: check(recv_.get(), count_, first_word(rep, root(rep)), 1); return;
    case collective::scatter: check(recv_.get(), count_, first_word(rep, root(rep), rank_), 1); return;
    case collective::reduce:
      if (rank_ != root(rep)) return;
      [[fallthrough]];
    case collective::allreduce: check(recv_.get(), count_, first_word_of_sum(rep, 0, last), ranks_); return;
    case collective::reduce_scatter:
      check(recv_.get(), count_, first_word_of_sum(rep, 0, last) + ranks_ * offset, ranks_);
      return;
    case collective::scan: {
      const int from = rep % 2 == 0 ? 0 : rank_;
      const int to = rep % 2 == 0 ? rank_ : last;
      check(recv_.get(), count_, first_word_of_sum(rep, from, to), to - from + 1);
      return;
    }
    case collective::gather:
      if (rank_ != root(rep)) return;
      [[fallthrough]];
    case collective::allgather:
    case collective::alltoall:
      for (int from = 0; from < ranks_; ++from) {
        check(recv_.get() + static_cast<std::size_t>(from) * count_, count_,
              first_word(rep, from, kind_ == collective::alltoall ? rank_ : 0), 1);
      }
  }
}

}  // namespace pure::tool
