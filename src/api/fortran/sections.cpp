#include "api/fortran/sections.hpp"

#include <cstring>

#include "api/fortran/kept.hpp"

namespace pure::fortran {

namespace {

/// A section as runs of bytes: dimensions in whose elements there is no gap belong to the run.
struct runs {
  explicit runs(const descriptor& array) : bytes(static_cast<std::ptrdiff_t>(array.element_bytes)) {
    int i = 0;
    while (i < array.rank && (array.of[i].stride == bytes || array.of[i].extent == 1)) bytes *= array.of[i++].extent;
    for (; i < array.rank; ++i) {
      if (array.of[i].extent == 1) continue;
      extent[dimensions] = array.of[i].extent;
      stride[dimensions++] = array.of[i].stride;
    }
  }
  /// How many there are in the first `of` dimensions.
  [[nodiscard]] std::ptrdiff_t count(int of) const {
    std::ptrdiff_t all = 1;
    for (int i = 0; i < of; ++i) all *= extent[i];
    return all;
  }

  std::ptrdiff_t bytes;
  int dimensions = 0;
  std::ptrdiff_t extent[15] = {}, stride[15] = {};
};

template <class Each>
void for_each_run(const descriptor& array, const Each& each) {
  const runs all(array);
  std::ptrdiff_t at[15] = {};
  for (std::ptrdiff_t left = all.count(all.dimensions); left > 0; --left) {
    std::ptrdiff_t offset = 0;
    for (int i = 0; i < all.dimensions; ++i) offset += at[i] * all.stride[i];
    each(static_cast<char*>(array.base) + offset, static_cast<std::size_t>(all.bytes));
    for (int i = 0; i < all.dimensions && ++at[i] == all.extent[i]; ++i) at[i] = 0;
  }
}

bool is_empty(const descriptor& array) {
  for (int i = 0; i < array.rank; ++i) {
    if (array.of[i].extent == 0) return true;
  }
  return false;
}

/// Makes the datatype of a section's first bytes.
class section_type {
 public:
  section_type(const runs& of, MPI_Datatype element, std::ptrdiff_t element_bytes)
      : of_(of), element_(element), elements_in_run_(of.bytes / element_bytes) {}

  /// MPI_DATATYPE_NULL: MPI has refused.
  MPI_Datatype first(std::ptrdiff_t elements) {
    pieces_ = 0;
    add_runs(of_.dimensions, elements / elements_in_run_, 0);
    if (elements % elements_in_run_ > 0)
      add(contiguous(elements % elements_in_run_), place_of_run(elements / elements_in_run_));
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (is_right_ && MPI_Type_create_struct(pieces_, ones_, places_, types_, &made) != MPI_SUCCESS)
      made = MPI_DATATYPE_NULL;
    for (int i = 0; i < pieces_; ++i) MPI_Type_free(&types_[i]);
    if (made != MPI_DATATYPE_NULL && MPI_Type_commit(&made) != MPI_SUCCESS) made = MPI_DATATYPE_NULL;
    return made;
  }

 private:
  /// The first `count` runs of the first `dimensions`: whole slices, and what is left of the next one.
  void add_runs(int dimensions, std::ptrdiff_t count, std::ptrdiff_t place) {
    if (count == 0) return;
    if (dimensions == 0) return add(contiguous(elements_in_run_), place);
    const std::ptrdiff_t in_slice = of_.count(dimensions - 1), slices = count / in_slice;
    const std::ptrdiff_t stride = of_.stride[dimensions - 1];
    if (slices > 0) add(slices_of(dimensions - 1, slices, stride), place);
    add_runs(dimensions - 1, count % in_slice, place + slices * stride);
  }

  MPI_Datatype slices_of(int dimensions, std::ptrdiff_t count, std::ptrdiff_t stride) {
    MPI_Datatype inner = dimensions == 0
                             ? contiguous(elements_in_run_)
                             : slices_of(dimensions - 1, of_.extent[dimensions - 1], of_.stride[dimensions - 1]);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    is_right_ = is_right_ && MPI_Type_create_hvector_c(count, 1, stride, inner, &made) == MPI_SUCCESS;
    if (inner != MPI_DATATYPE_NULL) MPI_Type_free(&inner);
    return made;
  }

