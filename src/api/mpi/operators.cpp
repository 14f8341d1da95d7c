#include "api/mpi/operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/standard_abi.hpp"
#include "api/mpi/types.hpp"
#include "coll/operators.hpp"
#include "objects/boundary.hpp"
#include "objects/rank_objects.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

struct known_operator {
  op_handle name;
  pure_op op;
  const char* text;
};

constexpr known_operator known_operators[] = {{constants::sum, PURE_SUM, "MPI_SUM"},
                                              {constants::prod, PURE_PROD, "MPI_PROD"},
                                              {constants::min, PURE_MIN, "MPI_MIN"},
                                              {constants::max, PURE_MAX, "MPI_MAX"},
                                              {constants::land, PURE_LAND, "MPI_LAND"},
                                              {constants::lor, PURE_LOR, "MPI_LOR"},
                                              {constants::lxor, PURE_LXOR, "MPI_LXOR"},
                                              {constants::band, PURE_BAND, "MPI_BAND"},
                                              {constants::bor, PURE_BOR, "MPI_BOR"},
                                              {constants::bxor, PURE_BXOR, "MPI_BXOR"},
                                              {constants::minloc, PURE_MINLOC, "MPI_MINLOC"},
                                              {constants::maxloc, PURE_MAXLOC, "MPI_MAXLOC"},
                                              {constants::replace, PURE_REPLACE, "MPI_REPLACE"},
                                              {constants::no_op, PURE_NO_OP, "MPI_NO_OP"}};

/// By the last bits of the handle.
constexpr auto known_by_handle = [] {
  std::array<const known_operator*, 32> all{};
  for (const known_operator& each : known_operators) all[each.name.value - constants::op_null.value] = &each;
  return all;
}();

const known_operator* find_known(op_handle op) noexcept {
  const std::uintptr_t at = op.value - constants::op_null.value;
  return at < known_by_handle.size() ? known_by_handle[at] : nullptr;
}

constexpr bool is_large(function_form form) {
  return form == function_form::c_large || form == function_form::number_large;
}
constexpr bool has_number(function_form form) {
  return form == function_form::number || form == function_form::number_large;
}

/// The datatype as the function gets it; in the thread of the rank that has it.
std::uint64_t name_for(function_form form, program_function::type_namer namer, type_handle type) {
  if (namer != nullptr) return namer(type);
  return has_number(form) ? static_cast<std::uint64_t>(bodies::Type_toint(type)) : type.value;
}

/// As a program_combination::caller.
template <function_form form>
void call_function(const program_combination& how, const void* in, void* inout, std::int64_t count) {
  using name = std::conditional_t<has_number(form), int, MPI_Datatype>;
  using length = std::conditional_t<is_large(form), MPI_Count, int>;
  using function = void(void*, void*, length*, name*);
  constexpr std::int64_t most = std::numeric_limits<length>::max();
  const std::byte* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(inout);
  name named;
  if constexpr (has_number(form))
    named = static_cast<int>(how.type);
  else
    named = program_name<MPI_Datatype>({how.type});
  // What it throws ends the job (objects/boundary.hpp).
  run_callback("the function of MPI_Op_create", [&] {
    while (count > 0) {
      auto now = static_cast<length>(std::min(count, most));
      const auto bytes = static_cast<std::size_t>(now) * how.element_bytes;
      count -= now;
      reinterpret_cast<function*>(how.function)(const_cast<std::byte*>(from), to, &now, &named);
      from += bytes;
      to += bytes;
    }
  });
}

/// An operator of MPI_Op_create, for the other doors.
template <function_form form>
class mpi_operator final : public program_operator {
 public:
  mpi_operator(operator_table::any_function function, program_function::type_namer namer)
      : function_(function), namer_(namer) {
    for (std::size_t i = 0; i < predefined_types.size(); ++i) {
      const predefined_type& known = predefined_types[i];
      if (known.name == nullptr || known.base == PURE_DATATYPE_NULL) continue;
      program_combination& its = of_type_[known.base];
      if (its.type != 0) continue;
      its = on_derived(first_type + i);
      its.element_bytes = type_forms[known.base].bytes;
    }
  }
  [[nodiscard]] detail::reduction on(pure_datatype type) const noexcept override {
    return {
        .combine = program_combination::combine, .context = &of_type_[type], .element_bytes = type_forms[type].bytes};
  }
  [[nodiscard]] program_combination on_derived(std::uint64_t type) const noexcept override {
    program_combination made;
    made.function = function_;
    made.call_door = call_function<form>;
    made.type = name_for(form, namer_, {type});
    return made;
  }

 private:
  const operator_table::any_function function_;
  const program_function::type_namer namer_;
  std::array<program_combination, PURE_LONG_DOUBLE_INT + 1> of_type_;
};

template <function_form form>
std::unique_ptr<const program_operator> new_operator(operator_table::any_function function,
                                                     operator_table::any_function names) {
  return std::make_unique<mpi_operator<form>>(function, reinterpret_cast<program_function::type_namer>(names));
}

/// Calls `each`, a template of forms.
template <class Each>
auto for_form(function_form form, const Each& each) {
  switch (form) {
    case function_form::c: return each.template operator()<function_form::c>();
    case function_form::c_large: return each.template operator()<function_form::c_large>();
    case function_form::number: return each.template operator()<function_form::number>();
    case function_form::number_large: break;
  }
  return each.template operator()<function_form::number_large>();
}

}  // namespace

