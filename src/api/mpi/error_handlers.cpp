// Error handlers (MPI 5.0, 9.3).
#include <fmt/core.h>

#include <string>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "comm/communicator_table.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"
#include "window/window_table.hpp"

namespace pure::core::mpi {

namespace {

constexpr std::uint64_t no_file = 0;  // the object of MPI_FILE_NULL's handler

[[nodiscard]] bool is_predefined_handler(errhandler_handle handler) noexcept {
  return handler == constants::errors_are_fatal || handler == constants::errors_abort ||
         handler == constants::errors_return;
}

error_handler* find_handler(const rank_context& worker, errhandler_handle handler) {
  return door_state::of(worker).made_handlers.find(core_handle(handler));
}

void release(const rank_context& worker, errhandler_handle handler) {
  error_handler* const made = find_handler(worker, handler);
  if (made != nullptr && --made->uses == 0) door_state::of(worker).made_handlers.free(core_handle(handler));
}

error_handler& made_handler(const call& by, errhandler_handle handler) {
  error_handler* const made = find_handler(rank_here(by), handler);
  if (made == nullptr) {
    throw_error(by, constants::err_errhandler,
                handler == constants::errhandler_null ? std::string("the error handler is MPI_ERRHANDLER_NULL")
                                                      : why_unknown(rank_here(by), handler.value, "error handler"));
  }
  return *made;
}

/// The handler of one object is replaced.
void set_handler(const call& by, raised_on::sort of, std::uint64_t object, errhandler_handle handler) {
  const rank_context& worker = rank_here(by);
  if (!is_predefined_handler(handler)) {
    error_handler& made = made_handler(by, handler);
    if (made.of != of) throw_error(by, constants::err_errhandler, "the error handler is for objects of another sort");
    ++made.uses;
  }
  errhandler_handle& now = door_state::of(worker).handlers_of(of)[object];
  if (now.value != 0) release(worker, now);
  now = handler;
}

/// Of an object that is there; the program has a name more for it.
errhandler_handle given_handler(const rank_context& worker, raised_on where) {
  const errhandler_handle handler = handler_of(worker, where);
  if (error_handler* const made = find_handler(worker, handler); made != nullptr) ++made->uses;
  return handler;
}

/// By a call of the program's, not by an error. What is fatal ends the job.
void call_handler(const call& by, raised_on where, int errorcode) {
  const rank_context& worker = rank_here(by);
  const errhandler_handle handler = handler_of(worker, where);
  if (handler == constants::errors_return) return;
  if (find_handler(worker, handler) == nullptr)
    throw_error(by, errorcode, fmt::format("the program reports error {}", errorcode));
  throw asked_handler{where, errorcode};
}

/// The one file that there is so far: its handler is that of what opens files (MPI 5.0, 14.7).
void require_no_file(const call& by, file_handle file) {
  if (file != constants::file_null)
    throw_error(by, constants::err_file, "Pure has no files yet: there is MPI_FILE_NULL only");
}

}  // namespace

errhandler_handle make_handler(const call& by, const error_handler& made) {
  check_pointer(by, reinterpret_cast<const void*>(made.function), constants::err_arg, "the function");
  return name_of_object<errhandler_handle>(door_state::of(rank_here(by)).made_handlers.add(made));
}

errhandler_handle handler_of(const rank_context& worker, raised_on where) {
  door_state& state = door_state::of(worker);
  if (where.what == raised_on::sort::file) {
    const auto set = state.of_files.find(no_file);
    return set == state.of_files.end() ? constants::errors_return : set->second;
  }
  const bool is_communicator = where.what == raised_on::sort::communicator;
  const std::uint64_t object = is_communicator ? core_handle(name_of_object<comm_handle>(where.handle))
                                               : std::uint64_t{where.handle};
  const bool is_there = is_communicator ? communicator_table::of(worker).find(object) != nullptr
                                        : window_table::of(worker).find(object) != nullptr;
  const auto handler_in = [](const handlers_of_objects& all, std::uint64_t of) {
    const auto set = all.find(of);
    return set == all.end() ? constants::errhandler_null : set->second;
  };
  errhandler_handle handler = constants::errhandler_null;
  if (is_there) {
    handler = handler_in(state.handlers_of(where.what), object);
  } else {
    handler = handler_in(state.of_communicators, communicator_table::self_handle);
    // Before MPI 4.0 such errors were MPI_COMM_WORLD's: programs that have set that handler alone mean them, too.
    if (handler == constants::errhandler_null)
      handler = handler_in(state.of_communicators, communicator_table::world_handle);
  }
  return handler == constants::errhandler_null ? constants::errors_are_fatal : handler;
}

void inherit_handler(const rank_context& owner, std::uint64_t from, std::uint64_t to) {
  handlers_of_objects& all = door_state::of(owner).of_communicators;
  const auto set = all.find(from);
  if (set == all.end()) return;
  const errhandler_handle handler = set->second;
  if (error_handler* const made = find_handler(owner, handler); made != nullptr) ++made->uses;
  all[to] = handler;
}

void forget_handler(const rank_context& owner, raised_on::sort of, std::uint64_t object) {
  handlers_of_objects& all = door_state::of(owner).handlers_of(of);
  const auto set = all.find(object);
  if (set == all.end()) return;
  release(owner, set->second);
  all.erase(set);
}

void bodies::Comm_create_errhandler(const call& by, MPI_Comm_errhandler_function* comm_errhandler_fn,
                                    errhandler_handle* errhandler) {
  *errhandler = make_handler(by, {raised_on::sort::communicator, reinterpret_cast<void (*)()>(comm_errhandler_fn)});
}
void bodies::Win_create_errhandler(const call& by, MPI_Win_errhandler_function* win_errhandler_fn,
                                   errhandler_handle* errhandler) {
  *errhandler = make_handler(by, {raised_on::sort::window, reinterpret_cast<void (*)()>(win_errhandler_fn)});
}
void bodies::Errhandler_create(const call& by, MPI_Comm_errhandler_function* function, errhandler_handle* errhandler) {
  Comm_create_errhandler(by, function, errhandler);
}

void bodies::Errhandler_free(const call& by, errhandler_handle* errhandler) {
  if (!is_predefined_handler(*errhandler)) {  // a program frees what it got, which may be predefined
    made_handler(by, *errhandler);
    release(rank_here(by), *errhandler);
  }
  *errhandler = constants::errhandler_null;
}

void bodies::Comm_set_errhandler(const call& by, communicator& comm, errhandler_handle errhandler) {
  set_handler(by, raised_on::sort::communicator, comm.handle(), errhandler);
}
void bodies::Errhandler_set(const call& by, communicator& comm, errhandler_handle errhandler) {
  Comm_set_errhandler(by, comm, errhandler);
}
void bodies::Comm_get_errhandler(const call& by, communicator& comm, errhandler_handle* errhandler) {
  *errhandler = given_handler(rank_here(by), name_of(comm));
}
void bodies::Errhandler_get(const call& by, comm_handle comm, errhandler_handle* errhandler) {
  Comm_get_errhandler(by, communicator_of(by, comm), errhandler);
}
void bodies::Win_set_errhandler(const call& by, window& win, errhandler_handle errhandler) {
  set_handler(by, raised_on::sort::window, win.handle(), errhandler);
}
void bodies::Win_get_errhandler(const call& by, window& win, errhandler_handle* errhandler) {
  *errhandler = given_handler(rank_here(by), name_of_object<win_handle>(win.handle()));
}

void bodies::File_create_errhandler(const call& by, MPI_File_errhandler_function* file_errhandler_fn,
                                    errhandler_handle* errhandler) {
  *errhandler = make_handler(by, {raised_on::sort::file, reinterpret_cast<void (*)()>(file_errhandler_fn)});
}
void bodies::File_set_errhandler(const call& by, file_handle file, errhandler_handle errhandler) {
  require_no_file(by, file);
  set_handler(by, raised_on::sort::file, no_file, errhandler);
}
void bodies::File_get_errhandler(const call& by, file_handle file, errhandler_handle* errhandler) {
  require_no_file(by, file);
  *errhandler = given_handler(rank_here(by), file);
}
void bodies::File_call_errhandler(const call& by, file_handle fh, int errorcode) {
  require_no_file(by, fh);
  call_handler(by, fh, errorcode);
}

void bodies::Comm_call_errhandler(const call& by, communicator& comm, int errorcode) {
  call_handler(by, name_of(comm), errorcode);
}
void bodies::Win_call_errhandler(const call& by, window& win, int errorcode) {
  call_handler(by, name_of_object<win_handle>(win.handle()), errorcode);
}

}  // namespace pure::core::mpi
