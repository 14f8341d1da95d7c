#include "api/mpi/types.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <vector>

#include "objects/datatype_constructors.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

/// Of `bytes` bytes that no type of pure.h has.
datatype other_type(std::size_t bytes, std::size_t alignment, unsigned kind) {
  return {layout(bytes, alignment), 0, type_signature::of(kind, bytes)};  // its code: all_predefined()
}

/// Two elements of a struct, of which only the bytes of the elements travel.
datatype pair_type(const datatype& value, const datatype& index) {
  const auto second = static_cast<std::ptrdiff_t>(value.form->bytes());  // every index is aligned there
  const layout::part both[] = {{0, value.form.get()}, {second, index.form.get()}};
  const type_signature::part elements[] = {{1, value.signature}, {1, index.signature}};
  return {layout::joined(both), 0, type_signature::joined(elements)};
}

datatype pair_with_int(pure_datatype value) { return pair_type(basic_datatype(value), basic_datatype(PURE_INT)); }

datatype made_predefined(std::uintptr_t handle, pure_datatype base) {
  const auto type = type_handle{handle};
  if (type == constants::type_float_int) return pair_with_int(PURE_FLOAT);
  if (type == constants::type_double_int) return pair_with_int(PURE_DOUBLE);
  if (type == constants::type_long_int) return pair_with_int(PURE_LONG);
  if (type == constants::type_2int || type == constants::type_2integer) return pair_with_int(PURE_INT);
  if (type == constants::type_long_double_int) return pair_with_int(PURE_LONG_DOUBLE);
  if (type == constants::type_short_int) {
    struct in_memory {
      short value;
      int index;
    };
    const layout::part both[] = {{0, basic_datatype(PURE_SHORT).form.get()},
                                 {offsetof(in_memory, index), basic_datatype(PURE_INT).form.get()}};
    const type_signature::part elements[] = {{1, basic_datatype(PURE_SHORT).signature},
                                             {1, basic_datatype(PURE_INT).signature}};
    return {layout::joined(both), 0, type_signature::joined(elements)};
  }
  if (type == constants::type_2real) return pair_type(basic_datatype(PURE_FLOAT), basic_datatype(PURE_FLOAT));
  if (type == constants::type_2double_precision)
    return pair_type(basic_datatype(PURE_DOUBLE), basic_datatype(PURE_DOUBLE));
  if (type == constants::type_c_long_double_complex || type == constants::type_cxx_long_double_complex)
    return other_type(2 * sizeof(long double), alignof(long double), complex_long_double_element);
  if (type == constants::type_real2) return other_type(2, 2, other_element);
  if (type == constants::type_complex4) return other_type(4, 2, complex_2_element);
  if (type == constants::type_complex32) return other_type(32, 16, complex_16_element);
  if (type == constants::type_real16 || type == constants::type_integer16 || type == constants::type_logical16)
    return other_type(16, 16, other_element);
  return basic_datatype(base);
}

const std::vector<std::unique_ptr<const datatype>>& all_predefined() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const datatype>> made(predefined_types.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (predefined_types[i].name == nullptr) continue;
      const pure_datatype base = predefined_types[i].base;
      auto one = std::make_unique<datatype>(made_predefined(first_type + i, base));
      one->is_committed = true;
      one->code = base == PURE_DATATYPE_NULL ? first_other_code + static_cast<unsigned>(i)
                                             : static_cast<unsigned>(base);
      if (is_pair(base)) one->whole = std::make_shared<const datatype>(basic_datatype(base));
      made[i] = std::move(one);
    }
    return made;
  }();
  return all;
}

/// Made by MPI_Type_create_f90_real and its kin.
bool is_of_fortran(const datatype& type) noexcept {
  return type.contents != nullptr && type.contents->combiner >= type_combiner::f90_real &&
         type.contents->combiner <= type_combiner::f90_integer;
}

[[noreturn]] void throw_bad_type(const call& by, type_handle type, const char* argument) {
  throw_wrong_call(by, errc::type,
                   type == constants::datatype_null
                       ? fmt::format("{} is MPI_DATATYPE_NULL", argument)
                       : fmt::format("{}: {}", argument, why_unknown(rank_here(by), type.value, "datatype")));
}

}  // namespace

const datatype& type_of(const call& by, type_handle type, const char* argument) {
  if (find_predefined(type) != nullptr) return *all_predefined()[type.value - first_type];
  const datatype* const made = rank_objects::of(rank_here(by)).types.find(core_handle(type));
  if (made == nullptr) throw_bad_type(by, type, argument);
  return *made;
}

const datatype& committed_type_of(const call& by, type_handle type, const char* argument) {
  const datatype& found = type_of(by, type, argument);
  if (!found.is_committed)
    throw_wrong_call(by, errc::type, fmt::format("{} has not been committed: see MPI_Type_commit", argument));
  return found;
}

datatype& made_type_of(const call& by, type_handle type, const char* argument) {
  if (const predefined_type* const known = find_predefined(type); known != nullptr)
    throw_wrong_call(by, errc::type, fmt::format("{} is {}, which is predefined", argument, known->name));
  datatype* const made = rank_objects::of(rank_here(by)).types.find(core_handle(type));
  if (made == nullptr) throw_bad_type(by, type, argument);
  if (is_of_fortran(*made)) throw_wrong_call(by, errc::type, fmt::format("{} is predefined, for Fortran", argument));
  return *made;
}

pure_datatype base_of_derived(type_handle type) noexcept {
  const rank_context* const rank = rank_or_null();
  const datatype* const made = rank == nullptr ? nullptr : rank_objects::of(*rank).types.find(core_handle(type));
  return made == nullptr || !is_of_fortran(*made) ? PURE_DATATYPE_NULL : made->element();
}

type_handle predefined_of(type_handle type) noexcept {
  if (find_predefined(type) != nullptr) return type;
  const rank_context* const rank = rank_or_null();
  const datatype* const made = rank == nullptr ? nullptr : rank_objects::of(*rank).types.find(core_handle(type));
  if (made == nullptr || !is_of_fortran(*made)) return constants::datatype_null;
  if (made->code >= first_other_code) return predefined_with(made->code);
  for (std::size_t i = 0; i < predefined_types.size(); ++i) {
    if (predefined_types[i].name != nullptr && static_cast<unsigned>(predefined_types[i].base) == made->code)
      return name_of_object<type_handle>(first_type + i);
  }
  return constants::datatype_null;
}

placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                         type_handle type, const char* argument) {
  return core::placed_at(comm, by, buf, count, committed_type_of(by, type, argument));
}

unsigned code_of_derived(type_handle type) noexcept {
  const rank_context* const rank = rank_or_null();
  const datatype* const made = rank == nullptr ? nullptr : rank_objects::of(*rank).types.find(core_handle(type));
  return made == nullptr || made->code >= first_other_code || is_pair(static_cast<pure_datatype>(made->code))
             ? 0  // a pair matches its two elements
             : made->code;
}

}  // namespace pure::core::mpi
