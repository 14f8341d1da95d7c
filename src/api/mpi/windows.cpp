// Windows: how they are made, and what they are (MPI 5.0, 12.2).
#include <fmt/core.h>

#include <exception>
#include <utility>

#include "api/mpi/attributes.hpp"
#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "objects/known_info.hpp"
#include "objects/rank_objects.hpp"
#include "runtime/call_error.hpp"
#include "window/create.hpp"
#include "window/part_end.hpp"

namespace pure::core::mpi {

namespace {

/// Pure's own keys and those of MPI; a value that a key does not have is ignored, as hints are (MPI 5.0, 12.2.1).
window_options options_of(const call& by, info_handle info, bool is_contiguous) {
  const info_object* const given = info_or_null(by, info);
  return window_options_of(by, given == nullptr ? info_object() : *given, is_contiguous);
}

void give_window(const call& by, const window& made, info_handle info, win_handle* to) {
  if (const info_object* const given = info_or_null(by, info); given != nullptr)
    door_state::of(made.owner()).windows.hints[made.handle()] = *given;
  *to = name_of_object<win_handle>(made.handle());
}

std::size_t size_of(const call& by, std::int64_t size) {
  if (size < 0) throw_error(by, constants::err_size, fmt::format("the size is {}, which is negative", size));
  return static_cast<std::size_t>(size);
}

/// make_window(), with the rank's own error as it was thrown: it may have a class that the core has not.
template <class Describe>
window& made_window(communicator& on, const call& by, Describe describe) {
  std::exception_ptr as_thrown;
  try {
    return make_window(on, by, wish_of([&] {
                         try {
                           return describe();
                         } catch (const Error&) {
                           as_thrown = std::current_exception();
                           throw;
                         }
                       }));
  } catch (const Error&) {
    if (as_thrown == nullptr) throw;
  }
  std::rethrow_exception(as_thrown);
}

void allocate_part(const call& by, window_flavor flavor, std::int64_t size, std::int64_t unit, info_handle info,
                   communicator& comm, void* baseptr, win_handle* win) {
  const window& made = made_window(comm, by, [&] {
    check_pointer(by, baseptr, constants::err_arg, "baseptr");
    check_pointer(by, win, constants::err_arg, "win");
    return window_wish{.flavor = flavor,
                       .bytes = size_of(by, size),
                       .unit = unit,
                       .options = options_of(by, info, flavor == window_flavor::shared)};
  });
  give_pointer(baseptr, made.own().base);
  give_window(by, made, info, win);
}

}  // namespace

void bodies::Win_create(const call& by, void* base, MPI_Aint size, MPI_Aint disp_unit, info_handle info,
                        communicator& comm, win_handle* win) {
  const window& made = made_window(comm, by, [&] {
    check_pointer(by, win, constants::err_arg, "win");
    return window_wish{.flavor = window_flavor::create,
                       .bytes = size_of(by, size),
                       .unit = disp_unit,
                       .memory = base,
                       .options = options_of(by, info, false)};
  });
  give_window(by, made, info, win);
}

void bodies::Win_allocate(const call& by, MPI_Aint size, MPI_Aint disp_unit, info_handle info, communicator& comm,
                          void* baseptr, win_handle* win) {
  allocate_part(by, window_flavor::allocate, size, disp_unit, info, comm, baseptr, win);
}

void bodies::Win_allocate_shared(const call& by, MPI_Aint size, MPI_Aint disp_unit, info_handle info,
                                 communicator& comm, void* baseptr, win_handle* win) {
  allocate_part(by, window_flavor::shared, size, disp_unit, info, comm, baseptr, win);
}

void bodies::Win_create_dynamic(const call& by, info_handle info, communicator& comm, win_handle* win) {
  const window& made = made_window(comm, by, [&] {
    check_pointer(by, win, constants::err_arg, "win");
    return window_wish{.flavor = window_flavor::dynamic, .options = options_of(by, info, false)};
  });
  give_window(by, made, info, win);
}

void bodies::Win_attach(const call& by, window& win, void* base, MPI_Aint size) {
  win.attach(by, base, size_of(by, size));
}
void bodies::Win_detach(const call& by, window& win, const void* base) { win.detach(by, base); }

void bodies::Win_free(const call& by, win_handle* win) {
  window& unused = window_of(by, *win);
  unused.require_no_epoch(by);  // while the attributes are there
  const std::uint64_t name = unused.handle();
  const rank_context& owner = unused.owner();
  delete_attributes(by, rank_objects::of(owner).of_windows, name);
  const std::exception_ptr refused = free_window(unused, by);
  door_state& state = door_state::of(owner);
  state.windows.forget(name);
  state.values_of_windows.erase(name);
  forget_handler(owner, raised_on::sort::window, name);
  *win = constants::win_null;
  if (refused != nullptr) std::rethrow_exception(refused);
}

void bodies::Win_shared_query(const call& by, window& win, int rank, MPI_Aint* size, MPI_Aint* disp_unit,
                              void* baseptr) {
  if (win.shared().flavor() == window_flavor::dynamic)
    win.throw_wrong(by, errc::rma_flavor, "a dynamic window has no parts that can be asked for");
  if (!win.is_rank(by, rank)) {
    rank = 0;
    while (rank + 1 < win.size() && win.at(rank).bytes == 0) ++rank;  // the first that has memory (MPI 5.0, 12.2.3)
  }
  const window::target& its = win.at(rank);
  const bool is_there = win.is_addressable(rank) && its.ended.load(std::memory_order_relaxed) == part_end::none;
  *size = is_there ? static_cast<MPI_Aint>(std::size_t{its.bytes}) : 0;
  *disp_unit = static_cast<MPI_Aint>(its.unit);
  give_pointer(baseptr, is_there && its.bytes > 0 ? its.base : nullptr);
}

void bodies::Win_get_group(const call& by, window& win, group_handle* group) {
  give_group(by, win.comm().shared().members(), group);
}

void bodies::Win_set_info(const call&, window& win, info_object* info) {
  if (info == nullptr) return;
  info_object& hints = door_state::of(win.owner()).windows.hints[win.handle()];
  for (const auto& [key, value] : *info) {
    if (key != "alloc_shared_noncontig") hints.set(key, value);  // its memory lies where it lies
  }
}

/// What the window is like, and the hints that MPI defines, as the program has set them: they hold, for nothing here
/// needs them not to.
void bodies::Win_get_info(const call& by, window& win, info_handle* info_used) {
  info_object all = info_of(win);
  const info_object& said = door_state::of(win.owner()).windows.hints[win.handle()];
  const auto add = [&](const char* key, const char* otherwise) {
    const std::string* const value = said.find(key);
    all.set(key, value == nullptr ? otherwise : *value);
  };
  for (const char* const key : {"no_locks", "same_size", "same_disp_unit"}) add(key, "false");
  add("accumulate_ordering", "rar,raw,war,waw");
  add("accumulate_ops", "same_op_no_op");
  if (win.shared().flavor() != window_flavor::shared) add("alloc_shared_noncontig", "false");
  give_info(by, std::move(all), info_used);
}

}  // namespace pure::core::mpi
