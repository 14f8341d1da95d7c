// The windows of a benchmark, as calls of pure.h. See windows.hpp.
#pragma once

#include <pure.h>
#include <pure/windows.h>

#include <cstddef>
#include <cstdint>

#include "backend_pure.hpp"

namespace bench {

struct rma_window {
  pure_win handle;
  void* base;  // of this rank's part
  own_pages own = {};
};

/// Allocated and shared are the same memory here.
inline rma_window make_window(window_kind kind, std::size_t bytes) {
  rma_window made;
  if (kind == window_kind::created) {
    made.own = make_pages(bytes);
    made.base = made.own.get();
    pure_win_create(made.base, static_cast<std::int64_t>(bytes), sizeof(double), PURE_INFO_NULL, PURE_COMM_WORLD,
                    &made.handle);
    return made;
  }
  pure_win_allocate(static_cast<std::int64_t>(bytes), sizeof(double), PURE_INFO_NULL, PURE_COMM_WORLD, &made.base,
                    &made.handle);
  return made;
}
inline void free_window(rma_window& w) { pure_win_free(&w.handle); }
inline void* part_of(const rma_window& w, int rank) {
  std::int64_t bytes;
  int unit;
  void* base;
  pure_win_shared_query(w.handle, rank, &bytes, &unit, &base);
  return base;
}

inline void fence(const rma_window& w) { pure_win_fence(0, w.handle); }
inline void lock_exclusive(const rma_window& w, int rank) { pure_win_lock(PURE_LOCK_EXCLUSIVE, rank, 0, w.handle); }
inline void lock_shared(const rma_window& w, int rank) { pure_win_lock(PURE_LOCK_SHARED, rank, 0, w.handle); }
inline void unlock(const rma_window& w, int rank) { pure_win_unlock(rank, w.handle); }
inline void lock_all(const rma_window& w) { pure_win_lock_all(0, w.handle); }
inline void unlock_all(const rma_window& w) { pure_win_unlock_all(w.handle); }
inline void flush(const rma_window& w, int rank) { pure_win_flush(rank, w.handle); }

using rank_group = pure_group;
inline rank_group make_group(int rank) {
  pure_group all, made;
  pure_comm_group(PURE_COMM_WORLD, &all);
  pure_group_incl(all, 1, &rank, &made);
  pure_group_free(&all);
  return made;
}
inline void free_group(rank_group& group) { pure_group_free(&group); }
/// Nothing is stored to the own part meanwhile.
inline void post(const rma_window& w, rank_group to) { pure_win_post(to, PURE_MODE_NOSTORE, w.handle); }
inline void wait_for_puts(const rma_window& w) { pure_win_wait(w.handle); }
inline void start_puts(const rma_window& w, rank_group to) { pure_win_start(to, 0, w.handle); }
inline void complete_puts(const rma_window& w) { pure_win_complete(w.handle); }

inline void put(const rma_window& w, const void* data, std::size_t words, int rank, std::size_t at) {
  const auto n = static_cast<std::int64_t>(words);
  pure_put(data, n, PURE_INT64_T, rank, static_cast<std::int64_t>(at), n, PURE_INT64_T, w.handle);
}
inline void get(const rma_window& w, void* into, std::size_t words, int rank, std::size_t at) {
  const auto n = static_cast<std::int64_t>(words);
  pure_get(into, n, PURE_INT64_T, rank, static_cast<std::int64_t>(at), n, PURE_INT64_T, w.handle);
}
// Atomic operations are complete when they return.
inline void accumulate(const rma_window& w, const double* data, std::size_t count, int rank) {
  const auto n = static_cast<std::int64_t>(count);
  pure_accumulate(data, n, PURE_DOUBLE, rank, 0, n, PURE_DOUBLE, PURE_SUM, w.handle);
}
inline std::int64_t fetch_and_add(const rma_window& w, std::int64_t summand, int rank) {
  std::int64_t before;
  pure_fetch_and_op(&summand, &before, PURE_INT64_T, rank, 0, PURE_SUM, w.handle);
  return before;
}
inline std::int64_t compare_and_swap(const rma_window& w, std::int64_t expected, std::int64_t desired, int rank) {
  std::int64_t before;
  pure_compare_and_swap(&desired, &expected, &before, PURE_INT64_T, rank, 0, w.handle);
  return before;
}

/// The notifications of a window.
class notifications {
 public:
  notifications(const session&, const rma_window& of) : of_(of) {}

  void notify(int rank, int number) { pure_win_notify(rank, number, of_.handle); }
  void wait_for(int number) { pure_win_wait_notified(1, number, of_.handle); }

 private:
  const rma_window& of_;
};

}  // namespace bench
