// Procedures with arguments that only Fortran has so: start and end, arguments of programs, predefined procedures,
// MPI_Sizeof, statuses of the two modules, requests and data representations whose functions are the program's.
#include <cstring>

#include "api/fortran/callbacks.hpp"
#include "api/fortran/sections.hpp"

namespace pure::fortran {

extern "C" {

// ---- start (MPI 5.0, 11.2) ----

void pmpi_init_(integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Init(nullptr, nullptr));
}
PURE_FORTRAN_NAMES_AND_F08(mpi_init, MPI_INIT);

void pmpi_init_thread_(const integer* required, integer* provided, integer* ierror) {
  called_from(__builtin_return_address(0));
  give_error(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
PURE_FORTRAN_NAMES_AND_F08(mpi_init_thread, MPI_INIT_THREAD);

void pmpi_info_create_env_(integer* info, integer* ierror) {
  called_from(__builtin_return_address(0));
  MPI_Info made = none<MPI_Info>;
  const int code = MPI_Info_create_env(0, nullptr, &made);
  give(made, info);
  give_error(ierror, code);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_info_create_env, MPI_INFO_CREATE_ENV);

void pmpi_pcontrol_(const integer* level) { MPI_Pcontrol(*level); }
PURE_FORTRAN_NAMES_AND_F08(mpi_pcontrol, MPI_PCONTROL);

/// The buffer may have changed, or will be read, as far as the compiler knows (MPI 5.0, 19.1.17).
void pmpi_f_sync_reg_(void*) {}
PURE_FORTRAN_NAMES_AND_F08(mpi_f_sync_reg, MPI_F_SYNC_REG);
PURE_FORTRAN_NAMES_OF("mpi_f_sync_reg_f08ts", "MPI_F_SYNC_REG_F08TS", "pmpi_f_sync_reg_");
PURE_FORTRAN_NAME("pmpi_f_sync_reg_f08ts_", "pmpi_f_sync_reg_");

// ---- statuses (MPI 5.0, 19.3.5): the same in all interfaces ----

void pmpi_status_f2f08_(const integer* from, MPI_Status* to, integer* ierror) {
  std::memcpy(to, from, sizeof *to);
  give_error(ierror, MPI_SUCCESS);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_status_f2f08, MPI_STATUS_F2F08);
void pmpi_status_f082f_(const MPI_Status* from, integer* to, integer* ierror) {
  std::memcpy(to, from, sizeof *from);
  give_error(ierror, MPI_SUCCESS);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_status_f082f, MPI_STATUS_F082F);

}  // extern "C"

// ---- arguments of programs (MPI 5.0, 11.8.2) ----

namespace {

/// The rows of an array of texts of Fortran, as C has them: each ends with a null pointer.
class argument_rows {
 public:
  /// Rows of `count` commands, whose first argument is at texts, and the next one `commands` texts behind. An argument
  /// of blanks is the end.
  argument_rows(const char* texts, std::size_t length, int commands, bool is_one_each)
      : rows_(static_cast<char***>(take(static_cast<std::size_t>(commands > 0 ? commands : 1) * sizeof(char**)))),
        commands_(commands) {
    for (int command = 0; command < commands; ++command) {
      const char* const first = texts + static_cast<std::size_t>(command) * length;
      const std::size_t step = static_cast<std::size_t>(commands) * length;
      std::size_t count = 0;
      while (is_one_each ? count == 0 : !is_blank(first + count * step, length)) ++count;
      rows_[command] = static_cast<char**>(take((count + 1) * sizeof(char*)));
      for (std::size_t i = 0; i < count; ++i) {
        const c_text text(first + i * step, length, false);
        const std::size_t bytes = std::strlen(text.text()) + 1;
        rows_[command][i] = static_cast<char*>(take(bytes));
        std::memcpy(rows_[command][i], text.text(), bytes);
      }
      rows_[command][count] = nullptr;
    }
  }
  argument_rows(const argument_rows&) = delete;
  argument_rows& operator=(const argument_rows&) = delete;
  ~argument_rows() {
    for (int command = 0; command < commands_; ++command) {
      for (char** each = rows_[command]; *each != nullptr; ++each) std::free(*each);
      std::free(rows_[command]);
    }
    std::free(rows_);
  }
  [[nodiscard]] char*** rows() const { return rows_; }

 private:
  static bool is_blank(const char* text, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      if (text[i] != ' ') return false;
    }
    return true;
  }
  static void* take(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) end_without_memory();
    return memory;
  }
  char*** const rows_;
  const int commands_;
};

}  // namespace

