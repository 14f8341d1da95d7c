#include "api/mpi/door.hpp"

#include <errno.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/standard_abi.hpp"
#include "coll/refused_calls.hpp"
#include "objects/rank_objects.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/rank.hpp"
#include "start/calling_rank.hpp"
#include "start/services.hpp"
#include "task/task_service.hpp"
#include "window/window_table.hpp"

namespace pure::core::mpi {

namespace {

const ::pure::core::door_state state_of_workers(door_state::slot,
                                                [](const rank_context& owner) -> std::unique_ptr<service> {
                                                  return std::make_unique<door_state>(owner);
                                                });

template <class Handle>
[[noreturn]] void throw_unknown(const call& by, errc code, Handle given, Handle null, const char* what,
                                const char* name_of_null) {
  throw_wrong_call(
      by, code,
      given == null ? fmt::format("the {} is {}", what, name_of_null) : why_unknown(rank_here(by), given.value, what));
}

/// The info objects of this door, of the whole process: any thread may call what makes and changes them, also before
/// MPI_Init and after MPI_Finalize (MPI 5.0, 11.4.1). The objects themselves do not move.
class infos_of_process {
 public:
  std::uint64_t add(info_object made) {
    const std::lock_guard guard(lock_);
    return all_.add(std::move(made));
  }
  /// Null: there is none.
  info_object* find(std::uint64_t name) {
    const std::lock_guard guard(lock_);
    return all_.find(name);
  }
  void free(std::uint64_t name) {
    const std::lock_guard guard(lock_);
    all_.free(name);
  }

