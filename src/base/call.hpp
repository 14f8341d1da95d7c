// The call that is being served: its name as the user wrote it, and where.
//
// Every error, every wait and every hang report names it. Made on the stack by the api layer, passed by reference.
#pragma once

#include "base/call_site.hpp"

namespace pure::core {

struct call {
  // Member by member: a copy of the whole site would read in one piece what the caller has just stored in two, and wait
  // for all its earlier stores to reach the cache, those to a ring's line among them (D-site-by-member).
  constexpr call(const char* name, const site_of_call& at) noexcept : call(name, at, at.types) {}
  /// `types`: of the elements, by sends() and receives().
  constexpr call(const char* name, const site_of_call& at, unsigned types) noexcept
      : operation(name), site(at.where, at.line) {
    site.types = types;
  }

  /// The types of elements as a call site has them, by their codes (match/element_types.hpp).
  static constexpr unsigned sends(unsigned code) noexcept { return code; }
  static constexpr unsigned receives(unsigned code) noexcept { return code << 16; }

  const char* operation;  // "pure_recv_msg", "recv": static storage
  site_of_call site;
};

}  // namespace pure::core