const char* name_of_operator(op_handle op) noexcept {
  const known_operator* const known = find_known(op);
  return known == nullptr ? "an operator" : known->text;
}

pure_op built_in_operator(op_handle op) noexcept {
  const known_operator* const known = find_known(op);
  return known == nullptr ? PURE_OP_NULL : known->op;
}

program_combination combination_of(const given_operator& given, type_handle type) {
  program_combination made;
  made.function = given.function.address();
  made.call_door = for_form(given.function.form(),
                            []<function_form form>() -> program_combination::caller { return call_function<form>; });
  made.type = name_for(given.function.form(), given.function.namer(), type);
  return made;
}

given_operator operator_of(const call& by, op_handle op) {
  if (const known_operator* const known = find_known(op); known != nullptr) return {.built_in = known->op};
  rank_context& rank = rank_here(by);
  const auto& all = door_state::of(rank).operators;
  const auto found = all.find(core_handle(op));
  if (found == all.end()) {
    throw_wrong_call(by, errc::op,
                     op == constants::op_null ? std::string("the operator is MPI_OP_NULL")
                                              : why_unknown(rank, op.value, "operator"));
  }
  return {PURE_OP_NULL, found->second.function};
}

void set_built_in_reduction(const call& by, op_handle op, pure_op built_in, type_handle type,
                            detail::reduction& found) {
  if (built_in == PURE_REPLACE || built_in == PURE_NO_OP)
    throw_wrong_call(by, errc::op, fmt::format("{} is for windows only", name_of_operator(op)));
  const pure_datatype base = base_of(type);
  const type_handle predefined = predefined_of(type);
  if (predefined == constants::datatype_null)
    throw_wrong_call(by, errc::op, fmt::format("{} is not defined for derived datatypes", name_of_operator(op)));
  const bool is_found = base == PURE_DATATYPE_NULL
                            ? find_other_reduction(built_in, predefined, type_of(by, type, "datatype").form->bytes(),
                                                   found)
                            : find_reduction(built_in, base, found) || find_reduction(built_in, as_number(base), found);
  if (!is_found) {
    throw_wrong_call(by, errc::op,
                     fmt::format("{} is not defined for {}", name_of_operator(op), find_predefined(predefined)->name));
  }
}

// ---- made and freed ----

op_handle make_operator(const call& by, const program_function& function, bool commutes) {
  check_pointer(by, reinterpret_cast<const void*>(function.address()), constants::err_arg, "user_fn");
  rank_context& rank = rank_here(by);
  const std::uint64_t made = rank_objects::of(rank).operators.add(
      function.address(),
      for_form(function.form(), []<function_form its>() -> operator_table::maker { return new_operator<its>; }),
      reinterpret_cast<operator_table::any_function>(function.namer()));
  door_state::of(rank).operators[made] = {function, commutes};
  return name_of_object<op_handle>(made);
}

void bodies::Op_create(const call& by, program_function user_fn, int commute, op_handle* op) {
  *op = make_operator(by, user_fn, commute != 0);
}

void bodies::Op_free(const call& by, op_handle* op) {
  if (operator_of(by, *op).built_in != PURE_OP_NULL)
    throw_wrong_call(by, errc::op, fmt::format("{} is predefined", name_of_operator(*op)));
  rank_context& rank = rank_here(by);
  rank_objects::of(rank).operators.free(core_handle(*op));
  door_state::of(rank).operators.erase(core_handle(*op));
  *op = constants::op_null;
}

void bodies::Op_commutative(const call& by, op_handle op, int* commute) {
  const given_operator given = operator_of(by, op);
  *commute = given.built_in != PURE_OP_NULL ? given.built_in != PURE_REPLACE && given.built_in != PURE_NO_OP
                                            : door_state::of(rank_here(by)).operators.at(core_handle(op)).commutes;
}

void bodies::Reduce_local(const call& by, const void* inbuf, void* inoutbuf, MPI_Count count, type_handle datatype,
                          op_handle op) {
  const given_operator given = operator_of(by, op);
  const core::datatype& type = committed_type_of(by, datatype, "datatype");
  if (inbuf == constants::in_place || inoutbuf == constants::in_place)
    throw_wrong_call(by, errc::buffer, "MPI_IN_PLACE has no meaning here");
  communicator& world = world_of(by);
  const placed_message in = core::placed_at(world, by, inbuf, count, type);
  const placed_message inout = core::placed_at(world, by, inoutbuf, count, type);
  if (in.bytes > 0 && in.base == inout.base) throw_wrong_call(by, errc::buffer, "inbuf and inoutbuf are the same");
  if (given.built_in != PURE_OP_NULL) {
    detail::reduction how;
    set_built_in_reduction(by, op, given.built_in, datatype, how);
    if (count > 0) how.combine(how.context, inbuf, inoutbuf, inoutbuf, static_cast<std::size_t>(count));
  } else if (in.bytes > 0) {
    program_combination how = combination_of(given, datatype);
    how.element_bytes = static_cast<std::size_t>(type.form->extent());
    how.call_door(how, in.base, inout.base, count);
  }
}

}  // namespace pure::core::mpi
