// pure.h, operators: made and freed; and the sum that is rounded once.
#include <pure.h>

#include <fmt/core.h>

#include <memory>

#include "api/c/door.hpp"
#include "api/c/operators.hpp"
#include "api/c/types.hpp"
#include "coll/operators.hpp"
#include "coll/refused_calls.hpp"
#include "objects/collective_call.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// A function of pure_op_create.
class c_operator final : public program_operator {
 public:
  explicit c_operator(pure_user_function function) noexcept : function_(function), by_(function) {}
  [[nodiscard]] pure::detail::reduction on(pure_datatype type) const noexcept override { return by_.on(type); }
  [[nodiscard]] program_combination on_derived(std::uint64_t type) const noexcept override {
    program_combination made;
    made.function = reinterpret_cast<program_combination::any_function>(function_);
    made.call_door = [](const program_combination& how, const void* in, void* inout, std::int64_t count) {
      reinterpret_cast<pure_user_function>(how.function)(in, inout, count, static_cast<pure_datatype>(how.type));
    };
    made.type = type;
    return made;
  }

 private:
  const pure_user_function function_;
  const user_operator by_;
};

std::unique_ptr<const program_operator> make_operator(operator_table::any_function function,
                                                      operator_table::any_function) {
  return std::make_unique<c_operator>(reinterpret_cast<pure_user_function>(function));
}

}  // namespace

int pure_op_create(pure_user_function function, bool /*commutes*/, pure_op* op, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, reinterpret_cast<const void*>(function), "function");
    require(world, by, op, "op");
    const auto any = reinterpret_cast<operator_table::any_function>(function);
    *op = static_cast<pure_op>(rank_objects::of(world.owner()).operators.add(any, make_operator));
  });
}

int pure_op_free(pure_op* op, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, op, "op");
    if (is_built_in(*op)) throw_bad_argument(world, by, errc::op, "built-in operators cannot be freed");
    operator_table& operators = rank_objects::of(world.owner()).operators;
    if (operators.find(*op) == nullptr) throw_bad_operator(world, by, *op);
    operators.free(*op);
    *op = PURE_OP_NULL;
  });
}

namespace {

/// The elements, after a look at all arguments.
const void* to_sum(const communicator& on, const call& by, const void* elements, std::int64_t count, pure_datatype type,
                   const void* result) {
  require(on, by, result, "result");
  const std::size_t bytes = bytes_of(on, by, count, element_bytes_of(on, by, type));
  if (type != PURE_FLOAT && type != PURE_DOUBLE) {
    throw_bad_argument(
        on, by, errc::type,
        fmt::format("{} is not summed reproducibly, only PURE_FLOAT and PURE_DOUBLE are", type_name(type)));
  }
  if (elements == PURE_IN_PLACE) {
    throw_bad_argument(on, by, errc::buffer, "PURE_IN_PLACE has no meaning here: the result is not among the elements");
  }
  return non_null_data(on, by, elements, bytes);
}

template <class T>
void sum_reproducibly(communicator& on, const call& by, const void* elements, std::int64_t count, void* result) {
  *static_cast<T*>(result) = pure::detail::reproducible_sum(
      on, by.operation, spelled_out(by.site), static_cast<const T*>(elements), static_cast<std::size_t>(count));
}

}  // namespace

int pure_reproducible_sum(const void* elements, std::int64_t count, pure_datatype type, void* result, pure_comm comm,
                          pure_call_site site) {
  return c_call(site, comm, [&](communicator& on, const call& by) {
    const void* const from = counting_refusals(on, by, refused_form::at_once,
                                               [&] { return to_sum(on, by, elements, count, type, result); });
    if (type == PURE_FLOAT) return sum_reproducibly<float>(on, by, from, count, result);
    sum_reproducibly<double>(on, by, from, count, result);
  });
}
