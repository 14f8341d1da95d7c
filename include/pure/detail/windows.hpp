// The functions of libpure behind pure::window. Not for programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/collectives.hpp>
#include <pure/detail/communicators.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/export.hpp>

namespace pure::core {
class communicator;
class window;
}  // namespace pure::core

namespace pure::detail {

/// What a rank wants. Enumerations by their numbers in pure/window.hpp.
struct window_request {
  void* memory = nullptr;  // of a window over memory that is there
  std::size_t bytes = 0;
  std::size_t unit = 1;
  bool is_over_memory = false;
  bool is_contiguous = false;
  std::size_t alignment = 1;
  int pages = 0;
  int atomics = 0;
  const char* name = "";
  std::size_t name_length = 0;
};

struct window_part {
  void* base;
  std::size_t bytes;
};

/// What is combined with what is there.
enum class rma_kind : int { combine, replace, none };

using window_pointer = core::window*;

extern "C" {
PURE_API failure* pure_cxx_make_window(core::communicator* on, pure_call_site site, const window_request* wanted,
                                       window_pointer* made);
/// `unused` is null when the window is gone, which it also is where an operation that was refused is the failure.
PURE_API failure* pure_cxx_free_window(window_pointer* unused, pure_call_site site);
PURE_API void pure_cxx_abandon_window(core::window* unused) noexcept;
PURE_API failure* pure_cxx_part_bytes(const core::window* of, pure_call_site site, int rank, std::size_t* bytes);
PURE_API failure* pure_cxx_part_of(const core::window* of, pure_call_site site, int rank, window_part* part);
PURE_API failure* pure_cxx_whole_of(const core::window* of, pure_call_site site, window_part* whole);
PURE_API failure* pure_cxx_atomic_element(core::window* of, pure_call_site site, int rank, std::size_t offset,
                                          std::size_t bytes, void** element);
PURE_API std::size_t pure_cxx_ranks_of(const core::window* of) noexcept;

PURE_API failure* pure_cxx_window_fence(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_post(core::window* on, pure_call_site site, number_list origins);
PURE_API failure* pure_cxx_window_start(core::window* on, pure_call_site site, number_list targets);
PURE_API failure* pure_cxx_window_complete(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_wait(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_test(core::window* on, pure_call_site site, bool* is_over);
PURE_API failure* pure_cxx_window_lock(core::window* on, pure_call_site site, int rank, bool is_exclusive);
PURE_API failure* pure_cxx_window_unlock(core::window* on, pure_call_site site, int rank);
PURE_API failure* pure_cxx_window_lock_all(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_unlock_all(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_flush(core::window* on, pure_call_site site, int rank);
PURE_API failure* pure_cxx_window_flush_all(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_sync(core::window* on, pure_call_site site);
PURE_API failure* pure_cxx_window_notify(core::window* on, pure_call_site site, int rank, int counter);
PURE_API failure* pure_cxx_window_wait_notified(core::window* on, pure_call_site site, std::uint64_t count,
                                                int counter);
PURE_API failure* pure_cxx_window_test_notified(core::window* on, pure_call_site site, std::uint64_t count, int counter,
                                                bool* had_come);

// Offsets in units.
PURE_API failure* pure_cxx_window_put(core::window* on, pure_call_site site, const void* data, std::size_t bytes,
                                      int rank, std::size_t offset);
PURE_API failure* pure_cxx_window_get(core::window* on, pure_call_site site, void* into, std::size_t bytes, int rank,
                                      std::size_t offset);
/// `there`: how it lies there; null: in a row.
PURE_API failure* pure_cxx_window_put_laid_out(core::window* on, pure_call_site site, const placed_message* data,
                                               int rank, std::size_t offset, const core::shared_layout* there);
PURE_API failure* pure_cxx_window_get_laid_out(core::window* on, pure_call_site site, const placed_message* into,
                                               int rank, std::size_t offset, const core::shared_layout* there);
/// `before`: null, or where what was there goes.
PURE_API failure* pure_cxx_window_accumulate(core::window* on, pure_call_site site, const void* data, std::size_t bytes,
                                             void* before, int rank, std::size_t offset, rma_kind kind,
                                             const reduction* how);
PURE_API failure* pure_cxx_window_accumulate_laid_out(core::window* on, pure_call_site site, const placed_message* data,
                                                      const placed_message* before, int rank, std::size_t offset,
                                                      const core::shared_layout* there, rma_kind kind,
                                                      const reduction* how);
PURE_API failure* pure_cxx_window_compare_swap(core::window* on, pure_call_site site, const void* expected,
                                               const void* desired, void* before, std::size_t bytes, int rank,
                                               std::size_t offset);
}

inline window_pointer make_window(core::communicator& on, pure_call_site site, const window_request& wanted) {
  window_pointer made = nullptr;
  check(pure_cxx_make_window(&on, site, &wanted, &made));
  return made;
}
inline void free_window(window_pointer& unused, pure_call_site site) { check(pure_cxx_free_window(&unused, site)); }
inline void abandon_window(core::window& unused) noexcept { pure_cxx_abandon_window(&unused); }
inline std::size_t part_bytes(const core::window& of, pure_call_site site, int rank) {
  std::size_t bytes = 0;
  check(pure_cxx_part_bytes(&of, site, rank, &bytes));
  return bytes;
}
/// Null and 0 if it is not addressable.
inline window_part part_of(const core::window& of, pure_call_site site, int rank) {
  window_part part{nullptr, 0};
  check(pure_cxx_part_of(&of, site, rank, &part));
  return part;
}
inline window_part whole_of(const core::window& of, pure_call_site site) {
  window_part whole{nullptr, 0};
  check(pure_cxx_whole_of(&of, site, &whole));
  return whole;
}
/// Of a window of hardware atomics.
inline void* atomic_element(core::window& of, pure_call_site site, int rank, std::size_t offset, std::size_t bytes) {
  void* element = nullptr;
  check(pure_cxx_atomic_element(&of, site, rank, offset, bytes, &element));
  return element;
}
inline std::size_t ranks_of(const core::window& of) noexcept { return pure_cxx_ranks_of(&of); }

inline void window_fence(core::window& on, pure_call_site site) { check(pure_cxx_window_fence(&on, site)); }
inline void window_post(core::window& on, pure_call_site site, const numbers& origins) {
  check(pure_cxx_window_post(&on, site, list_of(origins)));
}
inline void window_start(core::window& on, pure_call_site site, const numbers& targets) {
  check(pure_cxx_window_start(&on, site, list_of(targets)));
}
inline void window_complete(core::window& on, pure_call_site site) { check(pure_cxx_window_complete(&on, site)); }
inline void window_wait(core::window& on, pure_call_site site) { check(pure_cxx_window_wait(&on, site)); }
inline bool window_test(core::window& on, pure_call_site site) {
  bool is_over = false;
  check(pure_cxx_window_test(&on, site, &is_over));
  return is_over;
}
inline void window_lock(core::window& on, pure_call_site site, int rank, bool is_exclusive) {
  check(pure_cxx_window_lock(&on, site, rank, is_exclusive));
}
inline void window_unlock(core::window& on, pure_call_site site, int rank) {
  check(pure_cxx_window_unlock(&on, site, rank));
}
inline void window_lock_all(core::window& on, pure_call_site site) { check(pure_cxx_window_lock_all(&on, site)); }
inline void window_unlock_all(core::window& on, pure_call_site site) { check(pure_cxx_window_unlock_all(&on, site)); }
inline void window_flush(core::window& on, pure_call_site site, int rank) {
  check(pure_cxx_window_flush(&on, site, rank));
}
inline void window_flush_all(core::window& on, pure_call_site site) { check(pure_cxx_window_flush_all(&on, site)); }
inline void window_sync(core::window& on, pure_call_site site) { check(pure_cxx_window_sync(&on, site)); }
inline void window_notify(core::window& on, pure_call_site site, int rank, int counter) {
  check(pure_cxx_window_notify(&on, site, rank, counter));
}
inline void window_wait_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter) {
  check(pure_cxx_window_wait_notified(&on, site, count, counter));
}
inline bool window_test_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter) {
  bool had_come = false;
  check(pure_cxx_window_test_notified(&on, site, count, counter, &had_come));
  return had_come;
}

inline void window_put(core::window& on, pure_call_site site, const void* data, std::size_t bytes, int rank,
                       std::size_t offset) {
  check(pure_cxx_window_put(&on, site, data, bytes, rank, offset));
}
inline void window_get(core::window& on, pure_call_site site, void* into, std::size_t bytes, int rank,
                       std::size_t offset) {
  check(pure_cxx_window_get(&on, site, into, bytes, rank, offset));
}
inline void window_put_laid_out(core::window& on, pure_call_site site, const placed_message& data, int rank,
                                std::size_t offset, const core::shared_layout* there) {
  check(pure_cxx_window_put_laid_out(&on, site, &data, rank, offset, there));
}
inline void window_get_laid_out(core::window& on, pure_call_site site, const placed_message& into, int rank,
                                std::size_t offset, const core::shared_layout* there) {
  check(pure_cxx_window_get_laid_out(&on, site, &into, rank, offset, there));
}
inline void window_accumulate(core::window& on, pure_call_site site, const void* data, std::size_t bytes, void* before,
                              int rank, std::size_t offset, rma_kind kind, const reduction& how) {
  check(pure_cxx_window_accumulate(&on, site, data, bytes, before, rank, offset, kind, &how));
}
inline void window_accumulate_laid_out(core::window& on, pure_call_site site, const placed_message& data,
                                       const placed_message* before, int rank, std::size_t offset,
                                       const core::shared_layout* there, rma_kind kind, const reduction& how) {
  check(pure_cxx_window_accumulate_laid_out(&on, site, &data, before, rank, offset, there, kind, &how));
}
inline void window_compare_swap(core::window& on, pure_call_site site, const void* expected, const void* desired,
                                void* before, std::size_t bytes, int rank, std::size_t offset) {
  check(pure_cxx_window_compare_swap(&on, site, expected, desired, before, bytes, rank, offset));
}

}  // namespace pure::detail
