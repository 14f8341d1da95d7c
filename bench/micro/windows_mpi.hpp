// The windows of a benchmark, as MPI calls. See windows.hpp.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "backend_mpi.hpp"
#include "pause.hpp"

namespace bench {

struct rma_window {
  MPI_Win handle;
  void* base;  // of this rank's part
  own_pages own = {};
};

/// Shared memory is asked for with pages of their own for each rank.
inline rma_window make_window(window_kind kind, std::size_t bytes) {
  rma_window made;
  const auto size = static_cast<MPI_Aint>(bytes);
  if (kind == window_kind::created) {
    made.own = make_pages(bytes);
    made.base = made.own.get();
    MPI_Win_create(made.base, size, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &made.handle);
    return made;
  }
  if (kind == window_kind::allocated) {
    MPI_Win_allocate(size, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &made.base, &made.handle);
    return made;
  }
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win_allocate_shared(size, sizeof(double), info, MPI_COMM_WORLD, &made.base, &made.handle);
  MPI_Info_free(&info);
  return made;
}
inline void free_window(rma_window& w) { MPI_Win_free(&w.handle); }
inline void* part_of(const rma_window& w, int rank) {
  MPI_Aint bytes;
  int unit;
  void* base;
  MPI_Win_shared_query(w.handle, rank, &bytes, &unit, &base);
  return base;
}

inline void fence(const rma_window& w) { MPI_Win_fence(0, w.handle); }
inline void lock_exclusive(const rma_window& w, int rank) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w.handle); }
inline void lock_shared(const rma_window& w, int rank) { MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w.handle); }
inline void unlock(const rma_window& w, int rank) { MPI_Win_unlock(rank, w.handle); }
inline void lock_all(const rma_window& w) { MPI_Win_lock_all(0, w.handle); }
inline void unlock_all(const rma_window& w) { MPI_Win_unlock_all(w.handle); }
inline void flush(const rma_window& w, int rank) { MPI_Win_flush(rank, w.handle); }

using rank_group = MPI_Group;
inline rank_group make_group(int rank) {
  MPI_Group all, made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &made);
  MPI_Group_free(&all);
  return made;
}
inline void free_group(rank_group& group) { MPI_Group_free(&group); }
/// Nothing is stored to the own part meanwhile.
inline void post(const rma_window& w, rank_group to) { MPI_Win_post(to, MPI_MODE_NOSTORE, w.handle); }
inline void wait_for_puts(const rma_window& w) { MPI_Win_wait(w.handle); }
inline void start_puts(const rma_window& w, rank_group to) { MPI_Win_start(to, 0, w.handle); }
inline void complete_puts(const rma_window& w) { MPI_Win_complete(w.handle); }

inline void put(const rma_window& w, const void* data, std::size_t words, int rank, std::size_t at) {
  const int n = static_cast<int>(words);
  MPI_Put(data, n, MPI_INT64_T, rank, static_cast<MPI_Aint>(at), n, MPI_INT64_T, w.handle);
}
inline void get(const rma_window& w, void* into, std::size_t words, int rank, std::size_t at) {
  const int n = static_cast<int>(words);
  MPI_Get(into, n, MPI_INT64_T, rank, static_cast<MPI_Aint>(at), n, MPI_INT64_T, w.handle);
}
// A flush completes atomic operations: only then is there a result.
inline void accumulate(const rma_window& w, const double* data, std::size_t count, int rank) {
  const int n = static_cast<int>(count);
  MPI_Accumulate(data, n, MPI_DOUBLE, rank, 0, n, MPI_DOUBLE, MPI_SUM, w.handle);
  MPI_Win_flush(rank, w.handle);
}
inline std::int64_t fetch_and_add(const rma_window& w, std::int64_t summand, int rank) {
  std::int64_t before;
  MPI_Fetch_and_op(&summand, &before, MPI_INT64_T, rank, 0, MPI_SUM, w.handle);
  MPI_Win_flush(rank, w.handle);
  return before;
}
inline std::int64_t compare_and_swap(const rma_window& w, std::int64_t expected, std::int64_t desired, int rank) {
  std::int64_t before;
  MPI_Compare_and_swap(&desired, &expected, &before, MPI_INT64_T, rank, 0, w.handle);
  MPI_Win_flush(rank, w.handle);
  return before;
}

/// MPI has none. These are what a program would write itself: counters in a shared window of their own, each with one
/// writer, and MPI_Win_sync around them, as MPI asks for (4.1, 12.5.4).
class notifications {
 public:
  static constexpr int most = 2;

  notifications(const session& s, const rma_window& of)
      : of_(of),
        gives_way_(s.crowded()),
        memory_(make_window(window_kind::shared, sizeof(counters))),
        told_(static_cast<std::size_t>(size())) {
    ::new (memory_.base) counters;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < size(); ++r) of_rank_.push_back(static_cast<counters*>(part_of(memory_, r)));
  }
  ~notifications() {
    MPI_Barrier(MPI_COMM_WORLD);
    free_window(memory_);
  }
  notifications(const notifications&) = delete;
  notifications& operator=(const notifications&) = delete;

  /// One rank only may notify another by this number. The window is locked by lock_all.
  void notify(int rank, int number) {
    const auto at = static_cast<std::size_t>(number);
    MPI_Win_sync(of_.handle);
    std::atomic<std::uint64_t>& there = (*of_rank_[static_cast<std::size_t>(rank)])[at].count;
    // release: what this rank has stored; pairs with the acquire in wait_for()
    there.store(++told_[static_cast<std::size_t>(rank)][at], std::memory_order_release);
  }
  void wait_for(int number) {
    const auto at = static_cast<std::size_t>(number);
    const std::atomic<std::uint64_t>& here = (*static_cast<counters*>(memory_.base))[at].count;
    const std::uint64_t wanted = ++heard_[at];
    // acquire: pairs with the release in notify()
    while (here.load(std::memory_order_acquire) < wanted) {
      if (gives_way_) {
        sched_yield();
      } else {
        pause_cpu();
      }
    }
    MPI_Win_sync(of_.handle);
  }

 private:
  struct alignas(128) counter {  // lines are fetched in pairs
    std::atomic<std::uint64_t> count{0};
  };
  using counters = std::array<counter, most>;

  const rma_window& of_;
  const bool gives_way_;
  rma_window memory_;
  std::vector<counters*> of_rank_;
  std::vector<std::array<std::uint64_t, most>> told_;
  std::array<std::uint64_t, most> heard_{};
};

}  // namespace bench
