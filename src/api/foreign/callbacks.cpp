// Functions of the program that MPI calls, and places that it writes later: with handles, constants and codes of this
// interface.
#include "api/foreign/entry.hpp"

namespace pure::foreign {

namespace {

any_function any(auto* function) { return reinterpret_cast<any_function>(function); }

// ---- operators (MPI 5.0, 6.9.5): what the function gets for a datatype, as a word ----

template <class Handle>
std::uint64_t word_of(Handle handle) {
  if constexpr (sizeof handle == sizeof(int))
    return static_cast<std::uint64_t>(handle);
  else
    return reinterpret_cast<std::uintptr_t>(handle);
}
std::uint64_t name_for_function(type_handle type) { return word_of(type_out(type)); }
constexpr int has_numbers = sizeof(MPI_Datatype) == sizeof(int) ? 1 : 0;

// ---- error handlers (9.3) ----

template <class Function, class Handle, class Name, Handle (*out)(Name)>
void call_handler(any_function function, std::uintptr_t object, int error_class) {
  Handle handle = out({object});
  int code = code_out(error_class);
  reinterpret_cast<Function*>(function)(&handle, &code);
}
constexpr handler_caller of_comm = call_handler<MPI_Comm_errhandler_function, MPI_Comm, comm_handle, comm_out>;
constexpr handler_caller of_win = call_handler<MPI_Win_errhandler_function, MPI_Win, win_handle, win_out>;
constexpr handler_caller of_file = call_handler<MPI_File_errhandler_function, MPI_File, file_handle, file_out>;

/// The core's numbers of what has handlers, and of what has attributes.
enum handled { handlers_of_communicators, handlers_of_windows, handlers_of_files };
enum attributed { attributes_of_communicators, attributes_of_datatypes, attributes_of_windows };

int create_handler(handled of, any_function function, handler_caller caller, MPI_Errhandler* errhandler) {
  made_handle<errhandler_handle, MPI_Errhandler, errhandler_in, errhandler_out> made(errhandler);
  const int code = pure_core_mpi_create_errhandler_called(of, function, caller, made.place());
  made.give();
  return code_out(code);
}

// ---- attributes (7.7) ----

template <class Function, class Handle, class Name, Handle (*out)(Name)>
int call_copy(any_function copy, std::uintptr_t object, int key, void* extra_state, void* value, void** made,
              int* flag) {
  return code_in(reinterpret_cast<Function*>(copy)(out({object}), keyval_out(key), extra_state, value, made, flag));
}
template <class Function, class Handle, class Name, Handle (*out)(Name)>
int call_delete(any_function remove, std::uintptr_t object, int key, void* value, void* extra_state) {
  return code_in(reinterpret_cast<Function*>(remove)(out({object}), keyval_out(key), value, extra_state));
}

/// A predefined function is the one of the standard ABI.
any_function known_copy(any_function copy, any_function null, any_function duplicate) {
  if (copy == null) return nullptr;
  return copy == duplicate ? reinterpret_cast<any_function>(std::uintptr_t{1}) : copy;
}

int create_key(attributed of, any_function copy, any_function remove, copy_caller copy_by, delete_caller remove_by,
               int* keyval, void* extra_state) {
  const int code = pure_core_mpi_create_keyval_called(of, copy, remove, copy_by, remove_by, extra_state, keyval);
  if (code == constants::success) *keyval = keyval_out(*keyval);
  return code_out(code);
}

template <class Copy, class Delete>
int create_key_of_communicators(Copy* copies, Delete* deletes, any_function null_copy, any_function duplicate,
                                any_function null_delete, int* keyval, void* extra_state) {
  return create_key(attributes_of_communicators, known_copy(any(copies), null_copy, duplicate),
                    any(deletes) == null_delete ? nullptr : any(deletes),
                    call_copy<Copy, MPI_Comm, comm_handle, comm_out>,
                    call_delete<Delete, MPI_Comm, comm_handle, comm_out>, keyval, extra_state);
}

// ---- communicators that are there later (7.4.2) ----

void give_communicator(void* to, comm_handle made) { *static_cast<MPI_Comm*>(to) = comm_out(made); }

int start_duplicate(MPI_Comm comm, info_handle info, int has_info, MPI_Comm* newcomm, MPI_Request* request) {
  made_handle<request_handle, MPI_Request, request_in, request_out> made(request);
  const int code = pure_core_mpi_comm_idup_given(comm_in(comm), info, has_info, give_communicator, newcomm,
                                                 made.place());
  made.give();
  return code_out(code);
}

}  // namespace

}  // namespace pure::foreign

