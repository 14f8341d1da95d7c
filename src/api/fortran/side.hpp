// Fortran's side: procedures of mpif.h, `mpi` and `mpi_f08` that call MPI's functions in C, by the names of the
// standard ABI.
//
// It is an archive that belongs to each image of a program that has Fortran (libpure_mpifort.a), and not a part of the
// library: an image compares addresses with its own constants. Generated functions (write_fortran_side.py) are made of
// what is here. Freestanding: programs in Fortran are linked without the library of C++. Any thread that may call MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "api/fortran/names.hpp"

namespace pure::fortran {

/// A default INTEGER or LOGICAL.
using integer = MPI_Fint;

// ---- what only Pure's library has: null over another one ----

extern "C" {
/// The next call of MPI by this thread is made for a program's call that returns to that address.
[[gnu::weak]] void pure_mpi_called_from(const void* address);
/// As an error of a function of MPI, on MPI_COMM_SELF. Returns the code, where the handler lets it.
[[gnu::weak]] int pure_mpi_raise(const char* function, int error_class, const char* text);
}

inline void called_from(const void* address) {
  if (pure_mpi_called_from != nullptr) [[likely]]
    pure_mpi_called_from(address);
}

/// mpi_f08 leaves ierror away.
inline void give_error(integer* ierror, int result) {
  if (ierror != nullptr) *ierror = result;
}
/// An error of this side.
void raise(const char* function, int error_class, const char* text, integer* ierror);
[[noreturn]] void end_without_memory();

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
/// MPI_BUFFER_AUTOMATIC as Fortran has it.
inline void* automatic_back(void* given) { return given == MPI_BUFFER_AUTOMATIC ? &purempif_.buffer_automatic : given; }

// ---- numbers ----

inline int is_true(integer given) { return given != 0 ? 1 : 0; }
inline integer logical(bool is) { return is ? 1 : 0; }
inline void give_logicals(integer* all, int count) {
  for (int i = 0; i < count; ++i) all[i] = logical(all[i] != 0);
}
/// Fortran counts from 1.
inline integer index(int in_c) { return in_c == MPI_UNDEFINED ? in_c : in_c + 1; }
inline void give_indices(integer* all, int count) {  // MPI_UNDEFINED is negative
  for (int i = 0; i < count; ++i) all[i] = index(all[i]);
}
/// An address of MPI-1 is an INTEGER. False: it does not fit, and that was raised.
inline bool fits(MPI_Aint in_c, const char* function, integer* to, integer* ierror) {
  *to = static_cast<integer>(in_c);
  if (*to == in_c) return true;
  raise(function, MPI_ERR_ARG, "the address does not fit into an INTEGER: use MPI_GET_ADDRESS, and the names of MPI-2",
        ierror);
  return false;
}

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

/// Null: the call has made none.
template <class Handle>
void give(Handle made, integer* to) {
  if (made != nullptr) *to = number_of(made);
}
/// A handle that was handed over keeps its number, unless it is a null handle now.
template <class Handle>
void give_ended(Handle now, integer* number) {
  if (is_predefined(now)) *number = number_of(now);
}

// ---- arrays for C ----

/// Room for a few elements, or memory for more.
template <class T, std::size_t few = 64>
class array_room {
 public:
  explicit array_room(std::int64_t count) : all_(few_) {
    if (count > static_cast<std::int64_t>(few)) [[unlikely]]
      all_ = taken(static_cast<std::size_t>(count));
  }
  array_room(const array_room&) = delete;
  array_room& operator=(const array_room&) = delete;
  ~array_room() {
    if (all_ != few_) std::free(all_);
  }
  [[nodiscard]] T* all() { return all_; }

 private:
  static T* taken(std::size_t count) {
    void* const memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) end_without_memory();
    return static_cast<T*>(memory);
  }
  T few_[few];
  T* all_;
};

template <class Handle>
class handle_array {
 public:
  handle_array(std::int64_t count, const integer* numbers) : count_(count), room_(count) {
    for (std::int64_t i = 0; i < count; ++i) read(numbers[i], room_.all()[i]);
  }
  /// For results.
  explicit handle_array(std::int64_t count) : count_(count), room_(count) {
    for (std::int64_t i = 0; i < count; ++i) room_.all()[i] = nullptr;
  }
  [[nodiscard]] Handle* handles() { return room_.all(); }
  void give(integer* to) {
    for (std::int64_t i = 0; i < count_; ++i) fortran::give(room_.all()[i], to + i);
  }
  void give_ended(integer* numbers) {
    for (std::int64_t i = 0; i < count_; ++i) fortran::give_ended(room_.all()[i], numbers + i);
  }

 private:
  const std::int64_t count_;
  array_room<Handle> room_;
};

class logical_array {
 public:
  logical_array(std::int64_t count, const integer* given) : room_(count) {
    for (std::int64_t i = 0; i < count; ++i) room_.all()[i] = is_true(given[i]);
  }
  [[nodiscard]] const int* ints() const { return const_cast<logical_array*>(this)->room_.all(); }

 private:
  array_room<int> room_;
};

class address_array {
 public:
  address_array(std::int64_t count, const integer* given) : room_(count) {
    for (std::int64_t i = 0; i < count; ++i) room_.all()[i] = given[i];
  }
  [[nodiscard]] MPI_Aint* addresses() { return room_.all(); }

 private:
  array_room<MPI_Aint> room_;
};

/// The lengths of arrays that no argument says.
struct degrees {
  int in, out;
};
int ranks_of(MPI_Comm comm);  // those with whom a collective communicates
degrees degrees_of(MPI_Comm comm);
int dimensions_of(MPI_Comm comm);

// ---- texts ----

/// A text of Fortran for C: without the blanks at its end, or at both.
class c_text {
 public:
  c_text(const char* from, std::size_t length, bool is_trimmed);
  [[nodiscard]] const char* text() const { return const_cast<c_text*>(this)->room_.all(); }

 private:
  array_room<char, 256> room_;
};

/// Room for a text of C, whose end counts.
class c_room {
 public:
  explicit c_room(std::int64_t length) : room_(length > 0 ? length : 1) { *room_.all() = '\0'; }
  [[nodiscard]] char* text() { return room_.all(); }
  /// Blanks behind it; what does not fit is left away.
  void give(char* to, std::size_t length);

 private:
  array_room<char, 1088> room_;
};

}  // namespace pure::fortran