 private:
  std::mutex lock_;
  object_table<info_object> all_{handle_kind::info, (1 << handle::rank_bits) - 1};  // of no rank
};

infos_of_process& infos() {
  static infos_of_process all;
  return all;
}

/// MPI_INFO_ENV: what is known of how the process was started (MPI 5.0, 11.2.1).
info_object& environment_info() {
  static info_object all = [] {
    info_object made;
    made.set("command", program_invocation_name);
    char text[4096];
    if (gethostname(text, sizeof text - 1) == 0) made.set("host", text);
    if (getcwd(text, sizeof text) != nullptr) made.set("wdir", text);
    return made;
  }();
  return all;
}

/// Calls a handler with the place of its object's handle.
template <class Handle>
void call_handler(const error_handler& of, typename core_name<Handle>::type object, int code) {
  if (of.called != nullptr) return of.called(of.function, object.value, code);
  auto named = program_name<Handle>(object);
  reinterpret_cast<void (*)(Handle*, int*, ...)>(of.function)(&named, &code);
}

/// The error handler of the program is called, with what it knows the object by. What it throws is the program's.
void hand_over(const rank_context& worker, errhandler_handle handler, raised_on where, int code) {
  const error_handler* const found = door_state::of(worker).made_handlers.find(core_handle(handler));
  if (found == nullptr || found->of != where.what) return;
  const error_handler made = *found;  // which the function may free
  switch (where.what) {
    case raised_on::sort::communicator: return call_handler<MPI_Comm>(made, {where.handle}, code);
    case raised_on::sort::window: return call_handler<MPI_Win>(made, {where.handle}, code);
    case raised_on::sort::file: return call_handler<MPI_File>(made, {where.handle}, code);
  }
}

/// Whether other threads than the rank's own may call.
bool takes_guests(const rank_context& rank) {
  return door_state::of(rank).thread_level >= constants::thread_serialized;
}

/// Whose error handlers get an error of the calling thread; null: it is fatal.
const rank_context* rank_with_handlers() {
  if (rank_context* const host = rank_of_other_thread(); host != nullptr && takes_guests(*host)) {
    enter_begun_rank();  // found wrong before the call has asked for its rank
    return host;
  }
  const rank_context* const rank = rank_of_thread();
  return rank == nullptr || (self() == nullptr && rank->is_outside) ? nullptr : rank;
}

}  // namespace

/// Every errc has a class; a new one does not compile.
int class_of(errc code) noexcept {
  switch (code) {
    case errc::success: return constants::success;
    case errc::buffer: return constants::err_buffer;
    case errc::count: return constants::err_count;
    case errc::type: return constants::err_type;
    case errc::tag: return constants::err_tag;
    case errc::comm: return constants::err_comm;
    case errc::rank: return constants::err_rank;
    case errc::request: return constants::err_request;
    case errc::truncate: return constants::err_truncate;
    case errc::argument: return constants::err_arg;
    case errc::in_status: return constants::err_in_status;
    case errc::pending: return constants::err_pending;
    case errc::root: return constants::err_root;
    case errc::op: return constants::err_op;
    case errc::group: return constants::err_group;
    case errc::win: return constants::err_win;
    case errc::rma_range: return constants::err_rma_range;
    case errc::rma_sync: return constants::err_rma_sync;
    case errc::rma_attach: return constants::err_rma_attach;
    case errc::rma_shared: return constants::err_rma_shared;
    case errc::rma_flavor: return constants::err_rma_flavor;
    case errc::displacement: return constants::err_disp;
    case errc::no_memory: return constants::err_no_mem;
    case errc::info: return constants::err_info;
    case errc::keyval: return constants::err_keyval;
    case errc::rma_conflict: return constants::err_rma_conflict;
    case errc::topology: return constants::err_topology;
    case errc::dims: return constants::err_dims;
    case errc::state:
    case errc::mismatch:
    case errc::other: return constants::err_other;
  }
  return constants::err_other;
}

void throw_error(const call& by, int error_class, const std::string& text) {
  try {
    throw_wrong_call(by, errc::other, text);
  } catch (const Error& error) {
    throw classed_error(error_class, error);
  }
}

int settle(const char* operation, raised_on where) {
  const rank_context* const worker = rank_with_handlers();
  errhandler_handle handler = constants::errors_are_fatal;
  const auto errors = [&]() -> error_state* {
    if (worker == nullptr) return nullptr;
    door_state& state = door_state::of(*worker);
    handler = handler_of(*worker, where);
    state.errors.returns_errors = handler != constants::errors_are_fatal && handler != constants::errors_abort;
    return &state.errors;
  };
  int code = constants::success;
  bool is_asked = false;
  boundaries::call_outcome end{};
  try {
    throw;
  } catch (const asked_handler& asked) {
    is_asked = true;
    where = asked.where;
    code = asked.code;
    if (worker != nullptr) handler = handler_of(*worker, where);
  } catch (const classed_error& error) {
    end = boundaries::settle(errors(), error);
    code = error.error_class();
  } catch (const request_error& error) {
    where = error.comm();
    end = boundaries::settle(errors(), error);
    code = class_of(end.code);
  } catch (const Error& error) {
    end = boundaries::settle(errors(), error);
    code = class_of(end.code);
  } catch (...) {
    end = boundaries::settle_other(errors(), operation);
    code = class_of(end.code);
  }
  if (end.passes != nullptr) end.pass_on();
  if (handler != constants::errors_return) hand_over(*worker, handler, where, code);
  return is_asked ? constants::success : code;
}

int refuse(const char* operation, raised_on where, const void* return_address) {
  return mpi_call(operation, where, return_address, [&](const call& by) {
    throw_error(by, constants::err_unsupported_operation,
                "Pure does not have this function yet (docs/mpi_coverage.md)");
  });
}

rank_context* rank_or_null() noexcept { return self() != nullptr ? self() : rank_of_other_thread(); }

rank_context& rank_of_any_thread(const call& by) {
  if (rank_context* const rank = rank_or_null(); rank != nullptr) return *rank;
  throw_error(by, constants::err_other,
              is_forked_child()                                            ? forked_child_text()
              : rank_in_chunk() != nullptr && !rank_in_chunk()->is_outside ? why_no_calls(*rank_in_chunk())
              : !has_calling_rank_begun()                                  ? "called before MPI_Init"
              : has_calling_rank_ended()                                   ? "called after MPI_Finalize"
              : rank_of_thread() != nullptr
                  ? "called by a function of the program that another call of MPI runs, where no call is allowed"
                  : "called by a thread that belongs to no rank: it was not made by a rank's thread");
}

rank_context& rank_of_new_guest(const call& by) {
  rank_context& rank = rank_of_any_thread(by);
  if (!takes_guests(rank)) {
    throw_error(by, constants::err_other,
                "called by another thread than the one that has called MPI_Init: ask for MPI_THREAD_SERIALIZED, with "
                "MPI_Init_thread");
  }
  enter_begun_rank();
  return rank;
}

communicator& world_of(const call& by) { return communicator_table::of(rank_here(by)).world(); }

void throw_no_communicator(const call& by, comm_handle comm) {
  throw_unknown(by, errc::comm, comm, constants::comm_null, "communicator", "MPI_COMM_NULL");
}

const group& group_of(const call& by, group_handle handle) {
  static const group nobody;
  if (handle == constants::group_empty) return nobody;
  const group* const found = rank_objects::of(rank_here(by)).groups.find(core_handle(handle));
  if (found == nullptr) throw_unknown(by, errc::group, handle, constants::group_null, "group", "MPI_GROUP_NULL");
  return *found;
}

void give_group(const call& by, group made, group_handle* to) {
  *to = made.empty() ? constants::group_empty
                     : name_of_object<group_handle>(rank_objects::of(rank_here(by)).groups.add(std::move(made)));
}

info_object& info_of(const call& by, info_handle info) {
  if (info == constants::info_env) return environment_info();
  info_object* found = infos().find(core_handle(info));
  if (rank_context* const rank = self(); found == nullptr && rank != nullptr)
    found = rank_objects::of(*rank).infos.find(core_handle(info));  // of another door
  if (found == nullptr) {
    throw_wrong_call(
        by, errc::info,
        info == constants::info_null ? "the info object is MPI_INFO_NULL" : "the info object was freed, or never made");
  }
  return *found;
}

info_object* info_or_null(const call& by, info_handle info) {
  return info == constants::info_null ? nullptr : &info_of(by, info);
}

void give_info(const call&, info_object made, info_handle* to) {
  *to = name_of_object<info_handle>(infos().add(std::move(made)));
}

void free_info(const call& by, info_handle info) {
  if (info == constants::info_env) throw_wrong_call(by, errc::info, "MPI_INFO_ENV cannot be freed");
  info_of(by, info);
  const std::uint64_t name = core_handle(info);
  if (infos().find(name) != nullptr) return infos().free(name);
  rank_objects::of(rank_here(by)).infos.free(name);
}

bool is_info_of_process(std::uint64_t name) { return infos().find(name) != nullptr; }

bool is_info(const rank_context& rank, std::uint64_t name) {
  return is_info_of_process(name) || rank_objects::of(rank).infos.find(name) != nullptr;
}

window& window_of(const call& by, win_handle win) {
  window* const found = window_table::of(rank_here(by)).find(core_handle(win));
  if (found == nullptr) [[unlikely]]
    throw_unknown(by, errc::win, win, constants::win_null, "window", "MPI_WIN_NULL");
  return *found;
}

void check_info(const call& by, comm_handle comm, info_handle info) {
  if (info == constants::info_null) return;
  counting_refusals(communicator_of(by, comm), by, refused_form::persistent, [&] { info_of(by, info); });
}

void throw_bad_count(const call& by, std::int64_t count, const char* name) {
  throw_wrong_call(by, errc::count, fmt::format("{} is {}, which is negative", name, count));
}

void throw_null(const call& by, int error_class, const char* name) {
  throw_error(by, error_class, fmt::format("{} is null", name));
}

void give_text(char* to, int* length, const std::string& text, std::size_t room) noexcept {
  const std::size_t taken = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), taken);
  to[taken] = '\0';
  *length = static_cast<int>(taken);
}

}  // namespace pure::core::mpi
