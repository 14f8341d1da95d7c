#include "api/c/operators.hpp"

#include <fmt/core.h>

#include <array>

#include "api/c/door.hpp"
#include "api/c/types.hpp"
#include "coll/operators.hpp"

namespace pure::core {

namespace {

constexpr std::array op_names{"PURE_OP_NULL", "PURE_SUM",    "PURE_PROD",   "PURE_MIN",     "PURE_MAX",
                              "PURE_LAND",    "PURE_LOR",    "PURE_LXOR",   "PURE_BAND",    "PURE_BOR",
                              "PURE_BXOR",    "PURE_MINLOC", "PURE_MAXLOC", "PURE_REPLACE", "PURE_NO_OP"};
static_assert(op_names.size() == PURE_NO_OP + 1);

}  // namespace

const char* name_of_operator(pure_op op) noexcept { return op_names[op]; }

void throw_bad_operator(const communicator& on, const call& by, pure_op op) {
  if (op == PURE_REPLACE || op == PURE_NO_OP) {
    throw_bad_argument(on, by, errc::op, fmt::format("{} is for operations on windows only", op_names[op]));
  }
  throw_bad_argument(on, by, errc::op, why_unknown(on.owner(), static_cast<std::uint64_t>(op), "operator"));
}

void set_reduction(const communicator& on, const call& by, pure_op op, pure_datatype type, detail::reduction& to) {
  if (!is_built_in(op)) [[unlikely]] {
    const program_operator* const made = rank_objects::of(on.owner()).operators.find(op);
    if (made == nullptr) throw_bad_operator(on, by, op);
    to = made->on(type);
  } else if (!find_reduction(op, type, to)) [[unlikely]] {
    throw_bad_argument(
        on, by, errc::op,
        fmt::format("{} is not defined for {}; see MPI 4.1, 6.9.2, or make an operator with pure_op_create",
                    op_names[op], type_name(type)));
  }
}

}  // namespace pure::core
