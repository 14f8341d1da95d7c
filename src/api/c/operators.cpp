#include "api/c/operators.hpp"

#include <fmt/core.h>

#include <array>

#include "api/c/door.hpp"

namespace pure::core {

namespace {

constexpr std::array op_names{"PURE_OP_NULL", "PURE_SUM",    "PURE_PROD",   "PURE_MIN",     "PURE_MAX",
                              "PURE_LAND",    "PURE_LOR",    "PURE_LXOR",   "PURE_BAND",    "PURE_BOR",
                              "PURE_BXOR",    "PURE_MINLOC", "PURE_MAXLOC", "PURE_REPLACE", "PURE_NO_OP"};
static_assert(op_names.size() == PURE_NO_OP + 1);

constexpr std::array type_names{"PURE_DATATYPE_NULL",
                                "PURE_BYTE",
                                "PURE_CHAR",
                                "PURE_SIGNED_CHAR",
                                "PURE_UNSIGNED_CHAR",
                                "PURE_WCHAR",
                                "PURE_SHORT",
                                "PURE_UNSIGNED_SHORT",
                                "PURE_INT",
                                "PURE_UNSIGNED",
                                "PURE_LONG",
                                "PURE_UNSIGNED_LONG",
                                "PURE_LONG_LONG",
                                "PURE_UNSIGNED_LONG_LONG",
                                "PURE_FLOAT",
                                "PURE_DOUBLE",
                                "PURE_LONG_DOUBLE",
                                "PURE_BOOL",
                                "PURE_INT8_T",
                                "PURE_INT16_T",
                                "PURE_INT32_T",
                                "PURE_INT64_T",
                                "PURE_UINT8_T",
                                "PURE_UINT16_T",
                                "PURE_UINT32_T",
                                "PURE_UINT64_T",
                                "PURE_COMPLEX_FLOAT",
                                "PURE_COMPLEX_DOUBLE",
                                "PURE_SIZE_T",
                                "PURE_FLOAT_INT",
                                "PURE_DOUBLE_INT",
                                "PURE_LONG_INT",
                                "PURE_2INT",
                                "PURE_SHORT_INT",
                                "PURE_LONG_DOUBLE_INT"};
static_assert(type_names.size() == PURE_LONG_DOUBLE_INT + 1);

}  // namespace

const char* type_name(pure_datatype type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

pure_op operator_table::add(pure_user_function function) {
  const user_operator& combined_by = by_function_.try_emplace(function, function).first->second;
  return static_cast<pure_op>(made_.make(&combined_by).name.value);
}

const user_operator* operator_table::find(pure_op op) noexcept {
  const handle key{static_cast<std::uint64_t>(op)};
  if (key.kind() != handle_kind::reduction || key.rank() != rank_) return nullptr;
  const user_operator* const* const entry = made_.find(key);
  return entry == nullptr ? nullptr : *entry;
}

void throw_bad_operator(const communicator& on, const call& by, pure_op op) {
  if (op == PURE_REPLACE || op == PURE_NO_OP) {
    throw_bad_argument(on, by, errc::op, fmt::format("{} is for operations on windows only", op_names[op]));
  }
  throw_bad_argument(on, by, errc::op, why_unknown(on.owner(), static_cast<std::uint64_t>(op), "operator"));
}

detail::reduction reduction_of(const communicator& on, const call& by, pure_op op, pure_datatype type) {
  detail::reduction found;  // the only one that is returned, so that it is never copied
  if (is_built_in(op)) [[likely]] {
    if (!find_reduction(op, type, found)) [[unlikely]] {
      throw_bad_argument(
          on, by, errc::op,
          fmt::format("{} is not defined for {}; see MPI 4.1, 6.9.2, or make an operator with pure_op_create",
                      op_names[op], type_name(type)));
    }
  } else {
    const user_operator* const made = c_door_state::of(on.owner()).operators.find(op);
    if (made == nullptr) throw_bad_operator(on, by, op);
    found = made->on(type);
  }
  return found;
}

}  // namespace pure::core
