// Arguments of any type and shape as mpi_f08 hands them over: descriptors (ISO_Fortran_binding.h, F2018 18.5), read at
// the places where all compilers have the same. What lies in a row is its address. Else it is a section, which MPI gets
// as
//
//     a datatype     messages, files, windows: made of the program's predefined type, freed when the call returns
//     a copy         what a datatype cannot say: collectives, derived types. Back when the call returns, or when a call
//                    of this side completes the request (kept.hpp).
//
// Any thread; an object belongs to one call.
#pragma once

#include "api/fortran/side.hpp"

namespace pure::fortran {

struct descriptor {
  struct dimension {
    std::ptrdiff_t lower_bound, extent, stride;  // extent -1: of an assumed size; stride in bytes
  };
  void* base;
  std::size_t element_bytes;
  int version;
  std::uint8_t rank;
  std::uint8_t own[3];  // type and attribute: each compiler's
  dimension of[15];
};
static_assert(offsetof(descriptor, rank) == 20 && offsetof(descriptor, of) == 24);

#ifdef PURE_FORTRAN_OF_DOOR
/// Procedures of MPICH's module are not bound to C: gfortran hands over descriptors of its own (GCC's libgfortran.h).
struct passed_descriptor {
  struct dimension {
    std::ptrdiff_t stride, lower_bound, upper_bound;  // stride in `span` bytes
  };
  void* base;
  std::size_t offset;
  std::size_t element_bytes;
  int version;
  std::uint8_t rank, type;
  std::int16_t attribute;
  std::ptrdiff_t span;
  dimension of[15];
};
static_assert(offsetof(passed_descriptor, rank) == 28 && offsetof(passed_descriptor, of) == 40);

class read_descriptor {
 public:
  explicit read_descriptor(const passed_descriptor* given) {
    it_.base = given->base;
    it_.element_bytes = given->element_bytes;
    it_.rank = given->rank;
    const std::ptrdiff_t span = given->span != 0 ? given->span : static_cast<std::ptrdiff_t>(given->element_bytes);
    for (int i = 0; i < given->rank; ++i) {
      const passed_descriptor::dimension& its = given->of[i];
      const bool has_end = i + 1 < given->rank || its.upper_bound >= its.lower_bound - 1;  // else of an assumed size
      it_.of[i] = {its.lower_bound, has_end ? its.upper_bound - its.lower_bound + 1 : -1, its.stride * span};
      if (has_end && it_.of[i].extent < 0) it_.of[i].extent = 0;
    }
  }
  operator const descriptor*() const { return &it_; }  // NOLINT: as a pointer
  const descriptor* operator->() const { return &it_; }

 private:
  descriptor it_;
};
#else
using passed_descriptor = descriptor;

class read_descriptor {
 public:
  explicit read_descriptor(const passed_descriptor* given) : it_(given) {}
  operator const descriptor*() const { return it_; }  // NOLINT: as a pointer
  const descriptor* operator->() const { return it_; }

 private:
  const descriptor* it_;
};
#endif

inline bool lies_in_a_row(const descriptor& array) {
  auto expected = static_cast<std::ptrdiff_t>(array.element_bytes);
  for (int i = 0; i < array.rank; ++i) {
    const descriptor::dimension& its = array.of[i];
    if (its.stride != expected && its.extent > 1) return false;
    if (its.extent < 0) return its.stride == expected;  // the last one
    expected *= its.extent;
  }
  return true;
}

/// A copy of a section, in the order of its elements. Only bytes that MPI has changed come back: all others are the
/// program's, also while a request is pending. So there is a second copy, of what was there before.
struct section_copy {
  descriptor section;
  std::size_t bytes;
  char* memory;
  char* before;  // behind it, in the same memory from malloc; null: MPI does not write the section

  void make(const descriptor& of, bool is_written);
  void read() const;        // from the section
  void write_back() const;  // into the section
};

class copied_section {
 public:
  copied_section(const descriptor* given, bool is_written) : base_(address_of(given->base)) {
    if (!lies_in_a_row(*given)) [[unlikely]]
      make(*given, is_written);
  }
  [[nodiscard]] void* base() const { return base_; }
  /// A blocking call has returned.
  void give_back() {
    if (copy_.memory != nullptr) [[unlikely]]
      end();
  }
  /// One that has made a request has.
  void keep(int result, MPI_Request request) {
    if (copy_.memory != nullptr) [[unlikely]]
      keep_with(result, request);
  }

 protected:
  copied_section() = default;
  void make(const descriptor& given, bool is_written);

 private:
  void end();
  void keep_with(int result, MPI_Request request);

  void* base_ = nullptr;
  section_copy copy_ = {};
};

class typed_section : public copied_section {
 public:
  /// `can_be_copied`: the call completes when it returns, or has a request.
  typed_section(const descriptor* given, MPI_Count count, MPI_Datatype type, bool is_written, bool can_be_copied)
      : count_(count), type_(type) {
    if (lies_in_a_row(*given)) [[likely]]
      base_ = address_of(given->base);
    else
      describe(*given, is_written, can_be_copied);
  }
  typed_section(const typed_section&) = delete;
  typed_section& operator=(const typed_section&) = delete;
  ~typed_section() {
    if (is_made_) [[unlikely]]
      MPI_Type_free(&type_);
  }
  /// False: it cannot be handed over, and that was raised.
  bool is_right(const char* function, integer* ierror) const {
    if (wrong_ == nullptr) [[likely]]
      return true;
    raise(function, wrong_class_, wrong_, ierror);
    return false;
  }
  [[nodiscard]] void* base() const { return base_ != nullptr ? base_ : copied_section::base(); }
  [[nodiscard]] int count_of_int() const { return static_cast<int>(count_); }
  [[nodiscard]] MPI_Count count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  void describe(const descriptor& given, bool is_written, bool can_be_copied);

  void* base_ = nullptr;
  MPI_Count count_;
  MPI_Datatype type_;
  bool is_made_ = false;
  const char* wrong_ = nullptr;
  int wrong_class_ = MPI_SUCCESS;
};

/// A buffer that has to lie in a row does not, and that was raised.
bool is_refused_section(const descriptor* given, const char* function, integer* ierror);

}  // namespace pure::fortran
