#include "api/c/collective.hpp"

#include <fmt/core.h>

#include "objects/described_collective_definitions.hpp"

namespace pure::core {

const datatype& c_any_words::type_of(const communicator& on, const call& by, pure_datatype type, const char* argument,
                                     int at) {
  const datatype* const found = find_datatype(on.owner(), type);
  if (found == nullptr) throw_bad_type(on, by, type, at < 0 ? argument : fmt::format("{}[{}]", argument, at));
  return *found;
}

bool c_any_words::find_reduction(const communicator& on, const call& by, pure_op op, pure_datatype type,
                                 detail::reduction& found, program_combination& made) {
  if (!may_be_derived(type)) {
    found = reduction_of(on, by, op, type);
    return true;
  }
  if (is_built_in(op)) {
    throw_bad_argument(
        on, by, errc::op,
        fmt::format("{} is not defined for derived types; make an operator with pure_op_create", name_of_operator(op)));
  }
  const program_operator* const own = rank_objects::of(on.owner()).operators.find(op);
  if (own == nullptr) throw_bad_operator(on, by, op);
  made = own->on_derived(static_cast<std::uint64_t>(type));
  return false;
}

template class collective_call<c_words>;
template class described_collective<c_any_words>;

}  // namespace pure::core
