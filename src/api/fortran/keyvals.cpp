// Keys of attributes whose functions are the program's (MPI 5.0, 7.7), and the predefined functions of Fortran.
#include <pthread.h>

#include "api/fortran/attributes.hpp"
#include "api/fortran/callbacks.hpp"

namespace pure::fortran {

namespace {

/// The functions of a key, which C gets as its extra state.
struct key_functions {
  any_procedure copy, remove;
  MPI_Aint extra_state;
  key_functions* next;
};

/// `Value`: MPI_Aint, or an INTEGER in MPI-1.
template <class Value>
using copy_procedure = void(integer* object, integer* keyval, Value* extra, Value* in, Value* out, integer* flag,
                            integer* ierror);
template <class Value>
using delete_procedure = void(integer* object, integer* keyval, Value* value, Value* extra, integer* ierror);

template <class Value, class Handle>
int copy(Handle object, int keyval, void* state, void* in, void* out, int* flag) {
  const auto& of = *static_cast<const key_functions*>(state);
  integer number = number_of(object), key = keyval, is_copied = 0, code = MPI_SUCCESS;
  auto extra = static_cast<Value>(of.extra_state);
  auto given = static_cast<Value>(value_in(in));
  Value made = 0;
  reinterpret_cast<copy_procedure<Value>*>(of.copy)(&number, &key, &extra, &given, &made, &is_copied, &code);
  *flag = is_true(is_copied);
  if (code == MPI_SUCCESS && is_copied != 0) *static_cast<void**>(out) = cell_of(made);
  return code;
}

template <class Value, class Handle>
int remove(Handle object, int keyval, void* value, void* state) {
  const auto& of = *static_cast<const key_functions*>(state);
  integer number = number_of(object), key = keyval, code = MPI_SUCCESS;
  auto extra = static_cast<Value>(of.extra_state);
  auto given = static_cast<Value>(value_in(value));
  reinterpret_cast<delete_procedure<Value>*>(of.remove)(&number, &key, &given, &extra, &code);
  return code;
}

// Each set is kept: attributes may outlive their key. Equal ones are one.
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
key_functions* all = nullptr;

key_functions* kept(any_procedure copy, any_procedure remove, MPI_Aint extra_state) {
  pthread_mutex_lock(&lock);
  key_functions* found = all;
  while (found != nullptr && (found->copy != copy || found->remove != remove || found->extra_state != extra_state))
    found = found->next;
  if (found == nullptr) {
    found = static_cast<key_functions*>(std::malloc(sizeof(key_functions)));
    if (found == nullptr) end_without_memory();
    *found = {copy, remove, extra_state, all};
    all = found;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

template <class Function>
bool is(any_procedure given, Function* known) {
  return reinterpret_cast<const void*>(given) == reinterpret_cast<const void*>(known);
}

/// A predefined function of Fortran is that of C.
template <class Value, class Handle, class Copy, class Delete, class Create, class NullCopy, class Dup,
          class NullDelete>
void create(Create* in_c, any_procedure copies, any_procedure deletes, NullCopy* null_copy, Dup* dup,
            NullDelete* null_delete, Copy* copy_in_c, Delete* delete_in_c, integer* keyval, MPI_Aint extra_state,
            integer* ierror) {
  if (is(copies, null_copy))
    copy_in_c = nullptr;  // MPI_X_NULL_COPY_FN
  else if (is(copies, dup))
    copy_in_c = reinterpret_cast<Copy*>(MPI_COMM_DUP_FN);
  if (is(deletes, null_delete)) delete_in_c = nullptr;
  give_error(ierror, in_c(copy_in_c, delete_in_c, keyval, kept(copies, deletes, extra_state)));
}

template <class Value>
void copy_value(const Value* in, Value* out, integer* flag, integer* ierror) {
  *out = *in;
  *flag = logical(true);
  give_error(ierror, MPI_SUCCESS);
}

}  // namespace

extern "C" {

// The names of C are numbers (MPI 5.0, 20.2); a program in Fortran may also call these.
#define PURE_FORTRAN_COPY_FUNCTIONS(of, OF, Value)                                                             \
  void pmpi_##of##null_copy_fn_(integer*, integer*, Value*, Value*, Value*, integer* flag, integer* ierror) {  \
    *flag = logical(false);                                                                                    \
    give_error(ierror, MPI_SUCCESS);                                                                           \
  }                                                                                                            \
  PURE_FORTRAN_NAMES(mpi_##of##null_copy_fn, MPI_##OF##NULL_COPY_FN);                                          \
  void pmpi_##of##dup_fn_(integer*, integer*, Value*, Value* in, Value* out, integer* flag, integer* ierror) { \
    copy_value(in, out, flag, ierror);                                                                         \
  }                                                                                                            \
  PURE_FORTRAN_NAMES(mpi_##of##dup_fn, MPI_##OF##DUP_FN);                                                      \
  void pmpi_##of##null_delete_fn_(integer*, integer*, Value*, Value*, integer* ierror) {                       \
    give_error(ierror, MPI_SUCCESS);                                                                           \
  }                                                                                                            \
  PURE_FORTRAN_NAMES(mpi_##of##null_delete_fn, MPI_##OF##NULL_DELETE_FN)

PURE_FORTRAN_COPY_FUNCTIONS(comm_, COMM_, MPI_Aint);
PURE_FORTRAN_COPY_FUNCTIONS(type_, TYPE_, MPI_Aint);
PURE_FORTRAN_COPY_FUNCTIONS(win_, WIN_, MPI_Aint);
PURE_FORTRAN_COPY_FUNCTIONS(, , integer);

void pmpi_comm_create_keyval_(any_procedure copies, any_procedure deletes, integer* keyval, const MPI_Aint* extra_state,
                              integer* ierror) {
  called_from(__builtin_return_address(0));
  create<MPI_Aint, MPI_Comm>(MPI_Comm_create_keyval, copies, deletes, pmpi_comm_null_copy_fn_, pmpi_comm_dup_fn_,
                             pmpi_comm_null_delete_fn_, copy<MPI_Aint, MPI_Comm>, remove<MPI_Aint, MPI_Comm>, keyval,
                             *extra_state, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_create_keyval, MPI_COMM_CREATE_KEYVAL);

void pmpi_keyval_create_(any_procedure copies, any_procedure deletes, integer* keyval, const integer* extra_state,
                         integer* ierror) {
  called_from(__builtin_return_address(0));
  create<integer, MPI_Comm>(MPI_Keyval_create, copies, deletes, pmpi_null_copy_fn_, pmpi_dup_fn_, pmpi_null_delete_fn_,
                            copy<integer, MPI_Comm>, remove<integer, MPI_Comm>, keyval, *extra_state, ierror);
}
PURE_FORTRAN_NAMES(mpi_keyval_create, MPI_KEYVAL_CREATE);

void pmpi_type_create_keyval_(any_procedure copies, any_procedure deletes, integer* keyval, const MPI_Aint* extra_state,
                              integer* ierror) {
  called_from(__builtin_return_address(0));
  create<MPI_Aint, MPI_Datatype>(MPI_Type_create_keyval, copies, deletes, pmpi_type_null_copy_fn_, pmpi_type_dup_fn_,
                                 pmpi_type_null_delete_fn_, copy<MPI_Aint, MPI_Datatype>,
                                 remove<MPI_Aint, MPI_Datatype>, keyval, *extra_state, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_type_create_keyval, MPI_TYPE_CREATE_KEYVAL);

void pmpi_win_create_keyval_(any_procedure copies, any_procedure deletes, integer* keyval, const MPI_Aint* extra_state,
                             integer* ierror) {
  called_from(__builtin_return_address(0));
  create<MPI_Aint, MPI_Win>(MPI_Win_create_keyval, copies, deletes, pmpi_win_null_copy_fn_, pmpi_win_dup_fn_,
                            pmpi_win_null_delete_fn_, copy<MPI_Aint, MPI_Win>, remove<MPI_Aint, MPI_Win>, keyval,
                            *extra_state, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_win_create_keyval, MPI_WIN_CREATE_KEYVAL);

}  // extern "C"

}  // namespace pure::fortran
