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
  const char* in_place;
  const char *send_counts, *send_displs, *send_types;
  const char *recv_counts, *recv_displs, *recv_types;
  const char* displs;  // of a call with one list of them
  const char *type, *send_type, *recv_type;
};

/// A datatype as a program names it.
struct given_type {
  element_row row;         // of no bytes: the door has to look what the type is
  std::uint64_t name = 0;  // as the door knows it
};

class collective_door {
 public:
  constexpr collective_door(const collective_argument_names& their_names, const void* in_place) noexcept
      : names(their_names), in_place_(in_place) {}
  collective_door(const collective_door&) = delete;
  collective_door& operator=(const collective_door&) = delete;

  const collective_argument_names names;

  /// Whether it is the address that says "in place".
  [[nodiscard]] bool is_in_place(const void* buffer) const noexcept { return buffer == in_place_; }

  /// Throws type. `argument`: its name; `at`: which one of an array of types, or -1.
  [[nodiscard]] virtual const datatype& type_of(const communicator& on, const call& by, std::uint64_t type,
                                                const char* argument, int at) const = 0;
  /// The type for a rank in an array of the program.
  [[nodiscard]] virtual given_type type_at(const void* types, int rank) const noexcept = 0;
  /// True: `found` combines elements in a row; else the operator is a program's, and `made` has its function, its
  /// caller and the type. Throws op.
  [[nodiscard]] virtual bool find_reduction(const communicator& on, const call& by, std::uint64_t op,
                                            const given_type& type, detail::reduction& found,
                                            program_combination& made) const = 0;

 protected:
  ~collective_door() = default;

 private:
  const void* const in_place_;
};

}  // namespace pure::core
