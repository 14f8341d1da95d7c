// Memory that requests keep until they are complete: copies of array sections (sections.hpp), arrays of handles that C
// reads later, communicators that it writes later. By the request's handle, which no other rank has. Calls of this side
// that complete requests look here, if anything is kept at all. A request that completes elsewhere, in C, leaves what
// it has here, until its handle is given again. Any thread.
#pragma once

#include <atomic>

#include "api/fortran/sections.hpp"
#include "api/fortran/side.hpp"

namespace pure::fortran {

extern std::atomic<int> requests_that_keep;

void keep_copy(MPI_Request request, const section_copy& copy);
/// Memory from malloc.
void keep_memory(MPI_Request request, void* memory);
/// Likewise, for a communicator, whose number goes to the program when it is there.
void keep_late(MPI_Request request, MPI_Comm* made, integer* to);

void start_kept(MPI_Request request);
/// The request may be complete: sections get what has arrived. `has_ended`: there is no such request any more.
void look_at_kept(MPI_Request request, bool has_ended);
/// The program frees the request. One that goes on keeps for ever what it has.
void forget_kept(MPI_Request request);
/// The handle is new: what is kept for it is of a request that has ended elsewhere.
void drop_kept(MPI_Request request);

inline bool is_anything_kept() { return requests_that_keep.load(std::memory_order_relaxed) > 0; }

inline void begin_kept(MPI_Request made) {
  if (is_anything_kept()) [[unlikely]]
    drop_kept(made);
}
inline void start_kept(const MPI_Request* requests, std::int64_t count) {
  if (!is_anything_kept()) [[likely]]
    return;
  for (std::int64_t i = 0; i < count; ++i) start_kept(requests[i]);
}
inline void see_kept(const MPI_Request* requests, std::int64_t count) {
  if (!is_anything_kept()) [[likely]]
    return;
  for (std::int64_t i = 0; i < count; ++i) look_at_kept(requests[i], false);
}

/// Requests that a call may complete, as they were before it.
class completing_requests {
 public:
  completing_requests(const MPI_Request* requests, std::int64_t count)
      : count_(is_anything_kept() ? count : 0), before_(count_) {
    for (std::int64_t i = 0; i < count_; ++i) before_.all()[i] = requests[i];
  }
  /// The call has returned.
  void look_at(const MPI_Request* now) {
    for (std::int64_t i = 0; i < count_; ++i) look_at_kept(before_.all()[i], is_null(now[i]));
  }

 private:
  const std::int64_t count_;
  array_room<MPI_Request> before_;
};

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
    if (result == MPI_SUCCESS && !is_null(request))
      keep_memory(request, all_);
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
    *made_ = none<MPI_Comm>;
  }
  [[nodiscard]] MPI_Comm* place() const { return made_; }
  void keep(int result, MPI_Request request) {
    give(*made_, to_);
    if (result == MPI_SUCCESS && !is_null(request))
      keep_late(request, made_, to_);
    else
      std::free(made_);
  }

 private:
  MPI_Comm* const made_;
  integer* const to_;
};

}  // namespace pure::fortran
