// The collectives of pure.h: its words for objects/collective_call.hpp, and the three forms of a call. Own thread of
// the rank only.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <pure/detail/collectives.hpp>

#include "api/c/door.hpp"
#include "api/c/operators.hpp"
#include "api/c/types.hpp"
#include "coll/collective.hpp"
#include "coll/refused_calls.hpp"
#include "objects/collective_call.hpp"
#include "objects/collective_forms.hpp"
#include "objects/described_collective.hpp"

namespace pure::core {

/// What pure.h says in the arguments of a collective.
struct c_words {
  using datatype_name = pure_datatype;
  using operator_name = pure_op;
  static constexpr pure_datatype any_type = PURE_BYTE;
  static constexpr collective_argument_names names{.in_place = "PURE_IN_PLACE",
                                                   .send_counts = "send_counts",
                                                   .send_displs = "send_displs",
                                                   .send_types = "send_types",
                                                   .recv_counts = "recv_counts",
                                                   .recv_displs = "recv_displs",
                                                   .recv_types = "recv_types",
                                                   .displs = "displs",
                                                   .type = "type",
                                                   .send_type = "send_type",
                                                   .recv_type = "recv_type"};

  static bool is_in_place(const void* buffer) noexcept { return buffer == PURE_IN_PLACE; }
  static std::size_t size_of(pure_datatype type) noexcept { return size_of_type(type); }
  static std::size_t element_bytes_of(const communicator& on, const call& by, pure_datatype type) {
    return core::element_bytes_of(on, by, type);
  }
  [[noreturn]] static void throw_bad_type(const communicator& on, const call& by, pure_datatype type,
                                          const std::string& argument) {
    core::throw_bad_type(on, by, type, argument);
  }
  static std::uint32_t identity_of(pure_datatype type) noexcept { return static_cast<std::uint32_t>(type); }
  // The function itself: what a wrapper returns would be copied into the arguments, not made there.
  static constexpr detail::reduction (&reduction_of)(const communicator&, const call&, pure_op,
                                                     pure_datatype) = core::reduction_of;
};

/// The same for objects/described_collective.hpp: of types that the rank has made, too.
struct c_any_words {
  using datatype_name = pure_datatype;
  using operator_name = pure_op;
  static constexpr const collective_argument_names& names = c_words::names;

  static void* in_place() noexcept { return PURE_IN_PLACE; }
  static bool is_in_place(const void* buffer) noexcept { return buffer == PURE_IN_PLACE; }
  static element_row row_of_predefined(pure_datatype type) noexcept { return {size_of_type(type), identity_of(type)}; }
  static const datatype& type_of(const communicator& on, const call& by, pure_datatype type, const char* argument,
                                 int at = -1);
  static std::uint32_t identity_of(pure_datatype type) noexcept { return static_cast<std::uint32_t>(code_of(type)); }
  static bool find_reduction(const communicator& on, const call& by, pure_op op, pure_datatype type,
                             detail::reduction& found, program_combination& made);
};

extern template class collective_call<c_words>;
using c_collective = collective_call<c_words>;
extern template class described_collective<c_any_words>;
using c_described = described_collective<c_any_words>;

/// Looks at the arguments of a call: basic types and 64-bit numbers are what the core's collectives take as they are.
class argument_look {
 public:
  explicit argument_look(const communicator& on) noexcept : on_(on) {}

  void see(pure_datatype type) noexcept { is_plain_ = is_plain_ && !may_be_derived(type); }
  void see(const pure_number_array& numbers) noexcept { is_plain_ = is_plain_ && numbers.is_wide(); }
  void see(const void* sent) noexcept { is_in_place_ = sent == PURE_IN_PLACE; }
  void see(void*) noexcept { is_in_place_ = false; }
  void see(const pure_datatype* types) noexcept {
    if (types == nullptr || is_in_place_) return;  // of what is in place, nobody looks at them
    for (int r = 0; r < on_.size(); ++r) see(types[r]);
  }
  template <class Other>
  void see(const Other&) noexcept {}

  [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }

 private:
  const communicator& on_;
  bool is_plain_ = true;
  bool is_in_place_ = false;
};

template <class Argument>
const Argument& as_plain(const Argument& argument) noexcept {
  return argument;
}
inline const std::int64_t* as_plain(const pure_number_array& numbers) noexcept { return numbers.wide(); }

// ---- the three forms: `describe`, a member of c_collective, is called with `arguments` if they are plain, and else
// `describe_any`, of c_described --------------------------------------------------------------------------------

template <class... Arguments>
bool are_plain(const communicator& on, const Arguments&... arguments) noexcept {
  argument_look look(on);
  (look.see(arguments), ...);
  return look.is_plain();
}

template <auto describe, auto describe_any, class... Arguments>
int run(const char* operation, pure_call_site site, pure_comm comm, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    if (are_plain(on, arguments...)) [[likely]] {
      run_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                       return (c_collective(on, by).*describe)(as_plain(arguments)...);
                     }));
      return;
    }
    run_described<describe_any>(on, by, arguments...);
  });
}

template <auto describe, auto describe_any, class... Arguments>
int start(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    const auto check = [&] { require(on, by, request, "request"); };
    if (!are_plain(on, arguments...)) {
      *request = name_of(start_described<describe_any>(on, by, check, arguments...));
      return;
    }
    *request = name_of(start_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                                          check();
                                          return (c_collective(on, by).*describe)(as_plain(arguments)...);
                                        })));
  });
}

template <auto describe, auto describe_any, class... Arguments>
int prepare(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    const auto check = [&] { require(on, by, request, "request"); };
    if (!are_plain(on, arguments...)) {
      *request = name_of(prepare_described<describe_any>(on, by, check, arguments...));
      return;
    }
    *request = name_of(make_persistent_collective(on, by, counting_refusals(on, by, refused_form::persistent, [&] {
                                                    check();
                                                    return (c_collective(on, by).*describe)(as_plain(arguments)...);
                                                  })));
  });
}

}  // namespace pure::core