extern "C" {

void pmpi_comm_spawn_(const char* command, const char* argv, const integer* maxprocs, const integer* info,
                      const integer* root, const integer* comm, integer* intercomm, integer* array_of_errcodes,
                      integer* ierror, std::size_t length_of_command, std::size_t length_of_argv) {
  called_from(__builtin_return_address(0));
  const c_text c_command(command, length_of_command, false);
  const bool is_none = is_argument_constant(argv);
  const argument_rows arguments(argv, length_of_argv, is_none ? 0 : 1, false);
  MPI_Comm made = none<MPI_Comm>;
  const int code = MPI_Comm_spawn(c_command.text(), is_none ? MPI_ARGV_NULL : arguments.rows()[0], *maxprocs,
                                  info_of(*info), *root, comm_of(*comm), &made, error_codes_of(array_of_errcodes));
  give(made, intercomm);
  give_error(ierror, code);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_spawn, MPI_COMM_SPAWN);

void pmpi_comm_spawn_multiple_(const integer* count, const char* commands, const char* argv, const integer* maxprocs,
                               const integer* infos, const integer* root, const integer* comm, integer* intercomm,
                               integer* array_of_errcodes, integer* ierror, std::size_t length_of_commands,
                               std::size_t length_of_argv) {
  called_from(__builtin_return_address(0));
  const argument_rows c_commands(commands, length_of_commands, *count, true);
  const bool is_none = is_argument_constant(argv);
  const argument_rows arguments(argv, length_of_argv, is_none ? 0 : *count, false);
  array_room<char*> names(*count);
  for (int i = 0; i < *count; ++i) names.all()[i] = c_commands.rows()[i][0];
  handle_array<MPI_Info> c_infos(*count, infos);
  MPI_Comm made = none<MPI_Comm>;
  const int code = MPI_Comm_spawn_multiple(*count, names.all(), is_none ? MPI_ARGVS_NULL : arguments.rows(), maxprocs,
                                           c_infos.handles(), *root, comm_of(*comm), &made,
                                           error_codes_of(array_of_errcodes));
  give(made, intercomm);
  give_error(ierror, code);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_spawn_multiple, MPI_COMM_SPAWN_MULTIPLE);

}  // extern "C"

// ---- generalized requests (MPI 5.0, 13.2) ----

namespace {

struct request_functions {
  any_procedure query, free, cancel;
  MPI_Aint extra_state;
};

int query(void* state, MPI_Status* status) {
  auto& of = *static_cast<request_functions*>(state);
  integer code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, integer*)>(of.query)(&of.extra_state, status, &code);
  return code;
}
int free_state(void* state) {
  auto& of = *static_cast<request_functions*>(state);
  integer code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, integer*)>(of.free)(&of.extra_state, &code);
  std::free(state);
  return code;
}
int cancel(void* state, int is_complete) {
  auto& of = *static_cast<request_functions*>(state);
  integer complete = logical(is_complete != 0), code = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, integer*, integer*)>(of.cancel)(&of.extra_state, &complete, &code);
  return code;
}

// ---- data representations (MPI 5.0, 14.5.3): for ever, as they are ----

struct representation {
  any_procedure read, write, extent;
  MPI_Aint extra_state;
};

template <class Count>
int convert(any_procedure procedure, void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position,
            representation& of) {
  integer number = number_of(type), code = MPI_SUCCESS;
  reinterpret_cast<void (*)(void*, integer*, Count*, void*, MPI_Offset*, MPI_Aint*, integer*)>(procedure)(
      user, &number, &count, file, &position, &of.extra_state, &code);
  return code;
}
template <class Count>
int read_converted(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  auto& of = *static_cast<representation*>(state);
  return convert(of.read, user, type, count, file, position, of);
}
template <class Count>
int write_converted(void* user, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
  auto& of = *static_cast<representation*>(state);
  return convert(of.write, user, type, count, file, position, of);
}
int file_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  auto& of = *static_cast<representation*>(state);
  integer number = number_of(type), code = MPI_SUCCESS;
  reinterpret_cast<void (*)(integer*, MPI_Aint*, MPI_Aint*, integer*)>(of.extent)(&number, extent, &of.extra_state,
                                                                                  &code);
  return code;
}

