// A door, as the arguments of collectives see it (objects/collective_call.hpp): it knows the types and operators that
// its programs name, and has names for arguments. Own thread of the rank only.
#pragma once

#include <cstdint>

#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "objects/collective_stage.hpp"
#include "objects/datatype.hpp"
#include "objects/program_combination.hpp"

namespace pure::core {

/// A door's names for the arguments of its collectives.
struct collective_argument_names {
  struct blocks {
    const char *counts, *displs, *type, *types;
  };
  const char* in_place;
  const char* displs;  // of a call with one list of them
  const char* type;    // of a call with one type
  blocks sent, received;
};

/// A datatype as a program names it.
struct given_type {
  element_row row;         // of no bytes: the door has to look what the type is
  std::uint64_t name = 0;  // as the door knows it
};

class collective_door {
 public:
  constexpr collective_door(const collective_argument_names& their_names, const void* in_place) noexcept
      : names(their_names),
        sent_alone(with_one_list(names.sent)),
        received_alone(with_one_list(names.received)),
        in_place_(in_place) {}
  collective_door(const collective_door&) = delete;
  collective_door& operator=(const collective_door&) = delete;

  const collective_argument_names names;
  const collective_argument_names::blocks sent_alone, received_alone;  // of a call with one list of displacements

  /// Whether it is the address that says "in place".
  [[nodiscard]] bool is_in_place(const void* buffer) const noexcept { return buffer == in_place_; }

  /// Throws type. `argument`: its name; `at`: which one of an array of types, or -1.
  [[nodiscard]] virtual const datatype& type_of(const communicator& on, const call& by, std::uint64_t type,
                                                const char* argument, int at) const = 0;
  /// The type for a rank in an array of the program.
  [[nodiscard]] virtual given_type type_at(const void* types, int rank) const noexcept = 0;
  /// False: the operator is a program's, for elements that lie anyhow (combination_of). Throws op.
  [[nodiscard]] virtual bool find_reduction(const communicator& on, const call& by, std::uint64_t op,
                                            const given_type& type, detail::reduction& found) const = 0;
  /// The program's function, its caller and the type; nothing of where elements lie. Throws op.
  [[nodiscard]] virtual program_combination combination_of(const communicator& on, const call& by, std::uint64_t op,
                                                           const given_type& type) const = 0;

 protected:
  ~collective_door() = default;

 private:
  [[nodiscard]] constexpr collective_argument_names::blocks with_one_list(
      const collective_argument_names::blocks& of) const noexcept {
    return {of.counts, names.displs, of.type, of.types};
  }

  const void* const in_place_;
};

}  // namespace pure::core
