#include "api/fortran/attributes.hpp"

#include <pthread.h>

#include "api/fortran/callbacks.hpp"

namespace pure::fortran {

// ---- cells ----

namespace {

struct cell {
  MPI_Aint value;
  cell* next;  // of the same bucket
};

/// Cells in slabs, so that an address tells whether it is one of them.
struct slab {
  static constexpr int room = 254;
  slab* next;
  int used;
  cell all[room];
};

constexpr std::size_t buckets = 1024;
struct all_cells {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  slab* slabs = nullptr;  // the newest first
  cell* of[buckets] = {};
};

}  // namespace

// Visible: images that know each other read each other's attributes.
extern "C" [[gnu::visibility("default")]] all_cells pure_fortran_cells;
all_cells pure_fortran_cells;

void* cell_of(MPI_Aint value) {
  all_cells& cells = pure_fortran_cells;
  cell*& first = cells.of[static_cast<std::size_t>(value) * 0x9e3779b97f4a7c15u >> 54];
  pthread_mutex_lock(&cells.lock);
  cell* found = first;
  while (found != nullptr && found->value != value) found = found->next;
  if (found == nullptr) {
    if (cells.slabs == nullptr || cells.slabs->used == slab::room) {
      auto* const made = static_cast<slab*>(std::malloc(sizeof(slab)));
      if (made == nullptr) end_without_memory();
      made->next = cells.slabs;
      made->used = 0;
      cells.slabs = made;
    }
    found = &cells.slabs->all[cells.slabs->used++];
    found->value = value;
    found->next = first;
    first = found;
  }
  pthread_mutex_unlock(&cells.lock);
  return &found->value;
}

MPI_Aint value_in(void* given) {
  all_cells& cells = pure_fortran_cells;
  const auto at = reinterpret_cast<std::uintptr_t>(given);
  bool is_cell = false;
  pthread_mutex_lock(&cells.lock);
  for (const slab* each = cells.slabs; each != nullptr && !is_cell; each = each->next) {
    const auto first = reinterpret_cast<std::uintptr_t>(each->all);
    is_cell = at >= first && at < reinterpret_cast<std::uintptr_t>(each->all + each->used);
  }
  pthread_mutex_unlock(&cells.lock);
  return is_cell ? *static_cast<const MPI_Aint*>(given) : static_cast<MPI_Aint>(at);
}

MPI_Aint value_in(int keyval, void* given) {
  if (has_number_as_value(keyval)) return *static_cast<const int*>(given);
  if (keyval == MPI_WIN_SIZE) return *static_cast<const MPI_Aint*>(given);
  return keyval == MPI_WIN_BASE ? reinterpret_cast<MPI_Aint>(given) : value_in(given);
}

namespace {

// ---- values ----

template <class Handle>
using setter = int(Handle, int, void*);
template <class Handle>
using getter = int(Handle, int, void*, int*);

template <class Handle, class Value>
void get(getter<Handle>* in_c, Handle object, int keyval, Value* to, integer* flag, integer* ierror) {
  void* found = nullptr;
  int is_there = 0;
  const int key = key_in_c(keyval);
  const int code = in_c(object, key, &found, &is_there);
  if (code == MPI_SUCCESS && is_there != 0) *to = static_cast<Value>(value_in(key, found));
  *flag = logical(is_there != 0);
  give_error(ierror, code);
}
}  // namespace

extern "C" {

void pmpi_comm_set_attr_(const integer* comm, const integer* keyval, const MPI_Aint* value, integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Comm_set_attr(comm_of(*comm), *keyval, cell_of(*value)));
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_set_attr, MPI_COMM_SET_ATTR);
void pmpi_comm_get_attr_(const integer* comm, const integer* keyval, MPI_Aint* value, integer* flag, integer* ierror) {
  called_from(__builtin_return_address(0));
  get(MPI_Comm_get_attr, comm_of(*comm), *keyval, value, flag, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_get_attr, MPI_COMM_GET_ATTR);
void pmpi_attr_put_(const integer* comm, const integer* keyval, const integer* value, integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Attr_put(comm_of(*comm), *keyval, cell_of(*value)));
}
PURE_FORTRAN_NAMES(mpi_attr_put, MPI_ATTR_PUT);
void pmpi_attr_get_(const integer* comm, const integer* keyval, integer* value, integer* flag, integer* ierror) {
  called_from(__builtin_return_address(0));
  get(MPI_Attr_get, comm_of(*comm), *keyval, value, flag, ierror);
}
PURE_FORTRAN_NAMES(mpi_attr_get, MPI_ATTR_GET);
void pmpi_type_set_attr_(const integer* datatype, const integer* keyval, const MPI_Aint* value, integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Type_set_attr(type_of(*datatype), *keyval, cell_of(*value)));
}
PURE_FORTRAN_NAMES_AND_F08(mpi_type_set_attr, MPI_TYPE_SET_ATTR);
void pmpi_type_get_attr_(const integer* datatype, const integer* keyval, MPI_Aint* value, integer* flag,
                         integer* ierror) {
  called_from(__builtin_return_address(0));
  get(MPI_Type_get_attr, type_of(*datatype), *keyval, value, flag, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_type_get_attr, MPI_TYPE_GET_ATTR);
void pmpi_win_set_attr_(const integer* win, const integer* keyval, const MPI_Aint* value, integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Win_set_attr(win_of(*win), *keyval, cell_of(*value)));
}
PURE_FORTRAN_NAMES_AND_F08(mpi_win_set_attr, MPI_WIN_SET_ATTR);
void pmpi_win_get_attr_(const integer* win, const integer* keyval, MPI_Aint* value, integer* flag, integer* ierror) {
  called_from(__builtin_return_address(0));
  get(MPI_Win_get_attr, win_of(*win), *keyval, value, flag, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_win_get_attr, MPI_WIN_GET_ATTR);

}  // extern "C"

}  // namespace pure::fortran
