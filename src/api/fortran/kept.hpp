// Memory that requests keep until they are complete: copies of array sections (sections.hpp), arrays of handles that C
// reads later. By the request's number, which lasts as long. Calls of this side that complete requests look here, if
// anything is kept at all. Any thread.
#pragma once

#include <atomic>

#include "api/fortran/sections.hpp"
#include "api/fortran/side.hpp"

namespace pure::fortran {

extern std::atomic<int> requests_that_keep;

void keep_copy(integer request, const section_copy& copy);
/// Memory from malloc.
void keep_memory(integer request, void* memory);
/// Likewise, for a communicator, whose number goes to the program when it is there.
void keep_late(integer request, MPI_Comm* made, integer* to);

void start_kept(integer request);
/// The request may be complete: sections get what has arrived. `has_ended`: there is no such request any more.
void look_at_kept(integer request, bool has_ended);
/// The program frees the request. One that goes on keeps for ever what it has.
void forget_kept(integer number, MPI_Request request);

inline bool is_anything_kept() { return requests_that_keep.load(std::memory_order_relaxed) > 0; }

/// A call has completed requests, whose numbers are still those from before.
inline void end_kept(MPI_Request now, integer number) {
  if (is_anything_kept()) [[unlikely]]
    look_at_kept(number, is_predefined(now));
}
inline void end_kept(const MPI_Request* now, const integer* numbers, std::int64_t count) {
  if (!is_anything_kept()) [[likely]]
    return;
  for (std::int64_t i = 0; i < count; ++i) look_at_kept(numbers[i], is_predefined(now[i]));
}
inline void start_kept(const integer* requests, std::int64_t count) {
  if (!is_anything_kept()) [[likely]]
    return;
  for (std::int64_t i = 0; i < count; ++i) start_kept(requests[i]);
}
inline void see_kept(const integer* requests, std::int64_t count) {
  if (!is_anything_kept()) [[likely]]
    return;
  for (std::int64_t i = 0; i < count; ++i) look_at_kept(requests[i], false);
}

/// An array of handles that C reads until the request is complete.
template <class Handle>
class kept_handles {
 public:
  kept_handles(std::int64_t count, const integer* numbers) {
    const std::size_t bytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(Handle);
    all_ = static_cast<Handle*>(std::malloc(bytes));
    if (all_ == nullptr) end_without_memory();
    for (std::int64_t i = 0; i < count; ++i) read(numbers[i], all_[i]);
  }
  [[nodiscard]] const Handle* handles() const { return all_; }
  void keep(int result, MPI_Request request) {
    if (result == MPI_SUCCESS && !is_predefined(request))
      keep_memory(number_of(request), all_);
    else
      std::free(all_);
  }

 private:
  Handle* all_;
};

/// A communicator that is there when the request is complete (MPI 5.0, 7.4.2).
class late_communicator {
 public:
  explicit late_communicator(integer* to) : made_(static_cast<MPI_Comm*>(std::malloc(sizeof(MPI_Comm)))), to_(to) {
    if (made_ == nullptr) end_without_memory();
    *made_ = nullptr;
  }
  [[nodiscard]] MPI_Comm* place() const { return made_; }
  void keep(int result, MPI_Request request) {
    give(*made_, to_);
    if (result == MPI_SUCCESS && !is_predefined(request))
      keep_late(number_of(request), made_, to_);
    else
      std::free(made_);
  }

 private:
  MPI_Comm* const made_;
  integer* const to_;
};

}  // namespace pure::fortran