  MPI_Datatype contiguous(std::ptrdiff_t count) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    is_right_ = is_right_ && MPI_Type_contiguous_c(count, element_, &made) == MPI_SUCCESS;
    return made;
  }

  [[nodiscard]] std::ptrdiff_t place_of_run(std::ptrdiff_t number) const {
    std::ptrdiff_t place = 0;
    for (int i = 0; i < of_.dimensions; ++i) {
      place += number % of_.extent[i] * of_.stride[i];
      number /= of_.extent[i];
    }
    return place;
  }

  void add(MPI_Datatype type, std::ptrdiff_t place) {
    types_[pieces_] = type;
    places_[pieces_] = place;
    ones_[pieces_++] = 1;
  }

  const runs& of_;
  const MPI_Datatype element_;
  const std::ptrdiff_t elements_in_run_;
  bool is_right_ = true;
  int pieces_ = 0;
  MPI_Datatype types_[17] = {};  // a piece of each dimension, a run, and a part of one
  MPI_Aint places_[17] = {};
  int ones_[17] = {};
};

/// Predefined, also by the precision that the program has asked for: its elements have no gaps.
bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  if (MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return false;
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace

// ---- copies ----

void section_copy::make(const descriptor& of, bool is_written) {
  section = of;
  bytes = of.element_bytes;
  for (int i = 0; i < of.rank; ++i) bytes *= static_cast<std::size_t>(of.of[i].extent);
  memory = static_cast<char*>(std::malloc(bytes > 0 ? 2 * bytes : 1));
  if (memory == nullptr) end_without_memory();
  before = is_written ? memory + bytes : nullptr;
  read();
}

void section_copy::read() const {
  char* to = memory;
  for_each_run(section, [&](char* run, std::size_t length) {
    std::memcpy(to, run, length);
    to += length;
  });
  if (before != nullptr) std::memcpy(before, memory, bytes);
}

void section_copy::write_back() const {
  if (before == nullptr) return;
  std::size_t at = 0;
  for_each_run(section, [&](char* run, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i, ++at) {
      if (memory[at] == before[at]) continue;
      run[i] = before[at] = memory[at];
    }
  });
}

void copied_section::make(const descriptor& given, bool is_written) {
  copy_.make(given, is_written);
  base_ = copy_.memory;
}

void copied_section::end() {
  copy_.write_back();
  std::free(copy_.memory);
  copy_.memory = nullptr;
}

void copied_section::keep_with(int result, MPI_Request request) {
  if (result == MPI_SUCCESS && !is_null(request))
    keep_copy(request, copy_);
  else
    end();
}

// ---- datatypes ----

void typed_section::describe(const descriptor& given, bool is_written, bool can_be_copied) {
  if (is_empty(given) || count_ <= 0) {
    base_ = given.base;
    return;
  }
  MPI_Count size = 0;
  if (MPI_Type_size_c(type_, &size) != MPI_SUCCESS || size <= 0) {
    base_ = given.base;  // the call says what is wrong
    return;
  }
  const runs all(given);
  if (count_ > all.bytes * all.count(all.dimensions) / size) {
    wrong_ = "the array section has fewer elements than the count says";
    wrong_class_ = MPI_ERR_COUNT;
  } else if (is_named(type_) && all.bytes % size == 0) {
    const MPI_Datatype made = section_type(all, type_, size).first(count_);
    if (made == MPI_DATATYPE_NULL) {
      wrong_ = "no datatype can be made for the array section";
      wrong_class_ = MPI_ERR_TYPE;
      return;
    }
    base_ = given.base;
    type_ = made;
    is_made_ = true;
    count_ = 1;
  } else if (can_be_copied) {
    make(given, is_written);
  } else {
    wrong_ =
        "an array section with gaps goes with predefined datatypes only here: hand over an array, or a section without gaps";
    wrong_class_ = MPI_ERR_BUFFER;
  }
}

bool is_refused_section(const descriptor* given, const char* function, integer* ierror) {
  if (lies_in_a_row(*given)) return false;
  raise(function, MPI_ERR_BUFFER, "the buffer is an array section with gaps, and has to be without (simply contiguous)",
        ierror);
  return true;
}

}  // namespace pure::fortran
