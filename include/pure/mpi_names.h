// What `mpi2pure port` writes into a program (docs/porting.md): it is one of pure.h afterwards, and with
// -DPURE_OVER_MPI still one of MPI, of whichever mpi.h there is, in C or C++: all names below are MPI's then.
//
// Beside the names of pure.h these are: pure_mpi_init and others, with the arguments of MPI's functions where those of
// pure.h have other ones; PURE_MPI_SOURCE and others, with which a status's members are named. What the functions do is
// said at their twins, in pure.h and docs/from_mpi.md.
#ifndef PURE_MPI_NAMES_H
#define PURE_MPI_NAMES_H

#include <pure/rank_local.h>

#ifdef PURE_OVER_MPI

#include <mpi.h>
#include <pure/detail/over_mpi_functions.h>

#include <pure/detail/over_mpi_constants.h>

#else

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <pure.h>

using pure_mpi_aint = std::int64_t;
using pure_mpi_count = std::int64_t;
using pure_mpi_offset = std::int64_t;

/// The members of a pure_status.
#define PURE_MPI_SOURCE source
#define PURE_MPI_TAG tag
#define PURE_MPI_ERROR error

enum : int { PURE_MPI_MAX_PROCESSOR_NAME = 256, PURE_MPI_MAX_ERROR_STRING = 512, PURE_MPI_MAX_OBJECT_NAME = 128 };

// ---- start and end --------------------------------------------------------------------------------------------

/// Ranks call pure.h on their own thread only: that is FUNNELED, whatever is asked for.
enum : int {
  PURE_MPI_THREAD_SINGLE = 0,
  PURE_MPI_THREAD_FUNNELED = 1,
  PURE_MPI_THREAD_SERIALIZED = 2,
  PURE_MPI_THREAD_MULTIPLE = 3
};

namespace pure::detail {
struct mpi_stage {
  bool has_begun = false;
  bool has_ended = false;
};
/// Of the calling rank, which exists before and after: these are what the program has said.
inline mpi_stage& mpi_stage_of_rank() noexcept {
  static thread_local mpi_stage stage;
  return stage;
}
/// At most `room` characters with the end, as MPI's functions give names.
inline int copy_text(const char* from, char* to, int* length, std::size_t room) noexcept {
  const std::size_t count = std::strlen(from) < room ? std::strlen(from) : room - 1;
  std::memcpy(to, from, count);
  to[count] = '\0';
  *length = static_cast<int>(count);
  return PURE_SUCCESS;
}
}  // namespace pure::detail

inline int pure_mpi_init(int* /*argc*/, char*** /*argv*/) noexcept {
  pure::detail::mpi_stage_of_rank().has_begun = true;
  return PURE_SUCCESS;
}
inline int pure_mpi_init_thread(int* argc, char*** argv, int required, int* provided) noexcept {
  *provided = required < PURE_MPI_THREAD_FUNNELED ? required : PURE_MPI_THREAD_FUNNELED;
  return pure_mpi_init(argc, argv);
}
inline int pure_mpi_query_thread(int* provided) noexcept {
  *provided = PURE_MPI_THREAD_FUNNELED;
  return PURE_SUCCESS;
}
inline int pure_mpi_initialized(int* flag) noexcept {
  *flag = pure::detail::mpi_stage_of_rank().has_begun ? 1 : 0;
  return PURE_SUCCESS;
}
inline int pure_mpi_finalize() noexcept {
  pure::detail::mpi_stage_of_rank().has_ended = true;
  return PURE_SUCCESS;
}
inline int pure_mpi_finalized(int* flag) noexcept {
  *flag = pure::detail::mpi_stage_of_rank().has_ended ? 1 : 0;
  return PURE_SUCCESS;
}
[[noreturn]] inline int pure_mpi_abort(pure_comm /*comm*/, int code) { pure_abort(code); }

// ---- names, texts, errors -------------------------------------------------------------------------------------

inline int pure_mpi_get_processor_name(char* name, int* length) noexcept {
  if (gethostname(name, PURE_MPI_MAX_PROCESSOR_NAME) != 0) name[0] = '\0';
  name[PURE_MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *length = static_cast<int>(std::strlen(name));
  return PURE_SUCCESS;
}
inline int pure_mpi_comm_get_name(pure_comm comm, char* name, int* length) {
  const char* text = "";
  const int code = pure_comm_get_name(comm, &text);
  return code != PURE_SUCCESS ? code : pure::detail::copy_text(text, name, length, PURE_MPI_MAX_OBJECT_NAME);
}
inline int pure_mpi_win_get_name(pure_win win, char* name, int* length) {
  const char* text = "";
  const int code = pure_win_get_name(win, &text);
  return code != PURE_SUCCESS ? code : pure::detail::copy_text(text, name, length, PURE_MPI_MAX_OBJECT_NAME);
}
inline int pure_mpi_error_string(int code, char* text, int* length) noexcept {
  return pure::detail::copy_text(pure_error_string(code), text, length, PURE_MPI_MAX_ERROR_STRING);
}
inline int pure_mpi_error_class(int code, int* error_class) noexcept {
  *error_class = code;
  return PURE_SUCCESS;
}
/// For all calls of the rank, whatever the communicator.
inline int pure_mpi_comm_set_errhandler(pure_comm /*comm*/, pure_errhandler handler) {
  return pure_set_errhandler(handler);
}

// ---- memory, types, operators ---------------------------------------------------------------------------------

inline int pure_mpi_alloc_mem(pure_mpi_aint size, pure_info /*info*/, void* base) noexcept {
  void* const memory = std::malloc(size > 0 ? static_cast<std::size_t>(size) : 1);
  std::memcpy(base, &memory, sizeof memory);
  return memory != nullptr ? PURE_SUCCESS : PURE_ERR_NO_MEM;
}
inline int pure_mpi_free_mem(void* base) noexcept {
  std::free(base);
  return PURE_SUCCESS;
}
inline int pure_mpi_buffer_detach(void* buffer, int* size) {
  std::int64_t bytes = 0;
  const int code = pure_buffer_detach(static_cast<void**>(buffer), &bytes);
  *size = static_cast<int>(bytes);
  return code;
}
inline pure_mpi_aint pure_mpi_aint_add(pure_mpi_aint base, pure_mpi_aint displacement) noexcept {
  return base + displacement;
}
inline pure_mpi_aint pure_mpi_aint_diff(pure_mpi_aint a, pure_mpi_aint b) noexcept { return a - b; }
inline int pure_mpi_type_size(pure_datatype type, int* size) {
  *size = static_cast<int>(pure_type_size(type));
  return PURE_SUCCESS;
}

/// The function of an operator, as MPI has it.
typedef void pure_mpi_user_function(void* in, void* inout, int* count, pure_datatype* type);

namespace pure::detail {
template <auto function>
struct mpi_operator;
template <class In, class InOut, void (*function)(In*, InOut*, int*, pure_datatype*)>
struct mpi_operator<function> {
  static void combine(const void* in, void* inout, std::int64_t count, pure_datatype type) {
    int length = static_cast<int>(count);
    function(static_cast<In*>(const_cast<void*>(in)), static_cast<InOut*>(inout), &length, &type);
  }
};
}  // namespace pure::detail

/// `function` is the name of a pure_mpi_user_function, without a cast; its first two arguments may be other pointers.
#define pure_mpi_op_create(function, commutes, op) \
  pure_op_create(pure::detail::mpi_operator<(function)>::combine, (commutes) != 0, op)

#endif

#endif  // PURE_MPI_NAMES_H