using namespace pure::foreign;

extern "C" {

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  called_from(__builtin_return_address(0));
  return start_duplicate(comm, constants::info_null, 0, newcomm, request);
}
PURE_FOREIGN_NAME(MPI_Comm_idup);

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  called_from(__builtin_return_address(0));
  return start_duplicate(comm, info_in(info), 1, newcomm, request);
}
PURE_FOREIGN_NAME(MPI_Comm_idup_with_info);

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  made_handle<op_handle, MPI_Op, op_in, op_out> made(op);
  called_from(__builtin_return_address(0));
  const int code = pure_core_mpi_op_create_named(any(user_fn), commute, 0, has_numbers, name_for_function,
                                                 made.place());
  made.give();
  return code_out(code);
}
PURE_FOREIGN_NAME(MPI_Op_create);

int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  made_handle<op_handle, MPI_Op, op_in, op_out> made(op);
  called_from(__builtin_return_address(0));
  const int code = pure_core_mpi_op_create_named(any(user_fn), commute, 1, has_numbers, name_for_function,
                                                 made.place());
  made.give();
  return code_out(code);
}
PURE_FOREIGN_NAME(MPI_Op_create_c);

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  called_from(__builtin_return_address(0));
  return create_handler(handlers_of_communicators, any(function), of_comm, errhandler);
}
PURE_FOREIGN_NAME(MPI_Comm_create_errhandler);

int PMPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  called_from(__builtin_return_address(0));
  return create_handler(handlers_of_communicators, any(function), of_comm, errhandler);
}
PURE_FOREIGN_NAME(MPI_Errhandler_create);

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  called_from(__builtin_return_address(0));
  return create_handler(handlers_of_windows, any(function), of_win, errhandler);
}
PURE_FOREIGN_NAME(MPI_Win_create_errhandler);

int PMPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
  called_from(__builtin_return_address(0));
  return create_handler(handlers_of_files, any(function), of_file, errhandler);
}
PURE_FOREIGN_NAME(MPI_File_create_errhandler);

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copies, MPI_Comm_delete_attr_function* deletes, int* keyval,
                            void* extra_state) {
  called_from(__builtin_return_address(0));
  return create_key_of_communicators(copies, deletes, any(MPI_COMM_NULL_COPY_FN), any(MPI_COMM_DUP_FN),
                                     any(MPI_COMM_NULL_DELETE_FN), keyval, extra_state);
}
PURE_FOREIGN_NAME(MPI_Comm_create_keyval);

int PMPI_Keyval_create(MPI_Copy_function* copies, MPI_Delete_function* deletes, int* keyval, void* extra_state) {
  called_from(__builtin_return_address(0));
  return create_key_of_communicators(copies, deletes, any(MPI_NULL_COPY_FN), any(MPI_DUP_FN), any(MPI_NULL_DELETE_FN),
                                     keyval, extra_state);
}
PURE_FOREIGN_NAME(MPI_Keyval_create);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copies, MPI_Type_delete_attr_function* deletes, int* keyval,
                            void* extra_state) {
  called_from(__builtin_return_address(0));
  return create_key(attributes_of_datatypes, known_copy(any(copies), any(MPI_TYPE_NULL_COPY_FN), any(MPI_TYPE_DUP_FN)),
                    any(deletes) == any(MPI_TYPE_NULL_DELETE_FN) ? nullptr : any(deletes),
                    call_copy<MPI_Type_copy_attr_function, MPI_Datatype, type_handle, type_out>,
                    call_delete<MPI_Type_delete_attr_function, MPI_Datatype, type_handle, type_out>, keyval,
                    extra_state);
}
PURE_FOREIGN_NAME(MPI_Type_create_keyval);

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* copies, MPI_Win_delete_attr_function* deletes, int* keyval,
                           void* extra_state) {
  called_from(__builtin_return_address(0));
  return create_key(attributes_of_windows, known_copy(any(copies), any(MPI_WIN_NULL_COPY_FN), any(MPI_WIN_DUP_FN)),
                    any(deletes) == any(MPI_WIN_NULL_DELETE_FN) ? nullptr : any(deletes),
                    call_copy<MPI_Win_copy_attr_function, MPI_Win, win_handle, win_out>,
                    call_delete<MPI_Win_delete_attr_function, MPI_Win, win_handle, win_out>, keyval, extra_state);
}
PURE_FOREIGN_NAME(MPI_Win_create_keyval);

}  // extern "C"
