// The library side of the typed collectives (pure/detail/collective_call.hpp, pure/detail/operators.hpp).
#include <pure/detail/collective_call.hpp>
#include <pure/detail/operators.hpp>

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/cpp/door.hpp"
#include "base/basic_types.hpp"
#include "coll/operators.hpp"
#include "coll/refused_calls.hpp"
#include "comm/point_to_point.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

namespace {

/// Of a collective that is called so.
[[noreturn]] void throw_refused(communicator& on, const call& by, errc code, const std::string& text) {
  check_owner(on, by);
  const bool is_persistent = std::string_view(by.operation).ends_with("_init");
  core::counting_refusals(on, by, is_persistent ? core::refused_form::persistent : core::refused_form::at_once,
                          [&] { core::throw_bad_argument(on, by, code, text); });
  std::abort();  // it has thrown
}

[[noreturn]] void throw_count(communicator& on, const char* operation, pure_call_site site, const std::string& text) {
  throw_refused(on, {operation, site}, errc::count, text);
}

}  // namespace

static_assert(sizeof(value_index<double>) == 16 && sizeof(value_index<short>) == 8, "the pairs of pure.h");

bool pure_cxx_find_built_in(pure_op op, pure_datatype type, reduction* found) noexcept {
  return core::find_reduction(op, type, *found);
}

namespace {

[[noreturn]] void refuse_size(communicator& on, const char* operation, pure_call_site site, const char* what,
                              std::size_t has, std::size_t needs) {
  throw_count(on, operation, site, fmt::format("{} has {} elements, where {} are needed", what, has, needs));
}

void check_blocks(communicator& on, const char* operation, pure_call_site site, const char* what, count_list counts,
                  count_list displs, std::size_t elements) {
  const auto ranks = static_cast<std::size_t>(on.size());
  if (counts.size() != ranks) refuse_size(on, operation, site, "the list of counts", counts.size(), ranks);
  if (!displs.empty() && displs.size() != ranks) {
    refuse_size(on, operation, site, "the list of displs", displs.size(), ranks);
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

}  // namespace

failure* pure_cxx_wrong_size(communicator* on, const char* operation, pure_call_site site, const char* what,
                             std::size_t has, std::size_t needs) {
  return at_boundary([&] { refuse_size(*on, operation, site, what, has, needs); });
}

failure* pure_cxx_uneven(communicator* on, const char* operation, pure_call_site site, std::size_t elements) {
  return at_boundary([&] {
    throw_count(*on, operation, site,
                fmt::format("{} elements cannot be parted evenly among {} ranks: the v-variant, or the form with "
                            "counts, makes parts of any size",
                            elements, on->size()));
  });
}

failure* pure_cxx_in_place(communicator* on, const char* operation, pure_call_site site, int root) {
  return at_boundary([&] {
    throw_refused(*on, {operation, site}, errc::buffer,
                  fmt::format("pure::in_place is for the root only, which is rank {}", root));
  });
}

failure* pure_cxx_require_blocks(communicator* on, const char* operation, pure_call_site site, const char* what,
                                 const std::int64_t* counts, std::size_t counts_size, const std::int64_t* displs,
                                 std::size_t displs_size, std::size_t elements) {
  return at_boundary([&] {
    check_blocks(*on, operation, site, what, {counts, counts_size}, {displs, displs_size}, elements);
  });
}

}  // namespace pure::detail
