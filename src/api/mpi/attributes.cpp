// Attributes of communicators, datatypes and windows (MPI 5.0, 7.7, 9.1.2, 12.2.6).
#include "api/mpi/attributes.hpp"

#include <fmt/core.h>

#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/standard_abi.hpp"
#include "api/mpi/types.hpp"
#include "objects/rank_objects.hpp"
#include "window/window_group.hpp"

namespace pure::core::mpi {

namespace {

[[noreturn]] void throw_failed(const call& by, int code, const char* does, int key) {
  throw_error(by, code, fmt::format("the function that {} attribute {} has returned {}", does, key, code));
}

int copied_pointer(std::uint64_t, int, void* value, std::optional<void*>& to) {
  to = value;
  return constants::success;
}

/// Takes what a program's function has said: `flag`, whether there is a copy.
int answer_of(int code, int flag, void* made, std::optional<void*>& to) {
  if (code == constants::success && flag != 0) to = made;
  return code;
}

/// A program's functions for the values of a key, from those of one kind of object. Small numbers stand for functions
/// that do nothing, or copy the pointer (MPI 5.0, 20.2).
template <class Handle, class Copy, class Delete>
attribute_callbacks callbacks_of(Copy* copy, Delete* remove, void* extra_state,
                                 typename core_name<Handle>::type (*name)(std::uint64_t)) {
  attribute_callbacks all;
  if (remove != nullptr) {
    all.remove = [remove, extra_state, name](std::uint64_t object, int key, void* value) {
      return remove(program_name<Handle>(name(object)), key, value, extra_state);
    };
  }
  const auto copies = reinterpret_cast<std::uintptr_t>(copy);
  if (copies == reinterpret_cast<std::uintptr_t>(MPI_COMM_DUP_FN)) {
    all.copy = copied_pointer;
  } else if (copies != 0) {
    all.copy = [copy, extra_state, name](std::uint64_t object, int key, void* value, std::optional<void*>& to) {
      void* made = nullptr;
      int flag = 0;
      const int code = copy(program_name<Handle>(name(object)), key, extra_state, value, &made, &flag);
      return answer_of(code, flag, made, to);
    };
  }
  return all;
}

/// Functions that a door calls for the values of a key: it knows what their arguments are. A copy that is 1 stands for
/// the pointer's.
attribute_callbacks callbacks_called(const called_callbacks& of, std::uintptr_t (*name)(std::uint64_t)) {
  attribute_callbacks all;
  if (of.remove != nullptr) {
    all.remove = [of, name](std::uint64_t object, int key, void* value) {
      return of.remove_by(of.remove, name(object), key, value, of.extra_state);
    };
  }
  const auto copies = reinterpret_cast<std::uintptr_t>(of.copy);
  if (copies == reinterpret_cast<std::uintptr_t>(MPI_COMM_DUP_FN)) {
    all.copy = copied_pointer;
  } else if (copies != 0) {
    all.copy = [of, name](std::uint64_t object, int key, void* value, std::optional<void*>& to) {
      void* made = nullptr;
      int flag = 0;
      const int code = of.copy_by(of.copy, name(object), key, of.extra_state, value, &made, &flag);
      return answer_of(code, flag, made, to);
    };
  }
  return all;
}

comm_handle comm_named(std::uint64_t object) {
  if (object == communicator_table::world_handle) return constants::comm_world;
  if (object == communicator_table::self_handle) return constants::comm_self;
  return name_of_object<comm_handle>(object);
}

attribute_table& of_communicators(const call& by) { return rank_objects::of(rank_here(by)).of_communicators; }
attribute_table& of_types(const call& by) { return rank_objects::of(rank_here(by)).of_types; }
attribute_table& of_windows(const call& by) { return rank_objects::of(rank_here(by)).of_windows; }

void require_key(const call& by, const attribute_table& table, int key) {
  if (!table.has_key(key))  // a key that was freed lasts as long as values have it (MPI 5.0, 7.7.2)
    throw_error(by, constants::err_keyval, fmt::format("{} is no key of attributes that the program may change", key));
}

void free_key(const call& by, attribute_table& table, int* key) {
  require_key(by, table, *key);
  table.free_key(*key);
  *key = constants::keyval_invalid;
}

void set_value(const call& by, attribute_table& table, std::uint64_t object, int key, void* value) {
  require_key(by, table, key);
  if (const int code = table.set(object, key, value); code != constants::success)
    throw_failed(by, code, "deletes", key);
}

void delete_value(const call& by, attribute_table& table, std::uint64_t object, int key) {
  require_key(by, table, key);
  if (const int code = table.remove(object, key); code != constants::success) throw_failed(by, code, "deletes", key);
}

/// False: the object has no such value.
bool give_value(const call& by, const attribute_table& table, std::uint64_t object, int key, void* to, int* flag) {
  void* const* const found = table.find(object, key);
  if (found == nullptr) require_key(by, table, key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) give_pointer(to, *found);
  return found != nullptr;
}

/// The values that MPI sets itself: programs get their addresses, and each of these lasts.
int* own_value(const rank_context& rank, int key) {
  static int tag_ub = INT_MAX, io = constants::any_source, host = constants::proc_null, is_global = 1, appnum = 0;
  door_state::own_values& own = door_state::of(rank).values_of_worlds;
  switch (key) {
    case constants::tag_ub: return &tag_ub;
    case constants::io: return &io;
    case constants::host: return &host;
    case constants::wtime_is_global: return &is_global;
    case constants::appnum: return &appnum;
    case constants::lastusedcode: return &(own.last_code = last_used_code());
    case constants::universe_size: return &(own.universe_size = communicator_table::of(rank).world().size());
    default: return nullptr;
  }
}

}  // namespace

void delete_attributes(const call& by, attribute_table& table, std::uint64_t object) {
  int key = 0;
  if (const int code = table.remove_all(object, key); code != constants::success)
    throw_failed(by, code, "deletes", key);
}

void copy_attributes(const call& by, communicator& from, communicator& to) {
  int key = 0;
  if (const int code = of_communicators(by).copy_all(from.handle(), to.handle(), key); code != constants::success)
    throw_failed(by, code, "copies", key);
}

void delete_attributes_at_end(const call& by) {
  delete_attributes(by, of_communicators(by), communicator_table::self_handle);
  delete_attributes(by, of_communicators(by), communicator_table::world_handle);
}

int create_called_key(const call& by, attributed of, const called_callbacks& callbacks) {
  const auto same = [](std::uint64_t object) { return std::uintptr_t{object}; };
  switch (of) {
    case attributed::communicator:
      return of_communicators(by).create_key(
          callbacks_called(callbacks, [](std::uint64_t object) { return comm_named(object).value; }));
    case attributed::window: return of_windows(by).create_key(callbacks_called(callbacks, same));
    case attributed::datatype: break;
  }
  return of_types(by).create_key(callbacks_called(callbacks, same));
}

// ---- communicators ----

void bodies::Comm_create_keyval(const call& by, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval,
                                void* extra_state) {
  *comm_keyval = of_communicators(by).create_key(
      callbacks_of<MPI_Comm>(comm_copy_attr_fn, comm_delete_attr_fn, extra_state, comm_named));
}
void bodies::Comm_free_keyval(const call& by, int* comm_keyval) { free_key(by, of_communicators(by), comm_keyval); }
void bodies::Comm_set_attr(const call& by, communicator& comm, int comm_keyval, void* attribute_val) {
  set_value(by, of_communicators(by), comm.handle(), comm_keyval, attribute_val);
}
void bodies::Comm_get_attr(const call& by, communicator& comm, int comm_keyval, void* attribute_val, int* flag) {
  if (int* const own = own_value(rank_here(by), comm_keyval); own != nullptr) {
    *flag = 1;
    return give_pointer(attribute_val, own);
  }
  give_value(by, of_communicators(by), comm.handle(), comm_keyval, attribute_val, flag);
}
void bodies::Comm_delete_attr(const call& by, communicator& comm, int comm_keyval) {
  delete_value(by, of_communicators(by), comm.handle(), comm_keyval);
}

// The names of MPI-1 (MPI 5.0, 16.1).
void bodies::Keyval_create(const call& by, MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                           void* extra_state) {
  Comm_create_keyval(by, copy_fn, delete_fn, keyval, extra_state);
}
void bodies::Keyval_free(const call& by, int* keyval) { Comm_free_keyval(by, keyval); }
void bodies::Attr_put(const call& by, communicator& comm, int keyval, void* attribute_val) {
  Comm_set_attr(by, comm, keyval, attribute_val);
}
void bodies::Attr_get(const call& by, communicator& comm, int keyval, void* attribute_val, int* flag) {
  Comm_get_attr(by, comm, keyval, attribute_val, flag);
}
void bodies::Attr_delete(const call& by, communicator& comm, int keyval) { Comm_delete_attr(by, comm, keyval); }

// ---- datatypes, also predefined ones: known by the program's handle ----

void bodies::Type_create_keyval(const call& by, MPI_Type_copy_attr_function* type_copy_attr_fn,
                                MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval,
                                void* extra_state) {
  *type_keyval = of_types(by).create_key(
      callbacks_of<MPI_Datatype>(type_copy_attr_fn, type_delete_attr_fn, extra_state, name_of_object<type_handle>));
}
void bodies::Type_free_keyval(const call& by, int* type_keyval) { free_key(by, of_types(by), type_keyval); }
void bodies::Type_set_attr(const call& by, type_handle datatype, int type_keyval, void* attribute_val) {
  type_of(by, datatype, "datatype");
  set_value(by, of_types(by), datatype.value, type_keyval, attribute_val);
}
void bodies::Type_get_attr(const call& by, type_handle datatype, int type_keyval, void* attribute_val, int* flag) {
  type_of(by, datatype, "datatype");
  give_value(by, of_types(by), datatype.value, type_keyval, attribute_val, flag);
}
void bodies::Type_delete_attr(const call& by, type_handle datatype, int type_keyval) {
  type_of(by, datatype, "datatype");
  delete_value(by, of_types(by), datatype.value, type_keyval);
}

// ---- windows ----

void bodies::Win_create_keyval(const call& by, MPI_Win_copy_attr_function* win_copy_attr_fn,
                               MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state) {
  *win_keyval = of_windows(by).create_key(
      callbacks_of<MPI_Win>(win_copy_attr_fn, win_delete_attr_fn, extra_state, name_of_object<win_handle>));
}
void bodies::Win_free_keyval(const call& by, int* win_keyval) { free_key(by, of_windows(by), win_keyval); }
void bodies::Win_set_attr(const call& by, window& win, int win_keyval, void* attribute_val) {
  set_value(by, of_windows(by), win.handle(), win_keyval, attribute_val);
}
void bodies::Win_delete_attr(const call& by, window& win, int win_keyval) {
  delete_value(by, of_windows(by), win.handle(), win_keyval);
}

void bodies::Win_get_attr(const call& by, window& win, int win_keyval, void* attribute_val, int* flag) {
  // Programs get the address of each but the base; it lasts as long as the window's entry here.
  door_state::own_window_values& own = door_state::of(rank_here(by)).values_of_windows[win.handle()];
  constexpr int flavors[] = {constants::win_flavor_create, constants::win_flavor_allocate,
                             constants::win_flavor_dynamic, constants::win_flavor_shared};
  own.size = static_cast<MPI_Aint>(std::size_t{win.own().bytes});
  own.unit = static_cast<int>(win.own().unit);
  own.flavor = flavors[static_cast<int>(win.shared().flavor()) - static_cast<int>(window_flavor::create)];
  own.model = constants::win_unified;
  *flag = 1;
  switch (win_keyval) {
    case constants::win_base: return give_pointer(attribute_val, win.own().base);
    case constants::win_size: return give_pointer(attribute_val, &own.size);
    case constants::win_disp_unit: return give_pointer(attribute_val, &own.unit);
    case constants::win_create_flavor: return give_pointer(attribute_val, &own.flavor);
    case constants::win_model: return give_pointer(attribute_val, &own.model);
    default: give_value(by, of_windows(by), win.handle(), win_keyval, attribute_val, flag);
  }
}

}  // namespace pure::core::mpi
