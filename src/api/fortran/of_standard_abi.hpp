// Fortran's side of programs that were compiled with Pure's mpif.h and modules: it calls MPI by the names of the
// standard ABI, and belongs to each image. Only side.hpp includes this.
#pragma once

namespace pure::fortran {

// ---- what only Pure's library has: null over another one ----

extern "C" {
/// The next call of MPI by this thread is made for a program's call that returns to that address.
[[gnu::weak]] void pure_mpi_called_from(const void* address);
/// As an error of a function of MPI, on MPI_COMM_SELF. Returns the code, where the handler lets it.
[[gnu::weak]] int pure_mpi_raise(const char* function, int error_class, const char* text);
[[gnu::weak]] int pure_mpi_op_create_fortran(any_procedure function, int commutes, int is_large, MPI_Op* op);
/// `of`: 0 communicators, 1 windows, 2 files, 3 sessions.
[[gnu::weak]] int pure_mpi_create_errhandler_fortran(int of, any_procedure function, MPI_Errhandler* made);
}

inline auto* raise_in_pure() { return pure_mpi_raise; }
inline auto* create_op_in_pure() { return pure_mpi_op_create_fortran; }
inline auto* create_handler_in_pure() { return pure_mpi_create_errhandler_fortran; }

inline void called_from(const void* address) {
  if (pure_mpi_called_from != nullptr) [[likely]]
    pure_mpi_called_from(address);
}

// ---- constants that are addresses ----

/// COMMON /PUREMPIF/ of mpif.h and the modules, in their order. Visible: images that know each other share one.
struct address_constants {
  integer bottom, in_place, buffer_automatic;
  integer unweighted[1], weights_empty[1], errcodes_ignore[1];
  integer unused[2];
  integer status_ignore[8], statuses_ignore[8];
};
extern "C" [[gnu::visibility("default")]] address_constants purempif_;
/// COMMON /PUREMPIC/
extern "C" [[gnu::visibility("default")]] char purempic_[2];

void* constant_at(std::size_t offset);

/// The address for MPI of what may be one of the constants.
inline void* address_of(const void* given) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(given) - reinterpret_cast<std::uintptr_t>(&purempif_);
  return offset < sizeof purempif_ ? constant_at(offset) : const_cast<void*>(given);
}
inline int* weights_of(const integer* given) { return static_cast<int*>(address_of(given)); }
inline int* error_codes_of(integer* given) { return static_cast<int*>(address_of(given)); }
inline MPI_Status* status_of(MPI_Status* given) { return static_cast<MPI_Status*>(address_of(given)); }
inline MPI_Status* statuses_of(MPI_Status* given) { return static_cast<MPI_Status*>(address_of(given)); }
inline bool is_argument_constant(const char* given) {
  return given >= purempic_ && given < purempic_ + sizeof purempic_;
}
/// MPI_BUFFER_AUTOMATIC as Fortran has it.
inline void* automatic_back(void* given) { return given == MPI_BUFFER_AUTOMATIC ? &purempif_.buffer_automatic : given; }

// ---- handles: those below the limit are their numbers (MPI 5.0, 20.2) ----

inline constexpr std::uintptr_t predefined_limit = 0x400;

template <class Handle>
bool is_predefined(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle) < predefined_limit;
}

#define PURE_FORTRAN_HANDLE(c_type, short_name, function)                                             \
  inline c_type short_name##_of(integer number) {                                                     \
    if (static_cast<std::uintptr_t>(static_cast<unsigned>(number)) < predefined_limit)                \
      return reinterpret_cast<c_type>(static_cast<std::uintptr_t>(static_cast<unsigned>(number)));    \
    return function##_fromint(number);                                                                \
  }                                                                                                   \
  inline integer number_of(c_type handle) {                                                           \
    if (is_predefined(handle)) return static_cast<integer>(reinterpret_cast<std::uintptr_t>(handle)); \
    return function##_toint(handle);                                                                  \
  }                                                                                                   \
  inline void read(integer number, c_type& to) { to = short_name##_of(number); }
PURE_FORTRAN_HANDLE(MPI_Comm, comm, MPI_Comm)
PURE_FORTRAN_HANDLE(MPI_Datatype, type, MPI_Type)
PURE_FORTRAN_HANDLE(MPI_Errhandler, errhandler, MPI_Errhandler)
PURE_FORTRAN_HANDLE(MPI_File, file, MPI_File)
PURE_FORTRAN_HANDLE(MPI_Group, group, MPI_Group)
PURE_FORTRAN_HANDLE(MPI_Info, info, MPI_Info)
PURE_FORTRAN_HANDLE(MPI_Message, message, MPI_Message)
PURE_FORTRAN_HANDLE(MPI_Op, op, MPI_Op)
PURE_FORTRAN_HANDLE(MPI_Request, request, MPI_Request)
PURE_FORTRAN_HANDLE(MPI_Session, session, MPI_Session)
PURE_FORTRAN_HANDLE(MPI_Win, win, MPI_Win)
#undef PURE_FORTRAN_HANDLE

inline bool is_null(MPI_Request request) { return is_predefined(request); }
/// A handle that was handed over keeps its number, unless it is a null handle now.
template <class Handle>
void give_ended(Handle now, integer* number) {
  if (is_predefined(now)) *number = number_of(now);
}
/// A key of attributes.
inline int key_in_c(integer keyval) { return keyval; }
/// No handle at all: a call has made none.
template <class Handle>
inline constexpr Handle none = nullptr;

}  // namespace pure::fortran