template <class Function>
bool is(any_procedure given, Function* known) {
  return reinterpret_cast<const void*>(given) == reinterpret_cast<const void*>(known);
}

template <class Create, class Conversion, class None>
void register_representation(Create* in_c, Conversion* reads, Conversion* writes, None* none, const char* name,
                             std::size_t length, any_procedure read, any_procedure write, any_procedure extent,
                             MPI_Aint extra_state, integer* ierror) {
  const c_text c_name(name, length, false);
  auto* const state = static_cast<representation*>(std::malloc(sizeof(representation)));
  if (state == nullptr) end_without_memory();
  *state = {read, write, extent, extra_state};
  const int code = in_c(c_name.text(), is(read, none) ? nullptr : reads, is(write, none) ? nullptr : writes,
                        file_extent, state);
  if (code != MPI_SUCCESS) std::free(state);
  give_error(ierror, code);
}

}  // namespace

extern "C" {

void pmpi_grequest_start_(any_procedure query_fn, any_procedure free_fn, any_procedure cancel_fn,
                          const MPI_Aint* extra_state, integer* request, integer* ierror) {
  called_from(__builtin_return_address(0));
  auto* const state = static_cast<request_functions*>(std::malloc(sizeof(request_functions)));
  if (state == nullptr) end_without_memory();
  *state = {query_fn, free_fn, cancel_fn, *extra_state};
  MPI_Request made = none<MPI_Request>;
  const int code = MPI_Grequest_start(query, free_state, cancel, state, &made);
  if (code != MPI_SUCCESS) std::free(state);
  give(made, request);
  give_error(ierror, code);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_grequest_start, MPI_GREQUEST_START);

void pmpi_conversion_fn_null_() {}
PURE_FORTRAN_NAMES(mpi_conversion_fn_null, MPI_CONVERSION_FN_NULL);
void pmpi_conversion_fn_null_c_() {}
PURE_FORTRAN_NAMES(mpi_conversion_fn_null_c, MPI_CONVERSION_FN_NULL_C);

void pmpi_register_datarep_(const char* name, any_procedure read, any_procedure write, any_procedure extent,
                            const MPI_Aint* extra_state, integer* ierror, std::size_t length) {
  called_from(__builtin_return_address(0));
  register_representation(MPI_Register_datarep, read_converted<int>, write_converted<int>, pmpi_conversion_fn_null_,
                          name, length, read, write, extent, *extra_state, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_register_datarep, MPI_REGISTER_DATAREP);
void pmpi_register_datarep_c_f08_(const char* name, any_procedure read, any_procedure write, any_procedure extent,
                                  const MPI_Aint* extra_state, integer* ierror, std::size_t length) {
  called_from(__builtin_return_address(0));
  register_representation(MPI_Register_datarep_c, read_converted<MPI_Count>, write_converted<MPI_Count>,
                          pmpi_conversion_fn_null_c_, name, length, read, write, extent, *extra_state, ierror);
}
PURE_FORTRAN_NAMES(mpi_register_datarep_c_f08, MPI_REGISTER_DATAREP_C_F08);

// ---- MPI_Sizeof (MPI 5.0, 19.1.9): specifics of the modules by numbers, all of them this one ----

void pure_f_sizeof(const descriptor* x, integer* size, integer* ierror) {
  *size = static_cast<integer>(x->element_bytes);
  give_error(ierror, MPI_SUCCESS);
}

// LOGICALs, whose descriptors are each compiler's.
#define PURE_FORTRAN_SIZE_OF(bytes)                                            \
  void pure_f_sizeof_of_##bytes(const void*, integer* size, integer* ierror) { \
    *size = bytes;                                                             \
    give_error(ierror, MPI_SUCCESS);                                           \
  }
PURE_FORTRAN_SIZE_OF(1)
PURE_FORTRAN_SIZE_OF(2)
PURE_FORTRAN_SIZE_OF(4)
PURE_FORTRAN_SIZE_OF(8)
PURE_FORTRAN_SIZE_OF(16)

// ---- mpi_f08: handles are compared as their numbers ----

integer pure_f08_are_equal(const integer* left, const integer* right) { return logical(*left == *right); }
integer pure_f08_are_different(const integer* left, const integer* right) { return logical(*left != *right); }

}  // extern "C"

}  // namespace pure::fortran

#ifndef PURE_FORTRAN_OF_DOOR
#include "api/fortran/names_of_one.inc"
#endif
