#include "api/c/collective.hpp"

#include <fmt/core.h>

#include "api/c/operators.hpp"
#include "api/c/types.hpp"

namespace pure::core {

namespace {

class c_collective_door final : public collective_door {
 public:
  c_collective_door() noexcept
      : collective_door({.in_place = "PURE_IN_PLACE",
                         .displs = "displs",
                         .type = "type",
                         .sent = {"send_counts", "send_displs", "send_type", "send_types"},
                         .received = {"recv_counts", "recv_displs", "recv_type", "recv_types"}},
                        PURE_IN_PLACE) {}

  [[nodiscard]] const datatype& type_of(const communicator& on, const call& by, std::uint64_t type,
                                        const char* argument, int at) const override {
    const auto name = static_cast<pure_datatype>(type);
    const datatype* const found = find_datatype(on.owner(), name);
    if (found == nullptr) throw_bad_type(on, by, name, at < 0 ? argument : fmt::format("{}[{}]", argument, at));
    return *found;
  }

  [[nodiscard]] given_type type_at(const void* types, int rank) const noexcept override {
    return given(static_cast<const pure_datatype*>(types)[rank]);
  }

  [[nodiscard]] bool find_reduction(const communicator& on, const call& by, std::uint64_t op, const given_type& type,
                                    detail::reduction& found) const override {
    if (type.row.bytes == 0) return false;
    set_reduction(on, by, static_cast<pure_op>(op), static_cast<pure_datatype>(type.name), found);
    return true;
  }

  [[nodiscard]] program_combination combination_of(const communicator& on, const call& by, std::uint64_t op,
                                                   const given_type& type) const override {
    const auto name = static_cast<pure_op>(op);
    if (is_built_in(name)) {
      throw_bad_argument(on, by, errc::op,
                         fmt::format("{} is not defined for derived types; make an operator with pure_op_create",
                                     name_of_operator(name)));
    }
    const program_operator* const own = rank_objects::of(on.owner()).operators.find(name);
    if (own == nullptr) throw_bad_operator(on, by, name);
    return own->on_derived(type.name);
  }
};

const c_collective_door door;

}  // namespace

const collective_door& c_collectives() noexcept { return door; }

}  // namespace pure::core
