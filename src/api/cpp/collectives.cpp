// The library side of the typed collectives (pure/detail/collective_call.hpp, pure/detail/operators.hpp).
#include <pure/detail/collective_call.hpp>
#include <pure/detail/operators.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

#include "api/cpp/door.hpp"
#include "base/datatype.hpp"
#include "coll/operators.hpp"
#include "comm/point_to_point.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

namespace {

pure_op public_op(built_in_op op) noexcept {
  switch (op) {
    case built_in_op::none: return PURE_OP_NULL;
    case built_in_op::sum: return PURE_SUM;
    case built_in_op::prod: return PURE_PROD;
    case built_in_op::min: return PURE_MIN;
    case built_in_op::max: return PURE_MAX;
    case built_in_op::land: return PURE_LAND;
    case built_in_op::lor: return PURE_LOR;
    case built_in_op::lxor: return PURE_LXOR;
    case built_in_op::band: return PURE_BAND;
    case built_in_op::bor: return PURE_BOR;
    case built_in_op::bxor: return PURE_BXOR;
    case built_in_op::minloc: return PURE_MINLOC;
    case built_in_op::maxloc: return PURE_MAXLOC;
  }
  return PURE_OP_NULL;
}

pure_datatype public_type(built_in_type type) noexcept {
  switch (type) {
    case built_in_type::none: return PURE_DATATYPE_NULL;
    case built_in_type::boolean: return PURE_BOOL;
    case built_in_type::byte: return PURE_BYTE;
    case built_in_type::int8: return PURE_INT8_T;
    case built_in_type::int16: return PURE_INT16_T;
    case built_in_type::int32: return PURE_INT32_T;
    case built_in_type::int64: return PURE_INT64_T;
    case built_in_type::uint8: return PURE_UINT8_T;
    case built_in_type::uint16: return PURE_UINT16_T;
    case built_in_type::uint32: return PURE_UINT32_T;
    case built_in_type::uint64: return PURE_UINT64_T;
    case built_in_type::single_float: return PURE_FLOAT;
    case built_in_type::double_float: return PURE_DOUBLE;
    case built_in_type::long_double: return PURE_LONG_DOUBLE;
    case built_in_type::complex_float: return PURE_COMPLEX_FLOAT;
    case built_in_type::complex_double: return PURE_COMPLEX_DOUBLE;
    case built_in_type::float_int: return PURE_FLOAT_INT;
    case built_in_type::double_int: return PURE_DOUBLE_INT;
    case built_in_type::long_double_int: return PURE_LONG_DOUBLE_INT;
    case built_in_type::int16_int: return PURE_SHORT_INT;
    case built_in_type::int32_int: return PURE_2INT;
    case built_in_type::int64_int: return PURE_LONG_INT;
  }
  return PURE_DATATYPE_NULL;
}

[[noreturn]] void throw_count(const communicator& on, const char* operation, pure_call_site site,
                              const std::string& text) {
  const call by{operation, site};
  check_owner(on, by);
  core::throw_bad_argument(on, by, errc::count, text);
}

}  // namespace

static_assert(sizeof(value_index<double>) == 16 && sizeof(value_index<short>) == 8, "the pairs of pure.h");

bool find_reduction(built_in_op op, built_in_type type, reduction& found) noexcept {
  return core::find_reduction(public_op(op), public_type(type), found);
}

void throw_wrong_size(communicator& on, const char* operation, pure_call_site site, const char* what, std::size_t has,
                      std::size_t needs) {
  throw_count(on, operation, site, fmt::format("{} has {} elements, where {} are needed", what, has, needs));
}

void throw_uneven(communicator& on, const char* operation, pure_call_site site, std::size_t elements) {
  throw_count(on, operation, site,
              fmt::format("{} elements cannot be parted evenly among {} ranks: the v-variant, or the form with counts, "
                          "makes parts of any size",
                          elements, size_of(on)));
}

void throw_in_place(communicator& on, const char* operation, pure_call_site site, int root) {
  const call by{operation, site};
  check_owner(on, by);
  core::throw_bad_argument(on, by, errc::buffer,
                           fmt::format("pure::in_place is for the root only, which is rank {}", root));
}

void require_blocks(communicator& on, const char* operation, pure_call_site site, const char* what, count_list counts,
                    count_list displs, std::size_t elements) {
  const auto ranks = static_cast<std::size_t>(size_of(on));
  if (counts.size() != ranks) throw_wrong_size(on, operation, site, "the list of counts", counts.size(), ranks);
  if (!displs.empty() && displs.size() != ranks) {
    throw_wrong_size(on, operation, site, "the list of displs", displs.size(), ranks);
  }
  std::int64_t next = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::int64_t first = displs.empty() ? next : displs[r];
    const bool fits = counts[r] >= 0 && first >= 0 && static_cast<std::size_t>(first) <= elements &&
                      static_cast<std::size_t>(counts[r]) <= elements - static_cast<std::size_t>(first);
    if (!fits) {
      throw_count(on, operation, site,
                  fmt::format("the block of rank {}, {} elements from {}, is not inside {}, which has {}", r, counts[r],
                              first, what, elements));
    }
    next = first + counts[r];
  }
}

}  // namespace pure::detail
