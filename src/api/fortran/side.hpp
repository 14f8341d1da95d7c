// Fortran's side: procedures of mpif.h, `mpi` and `mpi_f08` that call MPI's functions in C.
//
// For programs that are compiled with Pure it is an archive that belongs to each image which has Fortran
// (libpure_mpifort.a), and not a part of the library: an image compares addresses with its own constants. For programs
// that were compiled with another MPI it is a door beside that for C (api/foreign), compiled with that MPI's mpi.h.
// Generated functions (write_fortran_side.py) are made of what is here. Freestanding: programs in Fortran are linked
// without the library of C++. Any thread that may call MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "api/fortran/names.hpp"

namespace pure::fortran {

/// A default INTEGER or LOGICAL.
using integer = MPI_Fint;

/// mpi_f08 leaves ierror away.
inline void give_error(integer* ierror, int result) {
  if (ierror != nullptr) *ierror = result;
}
/// An error of this side.
void raise(const char* function, int error_class, const char* text, integer* ierror);
[[noreturn]] void end_without_memory();

/// A procedure of the program, whatever its arguments.
using any_procedure = void (*)();

/// Whether a key of MPI's own has the address of an int as its value in C (MPI 5.0, 9.1.2, 12.2.6).
inline bool has_number_as_value(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL: return true;
    default: return false;
  }
}

}  // namespace pure::fortran

// Constants, handles and errors.
#ifdef PURE_FORTRAN_OF_DOOR
#include "api/fortran/of_door.hpp"
#else
#include "api/fortran/of_standard_abi.hpp"
#endif

namespace pure::fortran {

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

template <class Handle>
void give(Handle made, integer* to) {
  if (made != none<Handle>) *to = number_of(made);
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
    for (std::int64_t i = 0; i < count; ++i) room_.all()[i] = none<Handle>;
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
