// The functions of libpure behind pure::window. Not for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pure/call_site.hpp>
#include <pure/detail/collectives.hpp>
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
  std::string name;
};

struct window_part {
  void* base;
  std::size_t bytes;
};

/// What is combined with what is there.
enum class rma_kind : int { combine, replace, none };

using window_pointer = core::window*;

PURE_API window_pointer make_window(core::communicator& on, pure_call_site site, const window_request& wanted);
/// Null when the window is gone, which it also is where an operation that was refused is thrown at the end.
PURE_API void free_window(window_pointer& unused, pure_call_site site);
PURE_API void abandon_window(core::window& unused) noexcept;
PURE_API std::size_t part_bytes(const core::window& of, pure_call_site site, int rank);
/// Null and 0 if it is not addressable.
PURE_API window_part part_of(const core::window& of, pure_call_site site, int rank);
PURE_API window_part whole_of(const core::window& of, pure_call_site site);
/// Of a window of hardware atomics.
PURE_API void* atomic_element(core::window& of, pure_call_site site, int rank, std::size_t offset, std::size_t bytes);
PURE_API std::size_t ranks_of(const core::window& of) noexcept;

PURE_API void window_fence(core::window& on, pure_call_site site);
PURE_API void window_post(core::window& on, pure_call_site site, const std::vector<int>& numbers);
PURE_API void window_start(core::window& on, pure_call_site site, const std::vector<int>& numbers);
PURE_API void window_complete(core::window& on, pure_call_site site);
PURE_API void window_wait(core::window& on, pure_call_site site);
PURE_API bool window_test(core::window& on, pure_call_site site);
PURE_API void window_lock(core::window& on, pure_call_site site, int rank, bool is_exclusive);
PURE_API void window_unlock(core::window& on, pure_call_site site, int rank);
PURE_API void window_lock_all(core::window& on, pure_call_site site);
PURE_API void window_unlock_all(core::window& on, pure_call_site site);
PURE_API void window_flush(core::window& on, pure_call_site site, int rank);
PURE_API void window_flush_all(core::window& on, pure_call_site site);
PURE_API void window_sync(core::window& on, pure_call_site site);
PURE_API void window_notify(core::window& on, pure_call_site site, int rank, int counter);
PURE_API void window_wait_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter);
PURE_API bool window_test_notified(core::window& on, pure_call_site site, std::uint64_t count, int counter);

// Offsets in units.
PURE_API void window_put(core::window& on, pure_call_site site, const void* data, std::size_t bytes, int rank,
                         std::size_t offset);
PURE_API void window_get(core::window& on, pure_call_site site, void* into, std::size_t bytes, int rank,
                         std::size_t offset);
/// `there`: how it lies there; null: in a row.
PURE_API void window_put_laid_out(core::window& on, pure_call_site site, const placed_message& data, int rank,
                                  std::size_t offset, const core::layout* there);
PURE_API void window_get_laid_out(core::window& on, pure_call_site site, const placed_message& into, int rank,
                                  std::size_t offset, const core::layout* there);
/// `before`: null, or where what was there goes.
PURE_API void window_accumulate(core::window& on, pure_call_site site, const void* data, std::size_t bytes,
                                void* before, int rank, std::size_t offset, rma_kind kind, const reduction& how);
PURE_API void window_accumulate_laid_out(core::window& on, pure_call_site site, const placed_message& data,
                                         const placed_message* before, int rank, std::size_t offset,
                                         const core::layout* there, rma_kind kind, const reduction& how);
PURE_API void window_compare_swap(core::window& on, pure_call_site site, const void* expected, const void* desired,
                                  void* before, std::size_t bytes, int rank, std::size_t offset);

}  // namespace pure::detail
