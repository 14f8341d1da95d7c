// Datatypes by the precision that Fortran programs ask for, and what Fortran's side says of itself (MPI 5.0, 19.1.9 and
// 20.4).
#include <fmt/core.h>

#include <cfloat>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/program_state.hpp"
#include "api/mpi/types.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

struct precision {
  int digits, range;
  type_handle real, complex;
};
/// The kinds of numbers that Fortran has on this machine, the least first. (No kind of 16 bits can be asked for: the
/// standard begins with 32.)
std::span<const precision> known_precisions() noexcept {
  static const precision all[] = {
    {6, 37, constants::type_real4, constants::type_complex8},
    {15, 307, constants::type_real8, constants::type_complex16},
#if LDBL_MANT_DIG == 64
    {18, 4931, constants::type_long_double, constants::type_c_long_double_complex},
#endif
    {33, 4931, constants::type_real16, constants::type_complex32},
  };
  return all;
}

const precision& precision_for(const call& by, int digits, int range) {
  if (digits == constants::undefined && range == constants::undefined)
    throw_wrong_call(by, errc::argument, "neither the precision nor the range is given");
  for (const precision& each : known_precisions()) {
    if ((digits == constants::undefined || digits <= each.digits) &&
        (range == constants::undefined || range <= each.range))
      return each;
  }
  throw_wrong_call(by, errc::argument, fmt::format("no type has {} digits and a range of {}", digits, range));
}

/// One type for one set of arguments, committed; the program cannot free it.
type_handle type_for(const call& by, type_combiner combiner, std::vector<std::int64_t> asked, type_handle same) {
  door_state& state = door_state::of(rank_here(by));
  type_handle& known = state.types_of_fortran[{combiner, asked}];
  if (known == type_handle{}) {
    datatype made = type_of(by, same, "the datatype");
    made.is_committed = true;
    type_contents how;
    how.combiner = combiner;
    how.integers = std::move(asked);
    made.contents = std::make_shared<const type_contents>(std::move(how));
    known = name_of_object<type_handle>(rank_objects::of(rank_here(by)).types.add(std::move(made)));
  }
  return known;
}

}  // namespace

void bodies::Type_create_f90_real(const call& by, int p, int r, type_handle* newtype) {
  *newtype = type_for(by, type_combiner::f90_real, {p, r}, precision_for(by, p, r).real);
}

void bodies::Type_create_f90_complex(const call& by, int p, int r, type_handle* newtype) {
  *newtype = type_for(by, type_combiner::f90_complex, {p, r}, precision_for(by, p, r).complex);
}

void bodies::Type_create_f90_integer(const call& by, int r, type_handle* newtype) {
  struct sized {
    int range;
    type_handle type;
  };
  for (const sized& each : {sized{2, constants::type_integer1},
                            {4, constants::type_integer2},
                            {9, constants::type_integer4},
                            {18, constants::type_integer8},
                            {38, constants::type_integer16}}) {
    if (r > each.range) continue;
    *newtype = type_for(by, type_combiner::f90_integer, {r}, each.type);
    return;
  }
  throw_wrong_call(by, errc::argument, fmt::format("no type of integers has {} digits", r));
}

// ---- what the Fortran side of a program says of itself ----

namespace {

struct said_by_fortran {
  std::mutex lock;
  std::optional<info_object> info;
  int logical_size = 0;  // 0: nothing was said
  std::byte is_true[16] = {}, is_false[16] = {};
};

said_by_fortran& fortran_side() {
  static program_state<said_by_fortran> all;
  return all.here();
}

}  // namespace

void bodies::Abi_set_fortran_info(const call& by, info_object* info) {
  said_by_fortran& all = fortran_side();
  const std::lock_guard guard(all.lock);
  if (all.info) throw_error(by, constants::err_abi, "it was said before");
  all.info = info == nullptr ? info_object() : *info;
}

void bodies::Abi_get_fortran_info(const call& by, info_handle* info) {
  said_by_fortran& all = fortran_side();
  const std::lock_guard guard(all.lock);
  *info = constants::info_null;
  if (all.info) give_info(by, *all.info, info);
}

void bodies::Abi_set_fortran_booleans(const call& by, int logical_size, void* logical_true, void* logical_false) {
  said_by_fortran& all = fortran_side();
  const std::lock_guard guard(all.lock);
  check_pointer(by, logical_true, constants::err_arg, "logical_true");
  check_pointer(by, logical_false, constants::err_arg, "logical_false");
  if (logical_size < 1 || logical_size > 16)
    throw_wrong_call(by, errc::argument, fmt::format("a logical has no {} bytes", logical_size));
  if (all.logical_size != 0) throw_error(by, constants::err_abi, "it was said before");
  all.logical_size = logical_size;
  std::memcpy(all.is_true, logical_true, static_cast<std::size_t>(logical_size));
  std::memcpy(all.is_false, logical_false, static_cast<std::size_t>(logical_size));
}

void bodies::Abi_get_fortran_booleans(const call& by, int logical_size, void* logical_true, void* logical_false,
                                      int* is_set) {
  said_by_fortran& all = fortran_side();
  const std::lock_guard guard(all.lock);
  *is_set = all.logical_size != 0 ? 1 : 0;
  if (all.logical_size == 0) return;
  if (logical_size != all.logical_size)
    throw_wrong_call(by, errc::argument,
                     fmt::format("a logical has {} bytes, and not {}", all.logical_size, logical_size));
  std::memcpy(logical_true, all.is_true, static_cast<std::size_t>(logical_size));
  std::memcpy(logical_false, all.is_false, static_cast<std::size_t>(logical_size));
}

}  // namespace pure::core::mpi
